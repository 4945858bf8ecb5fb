import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { BlockchainHash, NetworkKey, TransactionId, VaultId } from '../../../src/domain/ids.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { verifyWith } from '../evidence.ts';
import { openLedgerFile, SIX_DEEP } from '../open-ledger.ts';
import { change, decimals, ETH } from '../webhook.ts';
import { openStore } from './open-store.ts';

test('a deposit waits for verification from its first confirmation until its credit', async () => {
  const { open, reads, service } = await openStore();
  const states = async () => (await reads.waitingDeposits()).map(({ state }) => state);
  await open.deliver(service.incoming('mempool'));
  expect(await states()).toEqual([]);
  await open.deliver(service.confirmed(6));
  expect(await states()).toEqual(['verifying']);
  await verifyWith(open);
  expect(await states()).toEqual([]);
  // Its hash left the chain after the credit: the API must confirm that before a reversal.
  await open.deliver(service.incoming('rollback'));
  expect(await states()).toEqual(['credited']);
  await verifyWith(open, { status: 'rolledback' });
  expect(await states()).toEqual([]);
});

test('unresolved breaks of a type exclude types that begin with the same text', async () => {
  const { open, reads } = await openStore();
  for (const vaultId of ['v2', 'v1', 'v3']) {
    await open.record({ kind: 'subscription', vaultId: VaultId(vaultId), drift: 'other URL' });
    const backlog = { transactionId: TransactionId('tx-1'), since: open.at };
    await open.record({ kind: 'backlog', vaultId: VaultId(vaultId), backlog });
  }
  await open.record({ kind: 'subscription', vaultId: VaultId('v3'), drift: null });
  const vaults = async (...query: Parameters<SqliteReads['openBreaksOf']>) =>
    (await reads.openBreaksOf(...query)).map(({ type, subject }) => `${type} ${subject.vaultId}`);
  expect(await vaults('subscription_drift', 10)).toEqual([
    'subscription_drift v1',
    'subscription_drift v2',
  ]);
  expect(await vaults('delivery_backlog', 2)).toEqual([
    'delivery_backlog v1',
    'delivery_backlog v2',
  ]);
  expect(await vaults('malformed', 10)).toEqual([]);
});

test('a reconciler view has the named hashes and withdrawals and all comparable breaks', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(
    service.confirmed(1, { balanceChanges: [change('100', decimals(18))] }),
    service.confirmed(1, { balanceChanges: [change('101')] }),
    service.outgoing('mined', { blockchainHash: '0xb2' }),
    { id: 'strange', stream: 'x' },
  );
  const ethereum = NetworkKey('ethereum');
  const view = await reads.reconcilerView({
    hashes: ['0xa1', '0xb2', '0xnone'].map((hash) => ({
      network: ethereum,
      blockchainHash: BlockchainHash(hash),
    })),
    transactionIds: [TransactionId('wd-tx'), TransactionId('wd-none')],
  });
  expect(
    view.hashStates.map((one) => [
      one.blockchainHash,
      one.sightings.length,
      one.deposits.length,
      one.withdrawals.length,
    ]),
  ).toEqual([
    ['0xa1', 1, 1, 0],
    ['0xb2', 1, 0, 1],
    ['0xnone', 0, 0, 0],
  ]);
  expect(view.withdrawals.map(({ status }) => status)).toEqual(['mined']);
  expect([...view.openBreaks.values()].map(({ type }) => type)).toEqual(['amount_changed']);
  expect([...view.pinnedDecimals]).toEqual([[ETH, 18]]);
  expect(view.policy).toEqual(SIX_DEEP);
});

test('the same hash on another network has its own hash state', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(service.confirmed(1), service.confirmed(1, { network: 'polygon' }));
  const view = await reads.reconcilerView({
    hashes: [{ network: NetworkKey('polygon'), blockchainHash: BlockchainHash('0xa1') }],
    transactionIds: [],
  });
  expect(view.hashStates.map(({ deposits }) => deposits.map(({ network }) => network))).toEqual([
    ['polygon'],
  ]);
});

test('runs are listed newest first, and the watermark is the newest one', async () => {
  const { open, reads } = await openStore();
  expect(await reads.custodyWatermark()).toBeNull();
  const run = {
    kind: 'run',
    graceMs: 0,
    custody: { matched: 1, broken: 0, exempt: { internal: 2 }, skipped: { in_grace: 3 } },
    requests: 4,
    repairs: { replayed: 5, pulledForward: 6, backfilled: 7 },
  } as const;
  await open.record({ ...run, startedAt: open.at, watermark: 500, incomplete: null });
  await open.record({ ...run, startedAt: open.at, watermark: null, incomplete: 'rate_budget' });
  const { items, total } = await reads.reconciliations({ page: 0, pageSize: 100 });
  expect(total).toBe(2);
  expect(items.map(({ incomplete }) => incomplete)).toEqual(['rate_budget', null]);
  expect(items[1]).toMatchObject({
    matched: 1,
    exempt: { internal: 2 },
    skipped: { in_grace: 3 },
    repairs: { replayed: 5, pulledForward: 6, backfilled: 7 },
    requests: 4,
  });
  expect(await reads.custodyWatermark()).toBe(500);
  expect(await reads.reconciliation(items[0]?.seq ?? 0)).toEqual(items[0]);
  expect(await reads.reconciliation(0)).toBeUndefined();
});

test('the address round is read from the newest run alone', async () => {
  const { open, path } = await openLedgerFile();
  const nothing = { matched: 0, broken: 0, exempt: {}, skipped: {} };
  const run = { kind: 'run', graceMs: 0, custody: nothing, requests: 0, watermark: null } as const;
  for (const offset of [1, 2, 3]) {
    const cursor = { vaultId: 'v1', offset, after: null };
    const addresses = { checked: 0, outcomes: nothing, cursor };
    await open.record({ ...run, startedAt: open.at, incomplete: null, addresses });
  }
  const statements: string[] = [];
  const db = new Sqlite(path, { readonly: true, verbose: (text) => statements.push(String(text)) });
  const reads = new SqliteReads(db);
  onTestFinished(() => reads.close());
  statements.length = 0;
  expect(await reads.rotationCursor()).toMatchObject({ offset: 3 });
  expect(statements.map((text) => db.prepare(text).all().length)).toEqual([1]);
});
