import { expect, onTestFinished, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { BlockchainHash } from '../../../src/domain/ids.ts';
import type { DepositsFound } from '../../../src/store/answers.ts';
import type { DepositPageRequest, DepositSearch } from '../../../src/store/queries.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { fingerprintOf } from '../../../src/store/sqlite/keys/key.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { received } from '../evidence.ts';
import { openLedgerFile, START } from '../open-ledger.ts';
import { change, onChain, Service } from '../webhook.ts';

/** A store with five deposits, named by their hashes, and a search in it. */
async function searchable() {
  const { open, path } = await openLedgerFile();
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  const service = new Service();
  await open.deliver(
    service.confirmed(6, { blockchainHash: '0x1', balanceChanges: [change('99')] }),
    service.confirmed(1, { blockchainHash: '0x2', vaultId: 'v2', accountId: 'acc-2' }),
    service.incoming('mempool', { blockchainHash: '0x3', addressId: 'adr-3' }),
    service.confirmed(1, { blockchainHash: '0x4', memo: '88' }),
    service.confirmed(1, {
      blockchainHash: '0x5',
      network: 'ripple',
      balanceChanges: [change('1000', { asset: 'ripple:XRP' })],
    }),
  );
  const attributed = open.deposits().find(({ blockchain_hash: hash }) => hash === '0x4');
  await open.decide({
    kind: 'attribute',
    depositId: attributed?.deposit_id as never,
    attributedTo: 'customer 7',
    endsApprovals: true,
    reason: 'their ticket',
  });
  const find = (search: DepositSearch, page: Partial<DepositPageRequest> = {}) =>
    reads.findDeposits(search, { cursor: null, pageSize: 10, ...page });
  return { open, service, reads, find };
}

function hashes({ items }: DepositsFound): string {
  return items.map(({ blockchainHash }) => blockchainHash).join(' ');
}

const CASES: [search: DepositSearch, found: string][] = [
  [{}, '0x5 0x4 0x3 0x2 0x1'],
  [{ state: 'confirming' }, '0x5 0x4 0x2'],
  [{ state: 'verifying' }, '0x1'],
  [{ state: 'settled' }, ''],
  [{ state: 'credited' }, ''],
  [{ network: 'ripple' }, '0x5'],
  [{ asset: 'ripple:XRP' }, '0x5'],
  [{ vaultId: 'v2' }, '0x2'],
  [{ accountId: 'acc-2' }, '0x2'],
  [{ addressId: 'adr-3' }, '0x3'],
  [{ memo: '88' }, '0x4'],
  [{ attributedTo: 'customer 7' }, '0x4'],
  [{ amounts: [{ asset: 'ripple:XRP', amount: Amount(1_000n) }] }, '0x5'],
  [{ amounts: [{ asset: 'ripple:XRP', amount: Amount(99n) }] }, ''],
  [
    {
      amounts: [
        { asset: 'ethereum:ETH', amount: Amount(99n) },
        { asset: 'ripple:XRP', amount: Amount(1_000n) },
      ],
    },
    '0x5 0x1',
  ],
  [{ blockchainHash: '0x3' }, '0x3'],
  [{ blockchainHash: '0x3', vaultId: 'v2' }, ''],
  [{ blockchainHash: '0x9' }, ''],
  // By value, although amounts are kept as text.
  [{ amountFrom: Amount(100n) }, '0x5 0x4 0x3 0x2'],
  [{ amountTo: Amount(99n) }, '0x1'],
  [{ amountFrom: Amount(99n), amountTo: Amount(100n) }, '0x4 0x3 0x2 0x1'],
  // Facts arrive a second apart; the policy is the first.
  [{ firstSeenFrom: START + 5_000 }, '0x5 0x4'],
  [{ firstSeenBefore: START + 3_000 }, '0x1'],
  [{ firstSeenFrom: START + 3_000, firstSeenBefore: START + 5_000 }, '0x3 0x2'],
  [{ state: 'confirming', firstSeenFrom: START + 5_000, vaultId: 'v1' }, '0x5 0x4'],
];

test('each filter finds its deposits, newest first, and together they find fewer', async () => {
  const { find } = await searchable();
  for (const [search, expected] of CASES) {
    const found = await find(search);
    expect([search, hashes(found)]).toEqual([search, expected]);
    expect([found.older, found.newer, found.searchedTo]).toEqual([null, null, null]);
  }
});

test('reading ends at a limit, says how far it came, and goes on from there', async () => {
  const { open, find } = await searchable();
  const columns = open
    .rows<{ name: string }>("SELECT name FROM pragma_table_info('deposits')")
    .map(({ name }) => name)
    .join(', ');
  // Deposits of the newest hash, which the filter does not match: more than one page reads.
  open.db.exec(
    `INSERT INTO deposits (${columns})
     WITH RECURSIVE copy (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < 2000)
     SELECT ${columns.replace('deposit_id', "'copy-' || number")}
     FROM deposits CROSS JOIN copy WHERE blockchain_hash = '0x5'`,
  );
  const search = { state: 'confirming', vaultId: 'v2' } as const;
  const first = await find(search);
  expect([hashes(first), first.searchedTo]).toEqual(['', START + 6_000]);
  const second = await find(search, {
    cursor: { side: 'older', depositId: first.older ?? '' },
  });
  expect([hashes(second), second.older, second.searchedTo]).toEqual(['0x2', null, null]);
});

test('pages go on behind a deposit and come back, whatever arrives meanwhile', async () => {
  const { open, service, find } = await searchable();
  for (const search of [{}, { vaultId: 'v1' }, { state: 'confirming' }] as const) {
    const all = hashes(await find(search)).split(' ');
    const first = await find(search, { pageSize: 2 });
    expect(hashes(first)).toBe(all.slice(0, 2).join(' '));
    expect(first.newer).toBeNull();
    await open.deliver(service.confirmed(1, { blockchainHash: `0xnew-${JSON.stringify(search)}` }));
    const second = await find(search, {
      pageSize: 2,
      cursor: { side: 'older', depositId: first.older ?? '' },
    });
    expect(hashes(second)).toBe(all.slice(2, 4).join(' '));
    const back = await find(search, {
      pageSize: 2,
      cursor: { side: 'newer', depositId: second.newer ?? '' },
    });
    expect(hashes(back)).toBe(hashes(first));
    expect(back.newer).not.toBeNull();
  }
});

/** A Bitcoin address, which may be written in capitals, and a Tron address, which may not. */
const BECH32 = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const BASE58 = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

test('deposits are found by their address on the chain, spelled as its network allows', async () => {
  const { open, service, find } = await searchable();
  const at = (blockchainHash: string, networkAddress: string, more: object = {}) =>
    service.confirmed(1, {
      blockchainHash,
      ...more,
      balanceChanges: [change('100', onChain(networkAddress))],
    });
  await open.deliver(
    at('0x6', '0xAbCd'),
    at('0x7', '0xabcd', { network: 'base' }),
    at('0x8', BECH32),
    at('0x9', BASE58, { vaultId: 'v3' }),
  );
  const cases: [search: DepositSearch, found: string][] = [
    [{ networkAddress: '0xAbCd' }, '0x7 0x6'],
    [{ networkAddress: '0xABCD' }, '0x7 0x6'],
    [{ networkAddress: '0xabcd', network: 'base' }, '0x7'],
    [{ networkAddress: '0xabcd', state: 'settled' }, ''],
    [{ networkAddress: '0xabc' }, ''],
    [{ networkAddress: BECH32.toUpperCase() }, '0x8'],
    [{ networkAddress: BASE58 }, '0x9'],
    [{ networkAddress: BASE58.toLowerCase() }, ''],
    [{ networkAddress: BASE58, blockchainHash: '0x9' }, '0x9'],
    [{ networkAddress: BASE58, blockchainHash: '0x8' }, ''],
  ];
  for (const [search, expected] of cases) {
    expect([search, hashes(await find(search))]).toEqual([search, expected]);
  }
  const [tron] = (await find({ networkAddress: BASE58 })).items;
  expect(tron).toMatchObject({ vaultId: 'v3', reportedAddress: BASE58 });
});

test('webhooks name the address on the chain of a deposit once: the first one does', async () => {
  const { open, service, find } = await searchable();
  const at = (confirmations: number, networkAddress: string) =>
    service.confirmed(confirmations, {
      blockchainHash: '0x6',
      balanceChanges: [change('100', onChain(networkAddress))],
    });
  await open.deliver(at(1, '0xaa'), at(2, '0xbb'));
  expect(hashes(await find({ networkAddress: '0xaa' }))).toBe('0x6');
  expect(hashes(await find({ networkAddress: '0xbb' }))).toBe('');
});

test('a deposit that only the custody API shows has its address on the chain', async () => {
  const { open, find } = await searchable();
  const transaction = received({
    blockchainHash: BlockchainHash('0x6'),
    destinationAddress: '0xAA',
  });
  await open.record({ kind: 'backfill', transaction });
  expect(hashes(await find({ networkAddress: '0xaa' }))).toBe('0x6');
});

test('an address with very many deposits is read in parts, both ways', async () => {
  const { open, service, find } = await searchable();
  const bodies = Array.from({ length: 2_050 }, (_, at) =>
    service.confirmed(1, {
      blockchainHash: `0xmany-${at}`,
      memo: at === 3 ? 'rare' : 'usual',
      balanceChanges: [change('100', onChain('0xcc'))],
    }),
  );
  await open.deliverTogether(...bodies);
  const all = { networkAddress: '0xcc' } as const;
  expect(hashes(await find(all, { pageSize: 2 }))).toBe('0xmany-2049 0xmany-2048');
  const rare = { ...all, memo: 'rare' } as const;
  const first = await find(rare);
  expect([hashes(first), first.searchedTo === null]).toEqual(['', false]);
  const second = await find(rare, { cursor: { side: 'older', depositId: first.older ?? '' } });
  expect([hashes(second), second.older]).toEqual(['0xmany-3', null]);
  const [found] = second.items;
  const back = await find(all, {
    pageSize: 2,
    cursor: { side: 'newer', depositId: found?.depositId ?? '' },
  });
  expect(hashes(back)).toBe('0xmany-5 0xmany-4');
});

test('the list of deposits is the same where an address has too many hashes to look up', async () => {
  const { open, service, reads } = await searchable();
  const balanceChanges = [change('100', onChain('0xcc'))];
  await open.deliver(
    service.confirmed(1, { blockchainHash: '0x6', balanceChanges }),
    service.confirmed(1, { blockchainHash: '0x7', balanceChanges }),
  );
  const listed = () => reads.deposits({ networkAddress: '0xCC' }, { page: 0, pageSize: 10 });
  const few = await listed();
  open.db.exec(
    `INSERT OR IGNORE INTO keys WITH RECURSIVE hash (number) AS (
       SELECT 1 UNION ALL SELECT number + 1 FROM hash WHERE number < 10001
     ) SELECT 4, ${fingerprintOf('0xcc')}, number FROM hash`,
  );
  expect(few.items.map(({ blockchainHash }) => blockchainHash)).toEqual(['0x7', '0x6']);
  expect(await listed()).toEqual(few);
});

test('the number of deposits is known where only the state filters', async () => {
  const { find } = await searchable();
  expect((await find({})).total).toBe(5);
  expect((await find({ state: 'confirming' })).total).toBe(3);
  expect((await find({ vaultId: 'v1' })).total).toBeNull();
  expect((await find({ networkAddress: '0x1' })).total).toBeNull();
});

test('a search by an on-chain address says how far it came behind 2,000 that no longer have it', async () => {
  const { open, service, find } = await searchable();
  const reported = (blockchainHash: string) =>
    service.confirmed(6, { blockchainHash, balanceChanges: [change('100', onChain('0xcc'))] });
  await open.deliver(reported('0xold'));
  const many = Array.from({ length: 2_000 }, (_, index) => reported(`0xmany-${index}`));
  await open.deliverTogether(...many);
  // The API's records name another address: the key of the reported one stays.
  open.db.exec(
    "UPDATE deposits SET network_address = '0xdd' WHERE blockchain_hash LIKE '0xmany-%'",
  );
  const first = await find({ networkAddress: '0xcc' });
  expect(hashes(first)).toBe('');
  expect(first.searchedTo).not.toBe(null);
  const cursor = { side: 'older', depositId: first.older ?? '' } as const;
  expect(hashes(await find({ networkAddress: '0xcc' }, { cursor }))).toBe('0xold');
});
