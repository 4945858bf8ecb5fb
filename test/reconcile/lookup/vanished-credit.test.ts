import { expect, test } from 'vitest';
import { GRACE_MS, type Stage } from '../stage.ts';
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
