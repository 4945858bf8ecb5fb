import { negated, plus, storedAmount, ZERO, type Amount } from './amount.ts';
import { differenceOf, type Break } from './break.ts';
import { differenceSums } from './close-difference.ts';
import type { DayFold, SealedDay } from './close-fold.ts';
import type { CloseRecord } from './close-record.ts';
import type {
  AgeBucket,
  DailyReport,
  ReportBreak,
  ReportCustody,
  ReportException,
  ReportTotal,
} from './close-report.ts';
import { AssetId, VaultId } from './ids.ts';
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

/** The rows of the roll-forward: every vault and asset that holds anything or moved. */
function totalsOf(inputs: ReportInputs, day: DayFold): ReportTotal[] {
  const { previous, compared, record, custodyMoved, decimals } = inputs;
  const opening = carried(previous?.report, (total) => total.closing);
  const chainOpening = carried(previous?.report, (total) => total.chainClosing);
  const custodyOpening = carried(compared?.report, (total) => total.custodyClosing);
  const custodyDelta = new Map<string, Amount>();
  const places = new Map<string, Place>();
  for (const [key, { place }] of [...opening, ...chainOpening, ...custodyOpening]) {
    places.set(key, place);
  }
  for (const { place } of day.effects.rows()) places.set(placeKey(place), place);
  for (const [key] of [...day.net, ...day.chain]) {
    const [vaultId = '', asset = ''] = key.split('\u0000');
    places.set(key, { vaultId: VaultId(vaultId), asset: AssetId(asset) });
  }
  for (const { vaultId, asset, amount } of custodyMoved) {
    const key = placeKey({ vaultId, asset });
    places.set(key, { vaultId, asset });
    custodyDelta.set(key, plus(custodyDelta.get(key) ?? ZERO, amount));
  }
  const chainListed = differenceSums(day.differences, 'chain');
  const rows = [...places].map(([key, place]): { place: Place; total: ReportTotal } => {
    const effects = day.effects.effects(place);
    const open = opening.get(key)?.amount ?? ZERO;
    const closing = plus(open, sumOf(effects));
    const chain = plus(chainOpening.get(key)?.amount ?? ZERO, day.chain.get(key) ?? ZERO);
    const apart = plus(closing, negated(chain));
    const isCompared = record.custody.kind === 'read';
    const custody = plus(custodyOpening.get(key)?.amount ?? ZERO, custodyDelta.get(key) ?? ZERO);
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
      chainDifference: apart.toString(),
      chainUntold: plus(apart, negated(chainListed.get(key) ?? ZERO)).toString(),
      custodyClosing: isCompared ? custody.toString() : null,
      custodyDifference: isCompared ? plus(closing, negated(custody)).toString() : null,
    };
    return { place, total };
  });
  return rows
    .filter(({ total }) => !isEmpty(total))
    .sort((left, right) => byPlace(left.place, right.place))
    .map(({ total }) => total);
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

/** Everything that keeps a report from saying "balanced". */
function exceptionsOf(
  inputs: ReportInputs,
  day: DayFold,
  totals: readonly ReportTotal[],
): ReportException[] {
  const found: ReportException[] = [];
  const custodyListed = differenceSums(day.differences, 'custody');
  for (const total of totals) {
    const place = { vaultId: VaultId(total.vaultId), asset: AssetId(total.asset) };
    const where = `${total.vaultId} ${total.asset}`;
    const moved = (BigInt(total.closing) - BigInt(total.opening)) as Amount;
    const posted = day.net.get(placeKey(place)) ?? ZERO;
    if (moved !== posted) {
      const detail = `${where}: the categories move ${moved}, the day's entries ${posted}`;
      found.push({ kind: 'identity', detail });
    }
    const listed = custodyListed.get(placeKey(place)) ?? ZERO;
    const { custodyDifference } = total;
    if (custodyDifference !== null && BigInt(custodyDifference) !== listed) {
      const detail = `${where}: ${custodyDifference} apart from custody, of which ${listed} is on known hashes`;
      found.push({ kind: 'identity', detail });
    }
  }
  const { custody } = inputs.record;
  if (custody.kind === 'not_read') {
    found.push({ kind: 'custody_not_compared', detail: custody.reason });
    const untold = totals.filter(({ chainUntold }) => chainUntold !== '0').length;
    if (untold > 0) {
      const detail = `${untold} vaults and assets moved where the chain view was told nothing, and custody did not confirm it`;
      found.push({ kind: 'chain_not_compared', detail });
    }
  } else if (custody.unreadable > 0) {
    const detail = `${custody.unreadable} rows of the custody API's list were not understood and count for nothing`;
    found.push({ kind: 'custody_rows_unreadable', detail });
  }
  const open = day.differences.filter(({ explanation }) => explanation === 'unexplained').length;
  if (open > 0) {
    const detail = `${open} ${open === 1 ? 'difference has' : 'differences have'} no explanation`;
    found.push({ kind: 'unexplained_difference', detail });
  }
  return found;
}

function ageingOf(breaks: readonly ReportBreak[]): Record<AgeBucket, number> {
  const counts = { under1Day: 0, under7Days: 0, under30Days: 0, over30Days: 0 };
  for (const { ageSeconds } of breaks) counts[ageBucket(ageSeconds)] += 1;
  return counts;
}

/**
 * Rolls the balances forward from the last close to this one, by what the day's hashes come to, and
 * says what does not agree.
 */
export function reportOf(inputs: ReportInputs, day: DayFold): DailyReport {
  const { record, previous, at } = inputs;
  const totals = totalsOf(inputs, day);
  const exceptions = exceptionsOf(inputs, day, totals);
  const openBreaks = inputs.openBreaks.map((one) => breakRow(one, record.cutOffAt));
  return {
    version: record.rules ?? 1,
    day: record.day,
    timezone: record.timezone,
    from: previous === undefined ? null : new Date(previous.cutOffAt).toISOString(),
    cutOffAt: new Date(record.cutOffAt).toISOString(),
    closedAt: new Date(at).toISOString(),
    status: exceptions.length === 0 ? 'balanced' : 'exceptions',
    exceptions,
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
    differences: day.differences,
    inTransit: day.inTransit,
    ...(record.rules === undefined ? {} : { unconfirmed: day.unconfirmed }),
    priorDay: day.priorDay,
    openBreaks,
    ageing: ageingOf(openBreaks),
    ...(record.exempt === undefined ? {} : { exempt: record.exempt }),
    ...namesOf(record, totals),
  };
}
