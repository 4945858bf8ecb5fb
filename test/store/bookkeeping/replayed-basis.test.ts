import { expect, test } from 'vitest';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import { DepositId } from '../../../src/domain/ids.ts';
import { OpenLedger } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

/** A deposit, and a hold of it by a basis of another form, as another version may have written it. */
async function heldBy(options: { replays: boolean }): Promise<unknown> {
  const open = new OpenLedger(undefined, { ...options, sharing: null });
  await open.deliver(new Service().confirmed(3));
  const depositId = DepositId(open.depositId());
  const hold: Decision = { kind: 'hold', depositId, reason: 'x', basis: '["another form"]' };
  return open.decide(hold);
}

test('a decision by a stale basis is not taken, but a journalled one has its effect again', async () => {
  expect(await heldBy({ replays: false })).toMatchObject({ kind: 'not_taken' });
  expect(await heldBy({ replays: true })).toMatchObject({ kind: 'taken' });
});
