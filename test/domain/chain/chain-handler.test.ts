import { expect, test } from 'vitest';
import { openLedger } from '../../store/open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../../store/webhook.ts';

const AT = 'v1/acc-1/adr-1 ethereum:ETH';

test('a confirmed transaction moves the chain view by address, and never the books', async () => {
  const open = await openLedger();
  await open.deliver(new Service().chain('transaction'));
  expect(open.balances('chain')).toEqual({ [AT]: '100', 'world:v1 ethereum:ETH': '-100' });
  expect(open.balances('books')).toEqual({});
});

test('mempool and confirmation counts inform only', async () => {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.chain('mempool'), service.chain('confirmation'));
  expect(open.balances('chain')).toEqual({});
});

test('a chain event counts once, also when it is repeated or comes back with a count', async () => {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.chain('transaction'), service.chain('transaction'));
  await open.deliver(service.chain('transaction', { confirmations: 3 }));
  expect(open.positions('chain')).toEqual({ [AT]: '100' });
});

test('a rollback takes it back, a second one is a repeat, and mined again it counts again', async () => {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.chain('transaction'), service.chain('rollback'));
  expect(await open.deliver(service.chain('rollback'))).toEqual(['duplicate']);
  expect(open.balances('chain')).toEqual({});
  expect(await open.deliver(service.chain('transaction'))).toEqual(['accepted']);
  expect(open.positions('chain')).toEqual({ [AT]: '100' });
});

test('reported with other changes under another count: the newest counts, and a break says so', async () => {
  const open = await openLedger();
  const service = new Service();
  const other = { confirmations: 3, balanceChanges: [change('90', AT_ADDRESS)] };
  await open.deliver(service.chain('transaction'), service.chain('transaction', other));
  expect(open.positions('chain')).toEqual({ [AT]: '90' });
  expect(open.openBreaks()).toEqual(['amount_changed']);
});

test('a repeat under another id with other amounts has no effect, and a break says so', async () => {
  const open = await openLedger();
  const service = new Service();
  const other = { balanceChanges: [change('90', AT_ADDRESS)] };
  const statuses = await open.deliver(
    service.chain('transaction'),
    service.chain('transaction', other),
  );
  expect(statuses).toEqual(['accepted', 'duplicate']);
  expect(open.positions('chain')).toEqual({ [AT]: '100' });
  expect(open.openBreaks()).toEqual(['amount_changed']);
});

test('the order of its entries is not a difference', async () => {
  const open = await openLedger();
  const service = new Service();
  const entries = [change('100', AT_ADDRESS), change('-2', { ...AT_ADDRESS, tags: ['fee'] })];
  await open.deliver(service.chain('transaction', { balanceChanges: entries }));
  const turned = { balanceChanges: entries.toReversed(), confirmations: 3 };
  await open.deliver(service.chain('transaction', turned));
  expect(open.rows('SELECT * FROM entries')).toHaveLength(1);
  expect(open.openBreaks()).toEqual([]);
});

test('one hash seen by two vaults is rolled back for each by its own word', async () => {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.chain('transaction'), service.chain('transaction', { vaultId: 'v2' }));
  await open.deliver(service.chain('rollback', { vaultId: 'v2' }));
  expect(open.positions('chain')).toEqual({ [AT]: '100' });
});
