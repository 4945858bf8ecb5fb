import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { Reads } from '../../../src/store/reads.ts';
import { GRACE_MS, THREE_DEEP, type Stage } from '../stage.ts';
import { hides } from '../shown-otherwise.ts';
import { startVerifying } from '../verifying/verifying-stage.ts';

const MINUTE = 60_000;

/** Two credited deposits; the API can hide the second one. */
async function twoCredits() {
  const parts = await startVerifying();
  const { stage, rounds } = parts;
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 500, 30);
  await rounds();
  const hash = await stage.paid(depositAddress, 700, 3);
  await rounds();
  expect(stage.open.feedLines()).toEqual(['credit 500', 'credit 700']);
  const hidden = hides(stage, (row) => row.blockchainHash === hash);
  return { ...parts, hash, hidden };
}

/** A run each minute. */
async function runs(stage: Stage, sweep: Stage['sweep'], minutes: number): Promise<void> {
  for (let run = 0; run < minutes; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(MINUTE);
  }
}

test('a credited deposit that the API does not show any more is a critical break, once it has lasted, until the API shows it again', async () => {
  const { stage, sweep, hash, hidden } = await twoCredits();
  hidden.isOn = true;
  await runs(stage, sweep, GRACE_MS / MINUTE);
  expect(stage.open.openBreaks()).toEqual([]);
  await runs(stage, sweep, 20);
  const [deposit] = await stage.deposits(hash);
  expect(stage.open.openBreaks()).toEqual(['unknown_to_custody']);
  expect(stage.open.openBreak('unknown_to_custody')).toMatchObject({
    severity: 'critical',
    deposit_id: deposit?.depositId,
    detail:
      'the custody API does not know this transaction: it was credited, ask the custody service whether it is on the chain',
  });
  expect(stage.open.breaks()).toHaveLength(1);
  expect(stage.open.feedLines()).toEqual(['credit 500', 'credit 700']);
  hidden.isOn = false;
  await runs(stage, sweep, 60);
  expect(stage.open.openBreaks()).toEqual([]);
  expect(stage.open.feedLines()).toEqual(['credit 500', 'credit 700']);
});

test.for([
  ['that the API does not show any more is not credited when its hold ends', 30, []],
  ['that the API hides for a moment is credited when its hold ends', 2, ['credit 700']],
] as const)('a verified deposit %s', async ([, minutes, fed]) => {
  const { stage, sweep } = await startVerifying();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 500, 30);
  const hash = await stage.paid(depositAddress, 700, 2);
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  const decided = { depositId: deposit.depositId, reason: 'customer under review' };
  await stage.open.decide({ kind: 'hold', ...decided });
  await stage.mine(1);
  await runs(stage, sweep, 2);
  expect(await stage.depositState(hash)).toBe('held: operator_hold');
  const hidden = hides(stage, (row) => row.blockchainHash === hash);
  hidden.isOn = true;
  await runs(stage, sweep, minutes);
  hidden.isOn = minutes > GRACE_MS / MINUTE;
  await runs(stage, sweep, 2);
  await stage.open.decide({ kind: 'release', ...decided });
  await runs(stage, sweep, 2);
  expect(stage.open.feedLines()).toEqual(['credit 500', ...fed]);
});

test('an approval credits no deposit whose look-up found no transaction', async () => {
  const rule = { confirmations: 3, oneApprovalAbove: Amount(500n) };
  const { stage, sweep } = await startVerifying({ policy: { ...THREE_DEEP, default: rule } });
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 500, 30);
  const hash = await stage.paid(depositAddress, 700, 3);
  await runs(stage, sweep, 2);
  expect(await stage.depositState(hash)).toBe('held: approval_required');
  hides(stage, (row) => row.blockchainHash === hash).isOn = true;
  // The row of the last reading answers for a quarter of an hour.
  await runs(stage, sweep, 17);
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  await stage.open.decide({
    kind: 'approve',
    depositId: deposit.depositId,
    reason: 'known customer',
  });
  expect(stage.open.feedLines()).toEqual(['credit 500']);
});

test('a credited deposit that the API hides for a moment opens nothing, however often', async () => {
  const { stage, sweep, hidden } = await twoCredits();
  for (let time = 0; time < 6; time += 1) {
    hidden.isOn = true;
    await runs(stage, sweep, 4);
    hidden.isOn = false;
    await runs(stage, sweep, 4);
  }
  expect(stage.open.breaks()).toEqual([]);
});

test('a list that omits a credited deposit opens nothing while the API knows its transaction', async () => {
  const { stage, sweep, hidden } = await twoCredits();
  hidden.isOn = true;
  hidden.onlyInLists = true;
  await runs(stage, sweep, 30);
  expect(stage.open.breaks()).toEqual([]);
});

/** A sweep that does something before it reads the credited deposits, and how often it read them. */
async function withReadings(meanwhile: () => Promise<unknown> = async () => undefined) {
  const parts = await startVerifying();
  const { stage, changes } = parts;
  const readings = { count: 0 };
  const newestVerified = async (limit: number) => {
    await meanwhile();
    readings.count += 1;
    return stage.reads.newestVerified(limit);
  };
  const reads = Object.assign(Object.create(stage.reads) as Reads, { newestVerified });
  const sweep = stage.newSweep({ changes, reads });
  return { ...parts, sweep, readings };
}

test('a run without a complete list reads no credited deposits', async () => {
  const { stage, sweep, readings } = await withReadings();
  await stage.paid(await stage.depositAddress(), 500, 3);
  await stage.run(sweep);
  expect(readings.count).toBe(1);
  await stage.faults({ fault: 'error', errorCode: 'GE-1' });
  expect((await stage.run(sweep)).incomplete).toMatch(/custody API/);
  expect(readings.count).toBe(1);
});

test('a deposit that is credited while a run reads its list is not looked up', async () => {
  const meanwhile = async (): Promise<void> => {
    await stage.paid(depositAddress, 700, 3);
    await rounds();
    stage.attempts.length = 0;
  };
  const { stage, rounds, sweep } = await withReadings(() => meanwhile());
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 500, 3);
  await rounds();
  await stage.run(sweep);
  expect(stage.open.feedLines()).toEqual(['credit 500', 'credit 700']);
  expect(stage.attempts.map(({ operation }) => operation)).toEqual([]);
});
