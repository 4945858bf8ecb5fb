import { describe, expect, test } from 'vitest';
import {
  breakKey,
  finding,
  opened,
  resolved,
  type Break,
  type BreakSubject,
  type BreakType,
} from '../../../../src/domain/break/break.ts';
import { ReadingByHash } from '../../../../src/domain/close/reading-by-hash.ts';
import { differencesOf } from '../../../../src/domain/close/difference/difference.ts';
import type { HashFacts } from '../../../../src/domain/close/hash-facts.ts';
import type { CloseRecord } from '../../../../src/domain/close/record.ts';
import type { ReportDifference } from '../../../../src/domain/close/report.ts';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { BreakId, DepositId, TransactionId } from '../../../../src/domain/ids.ts';
import type { PositionLine } from '../../../../src/domain/money/roll-forward.ts';
import { CUT_OFF, HASH_KEY, HOUR_MS, line } from '../day-lines.ts';
import { NOT_READ, RECORD, V1, V2 } from '../inputs.ts';

const NUMBERED: CloseRecord = { ...RECORD, rules: 2 };
const UNASKED: CloseRecord = { ...NOT_READ, rules: 2 };

interface Case {
  readonly lines: readonly PositionLine[];
  /** What custody lists for the hash at v1; nothing unless given. */
  readonly says?: bigint;
  readonly record?: CloseRecord;
  readonly breaks?: readonly Break[];
}

function found({ lines, says, record = NUMBERED, breaks = [] }: Case): ReportDifference[] {
  const transactionId = TransactionId('tx');
  const undated = { transactionId, kind: 'incoming', at: null, datedBy: null } as const;
  const custody = says === undefined ? [] : [{ ...V1, ...undated, amount: Amount(says) }];
  const facts: HashFacts = { ...HASH_KEY, lines, own: false, custody, after: [] };
  const reading = new ReadingByHash(record.custody);
  return differencesOf(facts, { record, reading, breaksOf: () => breaks, exemptionsOf: () => [] });
}

/** `chain v1 7 unexplained: no break is open about it`, with `(untold)` without a chain view. */
function texts(differences: readonly ReportDifference[]): string[] {
  return differences.map(({ against, vaultId, difference, explanation, detail, untold }) => {
    const what = `${against} ${vaultId} ${difference} ${explanation}: ${detail}`;
    return untold === true ? `${what} (untold)` : what;
  });
}

const UNEXPLAINED = 'unexplained: no break is open about it';
const chain = (amount: bigint, more: Partial<PositionLine> = {}) =>
  line(amount, { entryId: 2, view: 'chain', cause: 'chain', ...more });
const afterCutOff = { entryId: 3, seq: 31, postedAt: CUT_OFF };
const young = { postedAt: CUT_OFF - HOUR_MS + 1 };

const NOT_IN_CHAIN_VIEW: [why: string, given: Case, are: string[]][] = [
  [
    'that custody confirms',
    { lines: [line(7n)], says: 7n },
    [
      'chain v1 7 chain_not_told: the chain view was told nothing of it; the custody API agrees with the books (untold)',
    ],
  ],
  [
    'that custody does not confirm',
    { lines: [line(7n)], says: 5n },
    [`custody v1 2 ${UNEXPLAINED}`, `chain v1 7 ${UNEXPLAINED} (untold)`],
  ],
  [
    'while custody was not compared',
    { lines: [line(7n)], record: UNASKED },
    [
      'chain v1 7 chain_not_told: the chain view was told nothing of it, and custody was not compared (untold)',
    ],
  ],
  [
    'that may still be told',
    { lines: [line(7n, young)], says: 7n },
    [
      'chain v1 7 in_grace: booked so shortly before the cut-off that the other side may still follow (untold)',
    ],
  ],
  [
    'that was told after the cut-off',
    { lines: [line(7n), chain(7n, afterCutOff)], says: 7n },
    ['chain v1 7 timing: the other side was told after the cut-off; both agree by now (untold)'],
  ],
  [
    'that was told something else after the cut-off',
    { lines: [line(7n), chain(6n, afterCutOff)], says: 7n },
    [`chain v1 7 ${UNEXPLAINED} (untold)`],
  ],
  [
    'is a matter of each vault',
    { lines: [line(7n), chain(6n), line(3n, { vaultId: V2.vaultId })], record: UNASKED },
    [
      `chain v1 1 ${UNEXPLAINED}`,
      'chain v2 3 chain_not_told: the chain view was told nothing of it, and custody was not compared (untold)',
    ],
  ],
  [
    'is no difference where the books moved nothing',
    { lines: [line(7n), line(-7n, { entryId: 2, reverses: 1 })] },
    [],
  ],
];

describe('a hash without a chain view', () => {
  test.for(NOT_IN_CHAIN_VIEW)('%s', ([, given, are]) => {
    expect(texts(found(given))).toEqual(are);
  });

  test('is no difference under rules 1', () => {
    expect(found({ lines: [line(7n)], says: 7n, record: RECORD })).toEqual([]);
  });

  test('is no difference with custody', () => {
    const [custody] = found({ lines: [line(7n)], says: 5n });
    expect(custody).toEqual({
      against: 'custody',
      vaultId: 'v1',
      network: 'ethereum',
      blockchainHash: '0xa1',
      asset: 'ethereum:ETH',
      expected: '5',
      actual: '7',
      difference: '2',
      explanation: 'unexplained',
      breakId: null,
      detail: 'no break is open about it',
    });
  });
});

function open(type: BreakType, subject: Partial<BreakSubject> = {}): Break {
  const difference = finding(type, { key: breakKey(type, '0xa1'), subject, detail: 'seen' });
  return opened(difference, BreakId('brk_1'), 1).after;
}
function resolvedBy(actor: string, one: Break): Break {
  return resolved(one, { actor, reason: 'forged', at: 2 }).after;
}
const deposit = { depositId: DepositId('dep_1') };

const DENIED: [why: string, one: Break, rules: CloseRecord, explanation: string][] = [
  [
    'an own transaction that custody does not know',
    open('unknown_to_custody'),
    NUMBERED,
    'unexplained',
  ],
  [
    'the same, after a person resolved it',
    resolvedBy('ann', open('unknown_to_custody')),
    NUMBERED,
    'unexplained',
  ],
  ['the same under rules 1', open('unknown_to_custody'), RECORD, 'break'],
  ['a deposit that custody does not know', open('unknown_to_custody', deposit), NUMBERED, 'break'],
  ['another break about no deposit', open('amount_mismatch'), NUMBERED, 'break'],
];

describe('what explains a difference: the break of', () => {
  test.for(DENIED)('%s', ([, one, record, explanation]) => {
    const lines = [line(7n), chain(7n)];
    const [difference] = found({ lines, record, breaks: [one] });
    expect(difference?.explanation).toBe(explanation);
  });
});
