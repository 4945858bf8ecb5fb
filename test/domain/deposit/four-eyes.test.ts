import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { handleDepositDecision } from '../../../src/domain/deposit/person-decisions.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import type { RuleContext } from '../../../src/domain/hash/hash-state.ts';
import { IdMint } from '../../../src/domain/ids.ts';
import { evaluate } from '../../../src/domain/deposit/evaluation.ts';
import { DUE } from '../records.ts';

const PEOPLE = ['ann', 'bob', 'cyd'] as const;
const ACTS = ['approves', 'attributes'] as const;
const LENGTH_MAX = 5;

type Person = (typeof PEOPLE)[number];

interface Step {
  readonly person: Person;
  readonly act: (typeof ACTS)[number];
}

const STEPS: readonly Step[] = PEOPLE.flatMap((person) => ACTS.map((act) => ({ person, act })));

/** Every order of at most `LENGTH_MAX` steps. */
function* orders(length = LENGTH_MAX): Generator<readonly Step[]> {
  yield [];
  if (length === 0) return;
  for (const rest of orders(length - 1)) for (const step of STEPS) yield [...rest, step];
}

function ruleContext(needed: 1 | 2): RuleContext {
  const above = Amount(99n);
  return {
    at: 99,
    source: 'decision',
    mint: new IdMint(7, (text) => `<${text}>`),
    policy: {
      default:
        needed === 1
          ? { confirmations: 6, oneApprovalAbove: above }
          : { confirmations: 6, twoApprovalsAbove: above },
      networks: {},
      assets: {},
    },
    pinnedDecimals: () => undefined,
  };
}

/** Arrived with a memo that is not registered; nobody knows whose it is. */
const OWNERLESS: Deposit = {
  ...DUE,
  unattributed: true,
  state: 'held',
  reason: 'unattributed_memo',
};

/** A deposit with the steps that were taken, in order; refused ones change nothing. */
interface Story {
  readonly deposit: Deposit;
  readonly taken: readonly Step[];
}

function storyOf(start: Deposit, steps: readonly Step[], now: RuleContext): Story {
  let story: Story = { deposit: start, taken: [] };
  for (const step of steps) story = extended(story, step, now);
  return story;
}

function extended({ deposit, taken }: Story, { person, act }: Step, now: RuleContext): Story {
  const about = { depositId: deposit.depositId, reason: 'seen' };
  const attributedTo = `customer ${taken.length}`;
  const decided = handleDepositDecision(
    deposit,
    act === 'approves'
      ? { kind: 'approve', ...about }
      : { kind: 'attribute', attributedTo, endsApprovals: true, ...about },
    { actor: person, now },
  );
  const after = decided.kind === 'taken' ? decided.changes.deposits[0] : undefined;
  return after === undefined
    ? { deposit, taken }
    : { deposit: after, taken: [...taken, { person, act }] };
}

/** Who attributed last, and who approved after that, in order. */
function since(taken: readonly Step[]): { attributed: Person | undefined; approved: Person[] } {
  const attributedAt = taken.findLastIndex(({ act }) => act === 'attributes');
  return {
    attributed: taken[attributedAt]?.person,
    approved: taken.slice(attributedAt + 1).map(({ person }) => person),
  };
}

/** Says what is wrong with a credit, or nothing. */
function objection(taken: readonly Step[], needed: number): string | null {
  const { attributed, approved } = since(taken);
  if (attributed === undefined) return 'nobody attributed it';
  if (new Set(approved).size < needed) return 'too few people approved its attribution';
  if (approved.at(-1) === attributed) return 'the last approval is by whoever attributed it';
  return null;
}

const NEEDED = [1, 2] as const;

test.for(NEEDED)(
  'with %i approvals needed, no order credits an owner whom one person both named and approved last',
  (needed) => {
    const wrong: string[] = [];
    let credits = 0;
    for (const steps of orders()) {
      const now = ruleContext(needed);
      const early = storyOf(OWNERLESS, steps, now);
      // The same, where the custody API agrees only after everybody has decided.
      const decided = storyOf({ ...OWNERLESS, verifiedAt: null }, steps, now);
      const late = {
        ...decided,
        deposit: evaluate({ ...decided.deposit, verifiedAt: 5 }, now).deposit,
      };
      for (const { deposit, taken } of [early, late]) {
        if (deposit.credit === null) continue;
        credits += 1;
        const why = objection(taken, needed);
        if (why !== null) {
          wrong.push(`${why}: ${taken.map(({ person, act }) => `${person} ${act}`).join(', ')}`);
        }
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(credits).toBeGreaterThan(0);
  },
);

test.for(NEEDED)(
  'with %i approvals needed, two people can credit a deposit after any order of steps',
  (needed) => {
    for (const steps of orders()) {
      const now = ruleContext(needed);
      const story = storyOf(OWNERLESS, steps, now);
      const ending = [
        { person: 'bob', act: 'attributes' },
        // His own approval counts where another follows.
        { person: 'bob', act: 'approves' },
        { person: 'ann', act: 'approves' },
      ] as const;
      const { deposit } = ending.reduce((before, step) => extended(before, step, now), story);
      expect(deposit.state).toBe('credited');
    }
  },
);

const LIFE: [why: string, needed: 1 | 2, steps: string, is: string][] = [
  ['approvals of nobody’s deposit are gone', 2, 'ann bob ANN', 'held: approval_required'],
  ['one person alone cannot', 1, 'ANN ann', 'held: approval_required'],
  ['another person can', 1, 'ANN bob', 'credited'],
  ['first of two by the one who attributed', 2, 'ANN ann bob', 'credited'],
  ['last of two by the one who attributed', 2, 'ANN bob ann', 'held: approval_required'],
  ['last of two by a third person', 2, 'ANN bob ann cyd', 'credited'],
  ['a correction starts over', 2, 'ANN bob CYD ann', 'held: approval_required'],
  ['a correction, approved twice', 2, 'ANN bob CYD ann bob', 'credited'],
  ['whoever corrects cannot end it', 1, 'ANN BOB bob', 'held: approval_required'],
  ['whoever was corrected can', 1, 'ANN BOB ann', 'credited'],
];

/** `ANN` attributes, `ann` approves. */
function stepsOf(text: string): Step[] {
  return text.split(' ').map((word) => ({
    person: word.toLowerCase() as Person,
    act: word === word.toLowerCase() ? 'approves' : 'attributes',
  }));
}

test.for(LIFE)('%s (%i needed): %s', ([, needed, steps, is]) => {
  const { deposit } = storyOf(OWNERLESS, stepsOf(steps), ruleContext(needed));
  expect(deposit.reason === null ? deposit.state : `${deposit.state}: ${deposit.reason}`).toBe(is);
});

test('the person who attributed a deposit cannot give its last approval', () => {
  const now = ruleContext(1);
  const attributed = storyOf(OWNERLESS, stepsOf('ANN'), now).deposit;
  const { depositId } = attributed;
  const approves = (actor: Person) =>
    handleDepositDecision(
      attributed,
      { kind: 'approve', depositId, reason: 'seen' },
      { actor, now },
    );
  expect(approves('ann')).toEqual({
    kind: 'refused',
    refusal: {
      kind: 'conflict',
      detail: 'the last approval needs another person: ann named its owner',
    },
  });
  expect(approves('bob').kind).toBe('taken');
});

test('a lower policy does not make the first approval, by the person who attributed the deposit, the last', () => {
  const { deposit } = storyOf(OWNERLESS, stepsOf('ANN ann'), ruleContext(2));
  expect(evaluate(deposit, ruleContext(1)).deposit.state).toBe('held');
  const { deposit: after } = storyOf(deposit, stepsOf('bob'), ruleContext(1));
  expect(after.state).toBe('credited');
});

test('an attribution of an earlier version is replayed as it was taken', () => {
  const now = ruleContext(1);
  const approved = storyOf(OWNERLESS, stepsOf('ann'), now).deposit;
  const { depositId } = approved;
  const taken = handleDepositDecision(
    approved,
    { kind: 'attribute', depositId, attributedTo: 'c7', reason: 'mail', endsApprovals: false },
    { actor: 'ann', now },
  );
  expect(taken).toMatchObject({
    kind: 'taken',
    changes: { deposits: [{ state: 'credited', attributedTo: 'c7', attributedBy: null }] },
  });
});
