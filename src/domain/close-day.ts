import { negated, plus, storedAmount, ZERO, type Amount } from './amount.ts';
import { differenceOf, type Break } from './break.ts';
import { PlaceSums } from './close/custody-figure.ts';
import { exceptionsOf, openDifferencesOf, statusOf, toldVaults } from './close/verdict.ts';
import { differenceSums } from './close-difference.ts';
import type { DayFold, SealedDay } from './close-fold.ts';
import type { CloseRecord } from './close-record.ts';
import type {
  AgeBucket,
  DailyReport,
  ReportBreak,
  ReportCustody,
  ReportDifference,
  ReportTotal,
} from './close-report.ts';
import { AssetId, BreakId, VaultId } from './ids.ts';
import { placeKey, sumOf, type Place } from './roll-forward.ts';

/** What a report says beside what its hashes come to. */
export interface ReportInputs {
  readonly record: CloseRecord;
  /** When the day is closed, Unix milliseconds. */
  readonly at: number;
  readonly previous: SealedDay | undefined;
  /** The last day that was compared with custody: its figures are gone on from. */
  readonly compared: SealedDay | undefined;
  /** What the custody figures move by, against the last comparison. */
  readonly custodyMoved: readonly (Place & { readonly amount: Amount })[];
  /** Breaks that were open at the cut-off, as they stood then. */
  readonly openBreaks: readonly Break[];
  readonly breakOf: (breakId: BreakId) => Break | undefined;
  /** Whether a closed day's chain view was told anything of a vault. */
  readonly wasChainTold: (vaultId: VaultId) => boolean;
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
  readonly place: Place;
  readonly amount: Amount;
}

function carried(
  report: DailyReport | undefined,
  figure: (total: ReportTotal) => string | null,
): Map<string, Carried> {
  const rows = (report?.totals ?? []).map((total): [string, Carried] => {
    const place = { vaultId: VaultId(total.vaultId), asset: AssetId(total.asset) };
    return [placeKey(place), { place, amount: storedAmount(figure(total) ?? '0') }];
  });
  return new Map(rows);
}

function byPlace(left: Place, right: Place): number {
  if (left.vaultId !== right.vaultId) return left.vaultId < right.vaultId ? -1 : 1;
  if (left.asset === right.asset) return 0;
  return left.asset < right.asset ? -1 : 1;
}

/** Names of the vaults in the totals: a custody organization may have many others. */
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
  const sums = new PlaceSums();
  for (const { vaultId, asset, amount } of rows) {
    sums.move(
      { vaultId: VaultId(vaultId), asset: AssetId(asset), amount: storedAmount(amount) },
      1n,
    );
  }
  return sums;
}

/** Custody's figures of a place whose books close with an amount. */
type CustodyFigures = Pick<
  ReportTotal,
  | 'custodyRead'
  | 'custodyAfterCutOff'
  | 'custodyBurnedFees'
  | 'custodyClosing'
  | 'custodyDifference'
>;

/** Tells custody's figures, and which places have any. */
function custodyFigures(
  { record, compared, custodyMoved }: ReportInputs,
  day: DayFold,
): { places: Place[]; at: (place: Place, closing: Amount) => CustodyFigures } {
  const opening = carried(compared?.report, (total) => total.custodyRead ?? total.custodyClosing);
  const moved = new PlaceSums();
  for (const part of custodyMoved) moved.move(part, 1n);
  const afterCutOff = sumsOfRows(day.afterCutOff);
  const isCompared = record.custody.kind === 'read';
  const shown = (amount: Amount): string | null => (isCompared ? amount.toString() : null);
  const places = [...[...opening.values()].map(({ place }) => place), ...custodyMoved];
  const at = (place: Place, closing: Amount): CustodyFigures => {
    const key = placeKey(place);
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
  return { places, at };
}

/** The rows of the roll-forward: every vault and asset that holds anything or moved. */
function totalsOf(inputs: ReportInputs, day: DayFold): ReportTotal[] {
  const { previous, decimals } = inputs;
  const opening = carried(previous?.report, (total) => total.closing);
  const chainOpening = carried(previous?.report, (total) => total.chainClosing);
  const custody = custodyFigures(inputs, day);
  const places = new Map<string, Place>();
  for (const [key, { place }] of [...opening, ...chainOpening]) places.set(key, place);
  for (const { place } of day.effects.rows()) places.set(placeKey(place), place);
  for (const [key] of [...day.net, ...day.chain]) {
    const [vaultId = '', asset = ''] = key.split('\u0000');
    places.set(key, { vaultId: VaultId(vaultId), asset: AssetId(asset) });
  }
  for (const { vaultId, asset } of custody.places) {
    places.set(placeKey({ vaultId, asset }), { vaultId, asset });
  }
  const untoldOf = untoldBy(inputs, day);
  const rows = [...places].map(([key, place]): { place: Place; total: ReportTotal } => {
    const effects = day.effects.effects(place);
    const open = opening.get(key)?.amount ?? ZERO;
    const closing = plus(open, sumOf(effects));
    const chain = plus(chainOpening.get(key)?.amount ?? ZERO, day.chain.get(key) ?? ZERO);
    const apart = plus(closing, negated(chain));
    const untold = untoldOf(place, apart);
    const total: ReportTotal = {
      vaultId: place.vaultId,
      asset: place.asset,
      decimals: decimals(place.asset) ?? null,
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
      chainDifference: untold.isCompared ? apart.toString() : null,
      chainUntold: untold.amount.toString(),
      ...custody.at(place, closing),
    };
    return { place, total };
  });
  return rows
    .filter(({ total }) => !isEmpty(total))
    .sort((left, right) => byPlace(left.place, right.place))
    .map(({ total }) => total);
}

/** Tells what of a place's difference with the chain view is on hashes that it was not told of. */
function untoldBy(
  { record, wasChainTold }: ReportInputs,
  { differences, chain }: DayFold,
): (place: Place, apart: Amount) => { isCompared: boolean; amount: Amount } {
  if (record.rules === undefined) {
    const listed = differenceSums(differences, 'chain');
    return (place, apart) => {
      const amount = plus(apart, negated(listed.get(placeKey(place)) ?? ZERO));
      return { isCompared: true, amount };
    };
  }
  const isTold = toldVaults(chain, wasChainTold);
  const untold = differences.filter((one) => one.untold === true);
  const sums = differenceSums(untold, 'chain');
  return (place, apart) =>
    isTold(place.vaultId)
      ? { isCompared: true, amount: sums.get(placeKey(place)) ?? ZERO }
      : { isCompared: false, amount: apart };
}

/** Figures of a place that has never held anything, or holds nothing any more and did not move. */
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

/** Differences that the report lists: none with the chain view of a vault that it was never told of. */
function listedOf({ record, wasChainTold }: ReportInputs, day: DayFold): ReportDifference[] {
  if (record.rules === undefined) return [...day.differences];
  const isTold = toldVaults(day.chain, wasChainTold);
  return day.differences.filter(
    ({ against, vaultId }) => against === 'custody' || isTold(VaultId(vaultId)),
  );
}

/** Breaks that explain a difference and were opened after the cut-off. */
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
 * Rolls the balances forward from the last close to this one, by what the day's hashes come to, and
 * says what does not agree.
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
    priorDay: day.priorDay,
    openBreaks,
    ...(isNumbered ? { laterBreaks: laterBreaksOf(inputs, differences) } : {}),
    ageing: ageingOf(openBreaks),
    ...(record.exempt === undefined ? {} : { exempt: record.exempt }),
    ...namesOf(record, totals),
  };
}
