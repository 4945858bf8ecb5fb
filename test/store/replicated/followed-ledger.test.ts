import { expect, test } from 'vitest';
import { inMemory } from './followed-ledger.ts';
import { openLedger, SIX_DEEP } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

test('a store that two receivers share has an equal follower after each commit', async () => {
  const open = await openLedger(SIX_DEEP, { sharing: inMemory() });
  await open.deliver(new Service().confirmed(6));
  expect(open.replicas).toHaveLength(2);
  expect(open.follower?.ledger.head).toEqual(open.ledger.head);
});

test('a follower that differs fails the test that closes its store', async () => {
  const open = await openLedger(SIX_DEEP, { sharing: inMemory() });
  await open.deliver(new Service().confirmed(6));
  open.follower?.db.exec("UPDATE deposits SET state = 'settled'");
  expect(() => open.close()).toThrow('the follower differs: deposits');
});
