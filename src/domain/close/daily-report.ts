import { negated, plus, storedAmount, ZERO, type Amount } from '../money/amount.ts';
import { differenceOf, type Break } from '../break/break.ts';
import { VaultAssetSums } from './difference/custody-figure.ts';
import {
  exceptionsOf,
  openDifferencesOf,
  statusOf,
  vaultsWithChainView,
} from './difference/verdict.ts';
import { differenceSums } from './difference/difference.ts';
import type { DayFold, SealedDay } from './fold.ts';
import type { CloseRecord } from './record.ts';
import type {
  AgeBucket,
  DailyReport,
  PriorDayItem,
  ReportBreak,
  ReportCustody,
  ReportDifference,
  ReportTotal,
} from './report.ts';
import { AssetId, BreakId, VaultId } from '../ids.ts';
import { vaultAssetKey, sumOf, type VaultAsset } from '../money/roll-forward.ts';

/** The inputs of a report besides its folded hashes. */
export interface ReportInputs {
  readonly record: CloseRecord;
  /** When the day is closed, Unix milliseconds. */
  readonly at: number;
  readonly previous: SealedDay | undefined;
  /** The last day compared with custody: its figures are carried forward. */
  readonly compared: SealedDay | undefined;
  /** Changes of the custody figures since the last comparison. */
  readonly custodyMoved: readonly (VaultAsset & { readonly amount: Amount })[];
  /** Movements that earlier readings of custody lacked. */
  readonly countedLate: readonly PriorDayItem[];
  /** Breaks open at the cut-off, in their state then. */
  readonly openBreaks: readonly Break[];
  readonly breakOf: (breakId: BreakId) => Break | undefined;
  /** Whether a closed day's chain view had any entry of a vault. */
  readonly hasChainView: (vaultId: VaultId) => boolean;
  readonly decimals: (asset: AssetId) => number | undefined;
}

const DAY_SECONDS = 86_400;
const BUCKET_DAYS = { under1Day: 1, under7Days: 7, under30Days: 30 } as const;

function ageBucket(seconds: number): AgeBucket {
  const young = (['under1Day', 'under7Days', 'under30Days'] as const).find(
    (bucket) => seconds < BUCKET_DAYS[bucket] * DAY_SECONDS,
  );
  return young ?? 'over30Days';
}

function breakRow(one: Break, cutOffAt: number): ReportBreak {
  const { vaultId, network, blockchainHash, asset, transactionId, depositId } = one.subject;
  return {
    breakId: one.breakId,
    type: one.type,
    severity: one.severity,
    state: one.state,
    vaultId,
    network,
    blockchainHash,
    asset,
    transactionId,
    depositId,
    expected: one.expected?.toString() ?? null,
    actual: one.actual?.toString() ?? null,
    difference: differenceOf(one)?.toString() ?? null,
    detail: one.detail,
    openedAt: new Date(one.openedAt).toISOString(),
    ageSeconds: Math.max(0, Math.floor((cutOffAt - one.openedAt) / 1000)),
  };
}

interface Carried {
  readonly vaultAsset: VaultAsset;
  readonly amount: Amount;
}

function carried(
  report: DailyReport | undefined,
  figure: (total: ReportTotal) => string | null,
): Map<string, Carried> {
  const rows = (report?.totals ?? []).map((total): [string, Carried] => {
    const vaultAsset = { vaultId: VaultId(total.vaultId), asset: AssetId(total.asset) };
    return [vaultAssetKey(vaultAsset), { vaultAsset, amount: storedAmount(figure(total) ?? '0') }];
  });
  return new Map(rows);
}

/** The order of rows; no two have the same vault and asset. */
function compareVaultAssets(left: VaultAsset, right: VaultAsset): number {
  if (left.vaultId !== right.vaultId) return left.vaultId < right.vaultId ? -1 : 1;
  return left.asset < right.asset ? -1 : 1;
}

/** Names of the vaults in the totals only: a custody organization may have many others. */
function namesOf(
  { vaultNames }: CloseRecord,
  totals: readonly ReportTotal[],
): Pick<DailyReport, 'vaultNames'> {
  if (vaultNames === undefined) return {};
  const shown = new Set(totals.map(({ vaultId }) => vaultId));
  const named = Object.entries(vaultNames).filter(([vaultId]) => shown.has(vaultId));
  return { vaultNames: Object.fromEntries(named) };
}

function sumsOfRows(
  rows: readonly { vaultId: string; asset: string; amount: string }[],
): ReadonlyMap<string, Amount> {
  const sums = new VaultAssetSums();
  for (const { vaultId, asset, amount } of rows) {
    sums.move(
      { vaultId: VaultId(vaultId), asset: AssetId(asset), amount: storedAmount(amount) },
      1n,
    );
  }
  return sums;
}

/** The custody figures of one vault and asset. */
type CustodyFigures = Pick<
  ReportTotal,
  | 'custodyRead'
  | 'custodyAfterCutOff'
  | 'custodyBurnedFees'
  | 'custodyClosing'
  | 'custodyDifference'
>;

/** The custody figures per vault and asset, and the vaults and assets that have any. */
function custodyFigures(
  { record, compared, custodyMoved }: ReportInputs,
  day: DayFold,
): { vaultAssets: VaultAsset[]; at: (vaultAsset: VaultAsset, closing: Amount) => CustodyFigures } {
  const opening = carried(compared?.report, (total) => total.custodyRead ?? total.custodyClosing);
  const moved = new VaultAssetSums();
  for (const part of custodyMoved) moved.move(part, 1n);
  const afterCutOff = sumsOfRows(day.afterCutOff);
  const isCompared = record.custody.kind === 'read';
  const shown = (amount: Amount): string | null => (isCompared ? amount.toString() : null);
  const vaultAssets = [
    ...[...opening.values()].map(({ vaultAsset }) => vaultAsset),
    ...custodyMoved,
  ];
  const at = (vaultAsset: VaultAsset, closing: Amount): CustodyFigures => {
    const key = vaultAssetKey(vaultAsset);
    const burned = day.burned.get(key) ?? ZERO;
    const news = plus(moved.get(key) ?? ZERO, burned);
    const read = plus(opening.get(key)?.amount ?? ZERO, news);
    const after = afterCutOff.get(key) ?? ZERO;
    const custody = plus(read, negated(after));
    const closed = {
      custodyClosing: shown(custody),
      custodyDifference: shown(plus(closing, negated(custody))),
    };
    if (record.rules === undefined) return closed;
    return {
      custodyRead: shown(read),
      custodyAfterCutOff: shown(after),
      custodyBurnedFees: shown(burned),
      ...closed,
    };
  };
  return { vaultAssets, at };
}

/** The rows of the roll-forward: every vault and asset with a balance or a movement. */
function totalsOf(inputs: ReportInputs, day: DayFold): ReportTotal[] {
  const { previous, decimals } = inputs;
  const opening = carried(previous?.report, (total) => total.closing);
  const chainOpening = carried(previous?.report, (total) => total.chainClosing);
  const custody = custodyFigures(inputs, day);
  const vaultAssets = new Map<string, VaultAsset>();
  for (const [key, { vaultAsset }] of [...opening, ...chainOpening])
    vaultAssets.set(key, vaultAsset);
  for (const { vaultAsset } of day.effects.rows())
    vaultAssets.set(vaultAssetKey(vaultAsset), vaultAsset);
  for (const [key] of [...day.net, ...day.chain]) {
    const [vaultId = '', asset = ''] = key.split('\u0000');
    vaultAssets.set(key, { vaultId: VaultId(vaultId), asset: AssetId(asset) });
  }
  for (const { vaultId, asset } of custody.vaultAssets) {
    vaultAssets.set(vaultAssetKey({ vaultId, asset }), { vaultId, asset });
  }
  const uncoveredOf = uncoveredBy(inputs, day);
  const rows = [...vaultAssets].map(
    ([key, vaultAsset]): { vaultAsset: VaultAsset; total: ReportTotal } => {
      const effects = day.effects.effects(vaultAsset);
      const open = opening.get(key)?.amount ?? ZERO;
      const closing = plus(open, sumOf(effects));
      const chain = plus(chainOpening.get(key)?.amount ?? ZERO, day.chain.get(key) ?? ZERO);
      const apart = plus(closing, negated(chain));
      const uncovered = uncoveredOf(vaultAsset, apart);
      const total: ReportTotal = {
        vaultId: vaultAsset.vaultId,
        asset: vaultAsset.asset,
        decimals: decimals(vaultAsset.asset) ?? null,
        opening: open.toString(),
        deposits: effects.deposits.toString(),
        withdrawals: negated(effects.withdrawals).toString(),
        fees: negated(effects.fees).toString(),
        rebates: effects.rebates.toString(),
        mints: effects.mints.toString(),
        internal: effects.internal.toString(),
        change: effects.change.toString(),
        adjustments: effects.adjustments.toString(),
        closing: closing.toString(),
        chainClosing: chain.toString(),
        chainDifference: uncovered.isCompared ? apart.toString() : null,
        chainUntold: uncovered.amount.toString(),
        ...custody.at(vaultAsset, closing),
      };
      return { vaultAsset, total };
    },
  );
  return rows
    .filter(({ total }) => !isEmpty(total))
    .sort((left, right) => compareVaultAssets(left.vaultAsset, right.vaultAsset))
    .map(({ total }) => total);
}

/** The part of a row's chain difference on hashes without a chain view. */
function uncoveredBy(
  { record, hasChainView }: ReportInputs,
  { differences, chain }: DayFold,
): (vaultAsset: VaultAsset, apart: Amount) => { isCompared: boolean; amount: Amount } {
  if (record.rules === undefined) {
    const listed = differenceSums(differences, 'chain');
    return (vaultAsset, apart) => {
      const amount = plus(apart, negated(listed.get(vaultAssetKey(vaultAsset)) ?? ZERO));
      return { isCompared: true, amount };
    };
  }
  const hasView = vaultsWithChainView(chain, hasChainView);
  const uncovered = differences.filter((one) => one.untold === true);
  const sums = differenceSums(uncovered, 'chain');
  return (vaultAsset, apart) =>
    hasView(vaultAsset.vaultId)
      ? { isCompared: true, amount: sums.get(vaultAssetKey(vaultAsset)) ?? ZERO }
      : { isCompared: false, amount: apart };
}

/** Whether a row has no balance and no movement. */
function isEmpty(total: ReportTotal): boolean {
  const { vaultId: _, asset: _asset, decimals: _decimals, ...figures } = total;
  return Object.values(figures).every((figure) => figure === null || figure === '0');
}

function custodyOf({ record }: ReportInputs): ReportCustody {
  const { custody } = record;
  if (custody.kind === 'not_read') return { compared: false, reason: custody.reason };
  const { readAt, transactions, counted, unreadable, requests, watermark } = custody;
  return {
    compared: true,
    readAt: new Date(readAt).toISOString(),
    transactions,
    changed: counted.length,
    unreadable,
    requests,
    watermark: watermark === null ? null : new Date(watermark).toISOString(),
  };
}

function ageingOf(breaks: readonly ReportBreak[]): Record<AgeBucket, number> {
  const counts = { under1Day: 0, under7Days: 0, under30Days: 0, over30Days: 0 };
  for (const { ageSeconds } of breaks) counts[ageBucket(ageSeconds)] += 1;
  return counts;
}

/** Differences that the report lists; none with the chain view of a vault that never had one. */
function listedOf({ record, hasChainView }: ReportInputs, day: DayFold): ReportDifference[] {
  if (record.rules === undefined) return [...day.differences];
  const hasView = vaultsWithChainView(day.chain, hasChainView);
  return day.differences.filter(
    ({ against, vaultId }) => against === 'custody' || hasView(VaultId(vaultId)),
  );
}

/** Breaks that explain a difference and opened after the cut-off. */
function laterBreaksOf(
  { record, breakOf }: ReportInputs,
  differences: readonly ReportDifference[],
): ReportBreak[] {
  const ids = new Set(differences.flatMap(({ breakId }) => breakId ?? []));
  return [...ids].flatMap((breakId) => {
    const one = breakOf(BreakId(breakId));
    if (one === undefined || one.openedAt < record.cutOffAt) return [];
    return [breakRow(one, record.cutOffAt)];
  });
}

/**
 * Builds the daily report: rolls the balances forward from the last close by the day's folded
 * hashes, and lists what does not agree.
 */
export function reportOf(inputs: ReportInputs, day: DayFold): DailyReport {
  const { record, previous, at } = inputs;
  const totals = totalsOf(inputs, day);
  const differences = listedOf(inputs, day);
  const exceptions = exceptionsOf(record, { ...day, differences }, totals);
  const isNumbered = record.rules !== undefined;
  const openDifferences = isNumbered ? openDifferencesOf(differences) : [];
  const openBreaks = inputs.openBreaks.map((one) => breakRow(one, record.cutOffAt));
  return {
    version: record.rules ?? 1,
    day: record.day,
    timezone: record.timezone,
    from: previous === undefined ? null : new Date(previous.cutOffAt).toISOString(),
    cutOffAt: new Date(record.cutOffAt).toISOString(),
    closedAt: new Date(at).toISOString(),
    status: statusOf(exceptions, openDifferences),
    exceptions,
    ...(isNumbered ? { openDifferences } : {}),
    journal: {
      afterSeq: previous?.throughSeq ?? 0,
      throughSeq: record.throughSeq,
      commitNumber: record.seal.commitNumber,
      sealHash: record.seal.hash,
    },
    previous:
      previous === undefined ? null : { day: previous.day, reportHash: previous.reportHash },
    totals,
    custody: custodyOf(inputs),
    ...(isNumbered ? { custodyAfterCutOff: day.afterCutOff } : {}),
    differences,
    inTransit: day.inTransit,
    ...(isNumbered ? { unconfirmed: day.unconfirmed } : {}),
    priorDay: [...day.priorDay, ...inputs.countedLate],
    openBreaks,
    ...(isNumbered ? { laterBreaks: laterBreaksOf(inputs, differences) } : {}),
    ageing: ageingOf(openBreaks),
    ...(record.exempt === undefined ? {} : { exempt: record.exempt }),
    ...namesOf(record, totals),
  };
}
