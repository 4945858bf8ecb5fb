import { expect, onTestFinished, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import type { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { verifyWith } from '../evidence.ts';
import { openLedgerFile, SIX_DEEP } from '../open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../webhook.ts';
import { openStore } from './open-store.ts';

const FIRST_PAGE = { page: 0, pageSize: 100 };

test('deposits are listed newest first, in pages and filtered', async () => {
  const { open, reads, service } = await openStore();
  for (const hash of ['0x1', '0x2', '0x3', '0x4', '0x5']) {
    await open.deliver(service.confirmed(hash === '0x2' ? 6 : 1, { blockchainHash: hash }));
  }
  // A later change of an old deposit does not move it to the front.
  await open.deliver(service.confirmed(3, { blockchainHash: '0x1' }));
  const hashes = async (...query: Parameters<SqliteReads['deposits']>) => {
    const { items, total } = await reads.deposits(...query);
    return [items.map(({ blockchainHash }) => blockchainHash as string), total];
  };
  expect(await hashes({}, { page: 0, pageSize: 2 })).toEqual([['0x5', '0x4'], 5]);
  expect(await hashes({}, { page: 2, pageSize: 2 })).toEqual([['0x1'], 5]);
  expect(await hashes({}, { page: 9, pageSize: 2 })).toEqual([[], 5]);
  expect(await hashes({ state: 'verifying' }, FIRST_PAGE)).toEqual([['0x2'], 1]);
  expect(await hashes({ state: 'settled' }, FIRST_PAGE)).toEqual([[], 0]);
  expect(await hashes({ blockchainHash: '0x3', vaultId: 'v1' }, FIRST_PAGE)).toEqual([['0x3'], 1]);
  expect(await hashes({ blockchainHash: '0x3', vaultId: 'v2' }, FIRST_PAGE)).toEqual([[], 0]);
});

test('the feed is read after a cursor, and one item by its id', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  await open.deliver(service.incoming('rollback'));
  await verifyWith(open, { status: 'rolledback' });
  const feed = await reads.credits(0, 10);
  expect(
    feed.map(({ feedSeq, item }) => [feedSeq, item.kind, item.amount, item.deposit.state]),
  ).toEqual([
    [1, 'credit', 100n, 'credited'],
    [2, 'reversal', 100n, 'reversed'],
  ]);
  const [credit, reversal] = feed;
  expect(reversal?.item.reverses).toBe(credit?.item.creditId);
  expect(await reads.credits(1, 10)).toEqual([reversal]);
  expect(await reads.credits(0, 1)).toEqual([credit]);
  expect(await reads.credits(2, 10)).toEqual([]);
  expect(await reads.credit(credit?.item.creditId ?? '')).toEqual(credit);
  expect(await reads.credit('crd_none')).toBeUndefined();
  expect((await reads.counts()).credits).toEqual({
    credits: 1,
    reversals: 1,
    oldestUnacknowledgedAt: null,
  });
});

test('a movement shows both sides and their entries, with reversals named', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(
    service.confirmed(1),
    service.chain('transaction'),
    service.incoming('rollback'),
    service.confirmed(1, { blockchainHash: '0xb2' }),
  );
  const [statement, second] = await reads.movements('0xa1');
  expect(second).toBeUndefined();
  expect(statement?.movement).toMatchObject({ books: 0n, chain: 100n });
  expect(statement?.agreement).toBe('differs');
  const [incoming, chain, reversal] = statement?.entries ?? [];
  expect([incoming?.cause, chain?.cause, reversal?.cause]).toEqual([
    'incoming',
    'chain',
    'incoming',
  ]);
  expect(reversal?.reverses).toBe(incoming?.entryId);
  expect(reversal?.lines.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['position', -100n],
    ['world', 100n],
  ]);
  expect(await reads.movements('0xdead')).toEqual([]);
});

test('each movement shows only its asset’s lines of an entry with two assets', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(
    service.outgoing('mined', {
      balanceChanges: [
        change('-5', { ...AT_ADDRESS, asset: 'ethereum:USDC' }),
        change('-1', { ...AT_ADDRESS, tags: ['fee'] }),
      ],
    }),
  );
  const statements = await reads.movements('0xa1');
  expect(
    statements.map(({ movement, entries }) => [
      movement.asset,
      movement.books,
      entries.flatMap((entry) => entry.lines.map(({ kind, amount }) => `${kind} ${amount}`)),
    ]),
  ).toEqual([
    ['ethereum:ETH', -1n, ['position -1', 'network-fees 1']],
    ['ethereum:USDC', -5n, ['position -5', 'world 5']],
  ]);
});

test('counts are separate for deliveries, deposits, feed items and breaks', async () => {
  const { open, reads, service } = await openStore();
  expect(await reads.counts()).toEqual({
    notifications: { accepted: 0, duplicates: 0, quarantined: 0, refused: 0 },
    deposits: {},
    held: [],
    credits: { credits: 0, reversals: 0, oldestUnacknowledgedAt: null },
    uncomparedMovements: 0,
    breaks: { open: 0, resolved: 0, byType: [] },
    journalHead: 1,
  });
  const first = service.confirmed(6);
  await open.deliver(first);
  await verifyWith(open);
  const creditedAt = open.at;
  await open.deliver(
    first,
    service.incoming('rollback'),
    service.incoming('mempool', { blockchainHash: '0xb2' }),
    { id: 'strange', stream: 'weather', type: 'rain' },
    'not json',
  );
  await open.decide({ kind: 'resolve', breakId: open.openBreak('malformed').id, reason: 'noise' });
  await open.decide({
    kind: 'investigate',
    breakId: open.openBreak('quarantined').id,
    reason: 'looking',
  });
  const { journalHead: _, ...counts } = await reads.counts();
  expect(counts).toEqual({
    notifications: { accepted: 3, duplicates: 1, quarantined: 1, refused: 1 },
    deposits: { credited: 1, detected: 1 },
    held: [],
    credits: { credits: 1, reversals: 0, oldestUnacknowledgedAt: creditedAt },
    uncomparedMovements: 0,
    breaks: {
      open: 2,
      resolved: 1,
      byType: [
        {
          type: 'quarantined',
          severity: 'warning',
          open: 1,
          oldestAt: open.openBreak('quarantined').opened_at,
        },
        {
          type: 'reversal_after_credit',
          severity: 'critical',
          open: 1,
          oldestAt: open.openBreak('reversal_after_credit').opened_at,
        },
      ],
    },
  });
});

test('a break is read with its history, and listed by state and type', async () => {
  const { open, reads } = await openStore();
  await open.deliver('not json', { id: 'strange', stream: 'weather' });
  const { id } = open.openBreak('malformed');
  await open.decide({ kind: 'investigate', breakId: id, reason: 'looking' }, 'olga');
  await open.decide({ kind: 'resolve', breakId: id, reason: 'a probe' }, 'otto');
  const read = await reads.break(id);
  expect(read?.found).toMatchObject({ state: 'resolved', resolvedBy: 'otto' });
  expect(read?.history.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    'reconciler opened',
    'olga investigating',
    'otto resolved',
  ]);
  expect(await reads.break('brk_none')).toBeUndefined();
  const types = async (query: Parameters<SqliteReads['breaks']>[0]) =>
    (await reads.breaks(query, FIRST_PAGE)).items.map(({ type }) => type);
  expect(await types({})).toEqual(['quarantined', 'malformed']);
  expect(await types({ state: 'open' })).toEqual(['quarantined']);
  expect(await types({ state: 'resolved' })).toEqual(['malformed']);
  expect(await types({ state: 'investigating' })).toEqual([]);
  expect(await types({ type: 'malformed' })).toEqual(['malformed']);
  expect(await types({ breakIds: [id, 'brk_none'] })).toEqual(['malformed']);
  expect(await types({ breakIds: [] })).toEqual([]);
});

test('notifications are found by id, hash and status, and quarantined bodies have their own list', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(service.confirmed(1), service.confirmed(1), { id: 'strange', stream: 'x' });
  const found = async (query: Parameters<SqliteReads['notifications']>[0]) =>
    (await reads.notifications(query, FIRST_PAGE)).items.map(({ id, status }) => `${id} ${status}`);
  expect(await found({})).toEqual(['strange quarantined', 'ntf-2 duplicate', 'ntf-1 accepted']);
  expect(await found({ id: 'ntf-2' })).toEqual(['ntf-2 duplicate']);
  expect(await found({ status: 'accepted' })).toEqual(['ntf-1 accepted']);
  expect(await found({ blockchainHash: '0xa1', vaultId: 'v1' })).toHaveLength(2);
  const kept = await reads.quarantine(FIRST_PAGE);
  expect(kept.items.map(({ notificationId, state }) => [notificationId, state])).toEqual([
    ['strange', 'kept'],
  ]);
  const [first] = kept.items;
  expect(await reads.quarantined(first?.quarantineId ?? '')).toEqual(first);
  expect(await reads.quarantined('qtn_none')).toBeUndefined();
});

test('notifications of a vault are listed newest first, whatever other vaults have between them', async () => {
  const { open, reads } = await openStore();
  const service = new Service();
  await open.deliver(service.confirmed(1, { id: 'a' }), service.confirmed(2, { id: 'b' }));
  await open.deliver(service.confirmed(3, { id: 'other', vaultId: 'v2' }));
  await open.deliver(service.confirmed(1, { id: 'again' }), service.confirmed(3, { id: 'c' }));
  await open.deliver(service.confirmed(4, { id: 'd' }));
  const found = async (query: Parameters<SqliteReads['notifications']>[0], page = FIRST_PAGE) => {
    const { items } = await reads.notifications({ vaultId: 'v1', ...query }, page);
    return items.map(({ id }) => id);
  };
  expect(await found({})).toEqual(['d', 'c', 'again', 'b', 'a']);
  expect(await found({}, { page: 0, pageSize: 2 })).toEqual(['d', 'c']);
  expect(await found({}, { page: 1, pageSize: 3 })).toEqual(['b', 'a']);
  expect(await found({}, { page: 2, pageSize: 3 })).toEqual([]);
  expect(await found({ status: 'accepted' })).toEqual(['d', 'c', 'b', 'a']);
  expect(await found({ status: 'accepted' }, { page: 1, pageSize: 2 })).toEqual(['b', 'a']);
  expect(await found({ status: 'duplicate' })).toEqual(['again']);
  expect(await found({ vaultId: 'v2' })).toEqual(['other']);
  expect(await found({ vaultId: 'v3' })).toEqual([]);
});

test('withdrawals are listed newest first and filtered', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(
    service.outgoing('mined'),
    service.outgoing('submitted', { transactionId: 'wd-2', blockchainHash: '0xb2' }),
  );
  const found = async (query: Parameters<SqliteReads['withdrawals']>[0]) =>
    (await reads.withdrawals(query, FIRST_PAGE)).items.map(({ transactionId }) => transactionId);
  expect(await found({})).toEqual(['wd-2', 'wd-tx']);
  expect(await found({ status: 'mined' })).toEqual(['wd-tx']);
  expect(await found({ blockchainHash: '0xb2' })).toEqual(['wd-2']);
  expect(await found({ vaultId: 'v9' })).toEqual([]);
});

test('the last policy is in force, and the last configured policy stays readable', async () => {
  const { open, reads } = await openStore();
  const policy: CreditingPolicy = {
    default: { confirmations: 2, minimumAmount: Amount(10n ** 20n) },
    networks: {},
    assets: {},
  };
  const replaces = (await reads.policy())?.seq ?? 0;
  const reason = 'a larger bank';
  await open.decide({ kind: 'policy', source: 'api', policy, replaces, reason }, 'ada');
  expect(await reads.policy()).toMatchObject({ source: 'api', actor: 'ada', policy });
  expect(await reads.configuredPolicy()).toEqual(SIX_DEEP);
});

test('a reader’s connection refuses to write', async () => {
  const { path } = await openLedgerFile();
  const db = openForReading(path);
  onTestFinished(() => void db.close());
  expect(() => db.exec('DELETE FROM deposits')).toThrow(/readonly|query_only/);
});
