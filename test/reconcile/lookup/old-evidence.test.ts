import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import type { DepositId } from '../../../src/domain/ids.ts';
import { THREE_DEEP, type Stage } from '../stage.ts';
import { hides } from '../shown-otherwise.ts';
import { startVerifying } from '../verifying/verifying-stage.ts';

const MINUTE = 60_000;
const DAYS = 3 * 86_400_000;

/** A run each minute. */
async function runs(stage: Stage, sweep: Stage['sweep'], minutes: number): Promise<void> {
  for (let run = 0; run < minutes; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(MINUTE);
  }
}

/** A person decides now. */
async function decide(stage: Stage, decision: Decision): Promise<void> {
  await stage.open.commit([{ kind: 'decision', at: stage.now, actor: 'ann', decision }]);
}

/** Deposits that were verified while a person held them, and days passed since. */
async function heldForDays(...amounts: readonly number[]) {
  const parts = await startVerifying();
  const { stage, sweep } = parts;
  const depositAddress = await stage.depositAddress();
  const held: { hash: string; depositId: DepositId }[] = [];
  for (const amount of amounts) {
    const hash = await stage.paid(depositAddress, amount, 2);
    const [deposit] = await stage.deposits(hash);
    if (deposit === undefined) throw new Error('no deposit');
    const { depositId } = deposit;
    await stage.open.decide({ kind: 'hold', depositId, reason: 'customer under review' });
    held.push({ hash, depositId });
  }
  await stage.mine(1);
  await runs(stage, sweep, 2);
  await stage.caller.advance(DAYS);
  const release = async (): Promise<void> => {
    for (const { depositId } of held) {
      await decide(stage, { kind: 'release', depositId, reason: 'reviewed' });
    }
  };
  const hidden = hides(stage, (row) => row.blockchainHash === held[0]?.hash);
  return { ...parts, held, hidden, release };
}

test('a deposit that was held for days is looked up before the credit that its release allows', async () => {
  const { stage, rounds, hidden, release } = await heldForDays(700);
  Object.assign(hidden, { isOn: true, onlyInLists: true });
  stage.attempts.length = 0;
  await release();
  expect(stage.open.feedLines()).toEqual([]);
  await rounds(5_000);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(stage.attempts.map(({ operation }) => operation)).toEqual(['transactions', 'transaction']);
});

test('a release credits no deposit whose transaction has vanished since it was verified', async () => {
  const { stage, sweep, rounds, held, hidden, release } = await heldForDays(700, 800);
  hidden.isOn = true;
  await release();
  await rounds(5_000);
  expect(stage.open.feedLines()).toEqual(['credit 800']);
  await runs(stage, sweep, 5);
  expect(stage.open.feedLines()).toEqual(['credit 800']);
  expect(stage.open.openBreaks()).toEqual(['unknown_to_custody']);
  expect(await stage.depositState(held[0]?.hash ?? '')).toBe('verifying');
});

test('a transaction at which the API fails keeps its deposit waiting, and no other one', async () => {
  const { stage, sweep, rounds, held, hidden, release } = await heldForDays(700, 800, 900);
  Object.assign(hidden, { isOn: true, onlyInLists: true });
  const [first] = await stage.deposits(held[0]?.hash);
  const one = stage.client.transaction.bind(stage.client);
  let fails = true;
  stage.client.transaction = async (id, ...asked) =>
    fails && id === first?.transactionId
      ? { kind: 'unavailable', cause: { kind: 'server-error', status: 500 } }
      : one(id, ...asked);
  await release();
  await rounds(60_000);
  await runs(stage, sweep, 30);
  expect(stage.open.feedLines().toSorted()).toEqual(['credit 800', 'credit 900']);
  expect(stage.open.openBreaks()).toEqual([]);
  fails = false;
  await runs(stage, sweep, 60);
  expect(stage.open.feedLines().at(-1)).toBe('credit 700');
});

test.for([
  ['days after its verification waits for a look-up', DAYS, []],
  ['within an hour of its verification credits at once', 50 * MINUTE, ['credit 700']],
] as const)('an approval %s', async ([, waitMs, atOnce]) => {
  const rule = { confirmations: 3, oneApprovalAbove: Amount(500n) };
  const { stage, sweep } = await startVerifying({ policy: { ...THREE_DEEP, default: rule } });
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await runs(stage, sweep, 1);
  await stage.caller.advance(waitMs);
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  const { depositId } = deposit;
  await decide(stage, { kind: 'approve', depositId, reason: 'known customer' });
  expect(stage.open.feedLines()).toEqual(atOnce);
  await runs(stage, sweep, 2);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

/** 30 deposits that a halt held for days; the halt has just ended. */
async function afterLongHalt() {
  const parts = await startVerifying();
  const { stage, sweep } = parts;
  const reason = 'the node is behind';
  await decide(stage, { kind: 'halt', scope: { kind: 'everything' }, reason });
  const depositAddress = await stage.depositAddress();
  for (let amount = 501; amount <= 530; amount += 1) await stage.pay(depositAddress, amount);
  await stage.mine(3);
  await runs(stage, sweep, 3);
  await stage.caller.advance(DAYS);
  stage.attempts.length = 0;
  await decide(stage, { kind: 'resume', scope: { kind: 'everything' }, reason: 'caught up' });
  expect(stage.open.feedLines()).toEqual([]);
  return parts;
}

test('many deposits that a halt held for days are credited from one reading of the list', async () => {
  const { stage, sweep } = await afterLongHalt();
  await runs(stage, sweep, 1);
  expect(stage.open.feedLines()).toHaveLength(30);
  expect(stage.attempts.map(({ operation }) => operation)).toEqual(['transactions']);
});

test('a reading for them that the request budget does not allow now is left to the next run', async () => {
  const { stage, sweep } = await afterLongHalt();
  const list = stage.client.transactions.bind(stage.client);
  const asked = { priority: 'deposits', deadlineMs: stage.now + 1_000 } as const;
  const isAllowed = async () => (await list({ page: 0, pageSize: 1 }, asked)).kind === 'ok';
  while (await isAllowed());
  stage.client.transactions = async (query, options) => {
    const answer = await list(query, options);
    // The changes since the last run do not reach them.
    if (answer.kind !== 'ok' || options?.priority !== 'sweep') return answer;
    return { ...answer, value: { ...answer.value, rows: [], total: 0 } };
  };
  await runs(stage, sweep, 1);
  expect(stage.open.feedLines()).toEqual([]);
  await runs(stage, sweep, 1);
  expect(stage.open.feedLines()).toHaveLength(30);
});

test('a held deposit that an earlier version verified is looked up once more, and its match gets old', async () => {
  const { stage, sweep } = await startVerifying();
  const hash = await stage.paid(await stage.depositAddress(), 700, 2);
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  const { depositId } = deposit;
  await decide(stage, { kind: 'hold', depositId, reason: 'customer under review' });
  await stage.mine(1);
  const earlier = stage.newSweep({
    submit: (facts) =>
      stage.open.commit(
        facts.map((fact) => {
          if (fact.kind !== 'custody-record' || fact.record.kind !== 'deposit') return fact;
          const { expires: _, ...record } = fact.record;
          return { ...fact, record };
        }),
      ),
  });
  await runs(stage, earlier, 1);
  expect(await stage.deposits(hash)).toMatchObject([{ matchedAt: null, custodyConfirmations: 3 }]);
  await runs(stage, sweep, 2);
  expect(await stage.deposits(hash)).toMatchObject([{ custodyConfirmations: 3 }]);
  await stage.caller.advance(DAYS);
  await decide(stage, { kind: 'release', depositId, reason: 'reviewed' });
  expect(stage.open.feedLines()).toEqual([]);
});

test('a held deposit whose verification ended is verified again while it is held', async () => {
  const { stage, sweep, held, hidden } = await heldForDays(700);
  hidden.isOn = true;
  const [first] = held;
  if (first === undefined) throw new Error('no deposit');
  const { hash, depositId } = first;
  await stage.open.commit([
    {
      kind: 'custody-record',
      at: stage.now,
      record: { kind: 'deposit', depositId, transaction: null, graceMs: 0, corrects: true },
    },
  ]);
  expect(await stage.deposits(hash)).toMatchObject([{ state: 'held', verifiedAt: null }]);
  hidden.onlyInLists = true;
  await runs(stage, sweep, 3);
  expect(await stage.deposits(hash)).toMatchObject([
    { state: 'held', verifiedAt: expect.any(Number) as number },
  ]);
  expect(stage.open.openBreaks()).toEqual([]);
});
