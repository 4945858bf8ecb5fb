import { expect, test } from 'vitest';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import { DepositId } from '../../../src/domain/ids.ts';
import { OpenLedger } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

/** Holds a deposit. The basis has a form that only another version of the program writes. */
async function heldBy(options: { replays: boolean }): Promise<unknown> {
  const open = new OpenLedger(undefined, { ...options, sharing: null });
  await open.deliver(new Service().confirmed(3));
  const depositId = DepositId(open.depositId());
  const hold: Decision = { kind: 'hold', depositId, reason: 'x', basis: '["another form"]' };
  return open.decide(hold);
}

test('a stale basis refuses a decision, but a replay takes a journalled decision again', async () => {
  expect(await heldBy({ replays: false })).toMatchObject({ kind: 'not_taken' });
  expect(await heldBy({ replays: true })).toMatchObject({ kind: 'taken' });
});
