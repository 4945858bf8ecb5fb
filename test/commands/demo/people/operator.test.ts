import { expect, test } from 'vitest';
import { Operator } from '../../../../src/commands/demo/people/operator.ts';
import { verifyWith } from '../../../store/evidence.ts';
import { servedProductApi } from '../product-api-server.ts';

test('the operator attributes deposits that name no customer, and their break heals', async () => {
  const { store, service, api } = await servedProductApi();
  const unattributed = { blockchainHash: '0xc1', memo: '88', transactionId: 'dep-tx-memo' };
  await store.open.deliver(service.confirmed(6, unattributed));
  expect(store.open.openBreak('unattributed_memo').state).toBe('open');
  const operator = new Operator(api);
  expect(await operator.attributeHeld()).toBe(1);
  expect(store.open.breaks().map(({ type, state }) => [type, state])).toEqual([
    ['unattributed_memo', 'resolved'],
  ]);
  expect(await operator.attributeHeld()).toBe(0);
});

test('the operator resolves the break of a credit only after the feed has reversed it', async () => {
  const { store, service, api } = await servedProductApi();
  await verifyWith(store.open);
  await store.open.deliver(service.incoming('rollback'));
  const operator = new Operator(api);
  expect(await operator.resolveReversed()).toBe(0);
  await verifyWith(store.open, { status: 'rolledback' });
  expect(await operator.resolveReversed()).toBe(1);
  expect(await operator.resolveReversed()).toBe(0);
});
