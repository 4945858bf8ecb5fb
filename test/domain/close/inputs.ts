import { Amount } from '../../../src/domain/money/amount.ts';
import { ReadingByHash } from '../../../src/domain/close/reading-by-hash.ts';
import { reportOf, type ReportInputs } from '../../../src/domain/close/daily-report.ts';
import { foldDay, type FoldContext, type SealedDay } from '../../../src/domain/close/fold.ts';
import type { HashFacts } from '../../../src/domain/close/hash-facts.ts';
import type { CloseRecord } from '../../../src/domain/close/record.ts';
import type { DailyReport } from '../../../src/domain/close/report.ts';
import { AssetId, TransactionId, VaultId } from '../../../src/domain/ids.ts';
import type { VaultAsset, PositionLine } from '../../../src/domain/money/roll-forward.ts';
import { ETH } from '../../store/webhook.ts';
import { CUT_OFF, HASH_KEY, HOUR_MS } from './day-lines.ts';

export const V1: VaultAsset = { vaultId: VaultId('v1'), asset: AssetId(ETH) };
export const V2: VaultAsset = { ...V1, vaultId: VaultId('v2') };

export function at(vaultAsset: VaultAsset, amount: bigint) {
  return { ...vaultAsset, amount: Amount(amount) };
}

/** The day of 1 March, closed with fact 30, compared with custody. */
export const RECORD: CloseRecord & { custody: { kind: 'read' } } = {
  kind: 'close',
  day: '2026-03-01',
  timezone: 'UTC',
  cutOffAt: CUT_OFF,
  graceMs: HOUR_MS,
  throughSeq: 30,
  seal: { commitNumber: 3, hash: 'ab' },
  custody: {
    kind: 'read',
    readAt: CUT_OFF + HOUR_MS,
    requests: 2,
    watermark: CUT_OFF,
    transactions: 4,
    unreadable: 0,
    counted: [],
    pending: [],
  },
};
export const NOT_READ = {
  ...RECORD,
  custody: { kind: 'not_read' as const, reason: 'the API is down' },
};

/** A day to be closed, with every hash of it. */
export interface CloseInputs extends ReportInputs, FoldContext {
  readonly hashes: Iterable<HashFacts>;
}

/** Closes a day in full. */
export function closeDay(day: CloseInputs): DailyReport {
  return reportOf(day, foldDay(day.hashes, day));
}

export function inputs(more: Partial<CloseInputs> = {}): CloseInputs {
  return {
    record: RECORD,
    at: CUT_OFF + 2 * HOUR_MS,
    previous: undefined,
    compared: undefined,
    hashes: [],
    custodyMoved: [],
    countedLate: [],
    openBreaks: [],
    breakOf: () => undefined,
    hasChainView: () => true,
    reading: new ReadingByHash((more.record ?? RECORD).custody),
    breaksOf: () => [],
    exemptionsOf: () => [],
    decimals: (asset) => (asset === V1.asset ? 18 : undefined),
    eventAt: () => null,
    closedDayOf: (time) => new Date(time).toISOString().slice(0, 10),
    ...more,
  };
}

/** A hash with which chain view and custody agree by default. */
export function hash(lines: readonly PositionLine[], more: Partial<HashFacts> = {}): HashFacts {
  const chain = lines.map((one) => ({ ...one, view: 'chain' as const, cause: 'chain' as const }));
  const custody = lines.map(({ vaultId, asset, amount, cause }) => ({
    vaultId,
    asset,
    amount,
    transactionId: TransactionId('tx'),
    at: null,
    datedBy: null,
    kind: cause === 'incoming' ? ('incoming' as const) : ('outgoing' as const),
  }));
  return { ...HASH_KEY, lines: [...lines, ...chain], own: false, custody, after: [], ...more };
}

/** The day before, as it was sealed. */
export function sealed(report: DailyReport, throughSeq: number): SealedDay {
  const { day } = report;
  return { day, cutOffAt: Date.parse(report.cutOffAt), throughSeq, report, reportHash: 'cd' };
}

/** The non-zero figures of a report by vault and asset, in words. */
export function figures(report: DailyReport): string[] {
  return report.totals.map(({ vaultId, asset, decimals: _, ...rest }) => {
    const shown = Object.entries(rest).filter(([, figure]) => figure !== '0');
    return `${vaultId} ${asset}: ${shown.map(([name, figure]) => `${name} ${figure}`).join(', ')}`;
  });
}

export function exceptions(report: DailyReport): string[] {
  return report.exceptions.map(({ kind, detail }) => `${kind}: ${detail}`);
}
