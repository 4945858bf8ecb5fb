import { describe, expect, test } from 'vitest';
import { opened, finding, resolved, type Break } from '../../src/domain/break/break.ts';
import { handleBreakDecision, type BreakDecision } from '../../src/domain/break/person-steps.ts';
import {
  handleDepositDecision,
  handleAcknowledgement,
  type DepositDecision,
  type Taken,
} from '../../src/domain/deposit/person-decisions.ts';
import type { Deposit, HoldReason } from '../../src/domain/deposit/deposit.ts';
import type { RuleContext } from '../../src/domain/hash/hash-state.ts';
import { Amount } from '../../src/domain/money/amount.ts';
import { BreakId, CreditId, IdMint } from '../../src/domain/ids.ts';
import { DUE } from './records.ts';

const NOW: RuleContext = {
  at: 99,
  source: 'decision',
  mint: new IdMint(7, (text) => `<${text}>`),
  policy: { default: { confirmations: 6 }, networks: {}, assets: {} },
  pinnedDecimals: () => undefined,
};
const { depositId } = DUE;
const reason = 'seen';
const APPROVE: DepositDecision = { kind: 'approve', depositId, reason };
const HOLD: DepositDecision = { kind: 'hold', depositId, reason };
const RELEASE: DepositDecision = { kind: 'release', depositId, reason };
const ATTRIBUTE: DepositDecision = {
  kind: 'attribute',
  depositId,
  attributedTo: 'c7',
  endsApprovals: true,
  reason,
};
const CREDIT = {
  creditId: CreditId('crd_1'),
  amount: Amount(100n),
  creditedAt: 9,
  reference: null,
};
const UNVERIFIED = { verifiedAt: null, custodyConfirmations: 0 };

function words(taken: Taken): string {
  if (taken.kind === 'refused') {
    const { refusal } = taken;
    const cause = refusal.kind === 'conflict' && refusal.reason;
    return `${refusal.kind}${cause ? `, ${cause}` : ''}: ${refusal.detail}`;
  }
  const [deposit] = taken.changes.deposits;
  return `${taken.kind}: ${deposit?.state} ${deposit?.reason ?? ''}`.trim();
}

const ABOUT_DEPOSITS: [facts: Partial<Deposit>, decision: DepositDecision, is: string][] = [
  [
    { credit: CREDIT, state: 'credited' },
    HOLD,
    'conflict: the deposit is credited already: its credit is in the feed',
  ],
  [
    { evidence: 'mempool' },
    APPROVE,
    'conflict: the deposit is not confirmed on-chain yet: approve it afterwards',
  ],
  [{ state: 'internal' }, APPROVE, 'conflict: an internal transfer is never credited'],
  [
    { approvals: [{ person: 'ann', reason, at: 1 }] },
    APPROVE,
    'conflict: a second approval needs another person: ann has approved it already',
  ],
  [{ approvals: [{ person: 'bob', reason, at: 1 }] }, APPROVE, 'taken: credited'],
  [UNVERIFIED, HOLD, 'taken: held operator_hold'],
  [{}, RELEASE, 'conflict: it is not held'],
  [{ operatorHold: 'ann: odd' }, RELEASE, 'taken: credited'],
  [{ decimalsChanged: true }, RELEASE, 'taken: credited'],
  [{ operatorHold: 'ann: odd', decimalsChanged: true }, RELEASE, 'taken: held decimals_changed'],
  [{}, ATTRIBUTE, 'conflict: the deposit is not held for its memo: its owner cannot be named'],
  [
    { state: 'held', reason: 'dust' },
    ATTRIBUTE,
    'conflict: the deposit is not held for its memo: its owner cannot be named',
  ],
  [
    { unattributed: true, operatorHold: 'ann: odd', state: 'held', reason: 'operator_hold' },
    ATTRIBUTE,
    'conflict: a person holds it: release it first, then name its owner',
  ],
  [
    { operatorHold: 'ann: odd', state: 'held', reason: 'operator_hold' },
    ATTRIBUTE,
    'conflict: the deposit is not held for its memo: its owner cannot be named',
  ],
  [
    { unattributed: true, state: 'held', reason: 'unattributed_memo' },
    ATTRIBUTE,
    'taken: credited',
  ],
  [{ state: 'held', reason: 'memo_required' }, ATTRIBUTE, 'taken: credited'],
  [
    { attributedTo: 'c7', attributedBy: 'ann' },
    APPROVE,
    'conflict: the last approval needs another person: ann named its owner',
  ],
];

test.for(ABOUT_DEPOSITS)('a deposit of %o, %o: %s', ([facts, decision, is]) => {
  const deposit = { ...DUE, ...facts };
  expect(words(handleDepositDecision(deposit, decision, { actor: 'ann', now: NOW }))).toBe(is);
});

/** What a release does not change, and what does. */
const HELD: [reason: HoldReason, next: string][] = [
  ['approval_required', ': approve it'],
  ['unattributed_memo', ': name its owner'],
  ['memo_required', ': name its owner'],
  ['dust', ': change the minimum amount in the policy'],
  ['before_start', ': change the start of crediting in the policy'],
  ['halted', ': resume crediting'],
];

test.for(HELD)('a release of one that is held for %s says what to do%s', ([held, next]) => {
  const deposit: Deposit = { ...DUE, state: 'held', reason: held };
  expect(words(handleDepositDecision(deposit, RELEASE, { actor: 'ann', now: NOW }))).toBe(
    `conflict: no person holds it: it is held for ${held}, and a release does not change that${next}`,
  );
});

const ACKNOWLEDGED: [
  credit: Deposit['credit'],
  acknowledgedAs: string | null,
  reference: string,
  is: string,
][] = [
  [CREDIT, null, 'r1', 'taken: settled'],
  [{ ...CREDIT, reference: 'r1' }, 'r1', 'r1', 'known'],
  [null, 'r1', 'r1', 'known'],
  [
    { ...CREDIT, reference: 'r1' },
    'r1',
    'r2',
    'conflict, other-reference: acknowledged already with reference "r1": another consumer may have booked it. Compare your bookings.',
  ],
  [
    null,
    null,
    'r1',
    `conflict, reversed: ${CREDIT.creditId} was reversed, or is a reversal: there is nothing to acknowledge. Go on with the feed.`,
  ],
  [
    { ...CREDIT, creditId: CreditId('crd_2') },
    null,
    'r1',
    `conflict, reversed: ${CREDIT.creditId} was reversed, or is a reversal: there is nothing to acknowledge. Go on with the feed.`,
  ],
];

test.for(ACKNOWLEDGED)('credit %o, known by %s, acknowledged as %s', (row) => {
  const [credit, acknowledgedAs, reference, is] = row;
  const decision = { kind: 'acknowledge', creditId: CREDIT.creditId, reference } as const;
  const taken = handleAcknowledgement({ ...DUE, credit }, decision, { acknowledgedAs, now: NOW });
  expect(taken.kind === 'known' ? 'known' : words(taken)).toBe(is);
});

test('a hold says who holds it and why', () => {
  const taken = handleDepositDecision({ ...DUE, ...UNVERIFIED }, HOLD, { actor: 'ann', now: NOW });
  expect(taken).toMatchObject({
    kind: 'taken',
    changes: { deposits: [{ operatorHold: 'ann: seen', updatedAt: 99 }] },
  });
});

describe('a break', () => {
  const breakId = BreakId('brk_1');
  const BY = { actor: 'ann', at: 9 };
  const known = (): Break =>
    opened(finding('conservation', { key: 'k', detail: 'odd' }), breakId, 1).after;

  const STEPS: [decision: BreakDecision, after: Partial<Break>, says: string][] = [
    [{ kind: 'investigate', breakId, reason }, { state: 'investigating' }, 'investigating: seen'],
    [
      { kind: 'resolve', breakId, reason },
      { state: 'resolved', resolvedBy: 'ann', resolution: 'seen' },
      'resolved: seen',
    ],
    [{ kind: 'note', breakId, note: 'mail' }, { state: 'open' }, 'noted: mail'],
    [
      { kind: 'assign', breakId, assignee: 'bob', reason },
      { assignee: 'bob' },
      'assigned: nobody → bob: seen',
    ],
  ];

  test.for(STEPS)('that is open takes %o', ([decision, after, says]) => {
    const step = handleBreakDecision(known(), decision, BY);
    expect(step).toMatchObject({
      kind: 'taken',
      after: { ...after, updatedAt: 9 },
      event: { breakId, at: 9, actor: 'ann' },
    });
    const said = step.kind === 'taken' ? `${step.event.action}: ${step.event.reason}` : 'refused';
    expect(said).toBe(says);
  });

  test('that is resolved takes notes, and refuses everything else in words', () => {
    const { after } = resolved(known(), { actor: 'bob', reason: 'a gift', at: 5 });
    const note = handleBreakDecision(after, { kind: 'note', breakId, note: 'late' }, BY);
    expect(note).toMatchObject({ kind: 'taken', after: { state: 'resolved' } });
    expect(handleBreakDecision(after, { kind: 'investigate', breakId, reason }, BY)).toEqual({
      kind: 'refused',
      refusal: { kind: 'conflict', detail: 'resolved already by bob: a gift' },
    });
  });
});
