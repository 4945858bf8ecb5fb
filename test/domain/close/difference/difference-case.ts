import { Amount } from '../../../../src/domain/money/amount.ts';
import type { Break } from '../../../../src/domain/break/break.ts';
import { ReadingByHash } from '../../../../src/domain/close/reading-by-hash.ts';
import { differencesOf } from '../../../../src/domain/close/difference/difference.ts';
import type { HashFacts } from '../../../../src/domain/close/hash-facts.ts';
import type { CloseRecord, CustodyReading } from '../../../../src/domain/close/record.ts';
import type { ReportDifference } from '../../../../src/domain/close/report.ts';
import type { ActiveExemption } from '../../../../src/domain/break/exemption.ts';
import { AssetId, TransactionId, VaultId } from '../../../../src/domain/ids.ts';
import type { PositionLine } from '../../../../src/domain/money/roll-forward.ts';
import { ETH } from '../../../store/webhook.ts';
import { CUT_OFF, HASH_KEY, HOUR_MS, line } from '../day-lines.ts';

export const AT = { vaultId: VaultId('v1'), asset: AssetId(ETH) };
const UNDATED = { transactionId: TransactionId('tx'), at: null, datedBy: null };
export const NOT_READ: CustodyReading = { kind: 'not_read', reason: 'down' };

export function read(more: Partial<CustodyReading & { kind: 'read' }> = {}): CustodyReading {
  return {
    kind: 'read',
    readAt: CUT_OFF + HOUR_MS,
    requests: 1,
    watermark: null,
    transactions: 1,
    unreadable: 0,
    counted: [],
    pending: [],
    ...more,
  };
}

/** The day ended with fact 30; an hour of grace. */
function recordOf(custody: CustodyReading): CloseRecord {
  return {
    kind: 'close',
    day: '2026-03-01',
    timezone: 'UTC',
    cutOffAt: CUT_OFF,
    graceMs: HOUR_MS,
    throughSeq: 30,
    seal: { commitNumber: 3, hash: 'ab' },
    custody,
  };
}

/** What is known of one hash. */
export interface Case {
  readonly lines?: readonly PositionLine[];
  readonly says?: bigint;
  readonly custody?: CustodyReading;
  readonly breaks?: readonly Break[];
  readonly exemptions?: readonly ActiveExemption[];
  /** Closed before exemptions explained anything, when any resolved break did. */
  readonly old?: boolean;
}

/** The differences of that hash. */
export function found(given: Case): ReportDifference[] {
  const { lines = [], says, custody = read(), breaks = [], exemptions = [] } = given;
  const facts: HashFacts = {
    ...HASH_KEY,
    lines,
    own: false,
    custody: says === undefined ? [] : [{ ...AT, ...UNDATED, amount: Amount(says), kind: null }],
    after: [],
  };
  const record = recordOf(custody);
  return differencesOf(facts, {
    record:
      given.old === true
        ? record
        : { ...record, exemptionsExplain: true, resolvedAreCompared: true },
    reading: new ReadingByHash(record.custody),
    breaksOf: () => breaks,
    exemptionsOf: () => exemptions,
  });
}

/** `against difference explanation: detail`. */
export function words(differences: readonly ReportDifference[]): string[] {
  return differences.map(
    ({ against, difference, explanation, detail }) =>
      `${against} ${difference} ${explanation}: ${detail}`,
  );
}

/** A line of the chain view. */
export const chain = (amount: bigint, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId: 2, view: 'chain', cause: 'chain', ...more });
/** Booked after the cut-off. */
export const later = { entryId: 3, seq: 31, postedAt: CUT_OFF };
/** Booked within the grace before the cut-off. */
export const young = { postedAt: CUT_OFF - HOUR_MS + 1 };
