import { expect, test } from 'vitest';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import type { Balance } from '../../../src/store/answers.ts';
import type { BalanceQuery } from '../../../src/store/queries.ts';
import type { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { readTrace, trace, traceNames } from '../../house/trace.ts';
import { START } from '../open-ledger.ts';
import { change } from '../webhook.ts';
import { openStore } from './open-store.ts';

const FIRST_PAGE = { page: 0, pageSize: 100 };

async function positions(reads: SqliteReads, query: BalanceQuery): Promise<readonly Balance[]> {
  return (await reads.balances(query, FIRST_PAGE)).items;
}

/** `v1/acc-1/adr-1/memo asset: amount (+pending)`, one line per balance. */
function lines(balances: readonly Balance[]): string[] {
  return balances.map(({ vaultId, accountId, addressId, memo, asset, amount, pending }) => {
    const position = [vaultId, accountId, addressId, memo]
      .filter((part) => part !== null)
      .join('/');
    return `${position} ${asset}: ${amount} (+${pending})`;
  });
}

test.for(traceNames())('%s: the store reads the expected balances', async (name) => {
  const { crediting, steps, expect: expected } = trace.parse(readTrace(name));
  const { open, reads } = await openStore(crediting as unknown as CreditingPolicy);
  for (const step of steps) await open.deliver('deliver' in step ? step.deliver : step.deliverRaw);
  const shown = async (view: 'books' | 'chain') =>
    (await positions(reads, { view }))
      .filter(({ amount }) => amount !== 0n)
      .map(({ pending: _, amount, ...position }) => ({ ...position, amount: String(amount) }));
  const sorted = (list: readonly Omit<Balance, 'amount' | 'pending'>[]) =>
    list
      .map(({ vaultId, accountId, addressId, memo, asset, ...held }) =>
        JSON.stringify([vaultId, accountId, addressId, memo, asset, held]),
      )
      .toSorted();
  expect(sorted(await shown('books'))).toEqual(sorted(expected.balances));
  const { chainBalances } = expected;
  const chain = chainBalances === undefined ? [] : await shown('chain');
  expect(sorted(chain)).toEqual(sorted(chainBalances ?? []));
});

test('a balance of sixty digits is exact', async () => {
  const { open, reads, service } = await openStore();
  const large = 10n ** 60n + 1n;
  for (const hash of ['0xa', '0xb', '0xc']) {
    await open.deliver(
      service.confirmed(1, { blockchainHash: hash, balanceChanges: [change(large)] }),
    );
  }
  const [balance] = await positions(reads, { view: 'books' });
  expect(balance?.amount).toBe(3n * large);
});

test('a deposit in the mempool is pending at the position where it will post', async () => {
  const { open, reads, service } = await openStore();
  const registered = change('7', { memoInfo: { memo: '77' } });
  await open.deliver(
    service.incoming('mempool', { blockchainHash: '0xa' }),
    service.incoming('mempool', {
      blockchainHash: '0xb',
      memo: '77',
      balanceChanges: [registered],
    }),
    service.incoming('mempool', {
      blockchainHash: '0xc',
      memo: '88',
      balanceChanges: [change('5')],
    }),
  );
  expect(lines(await positions(reads, { view: 'books' }))).toEqual([
    'v1/acc-1/adr-1 ethereum:ETH: 0 (+105)',
    'v1/acc-1/adr-1/77 ethereum:ETH: 0 (+7)',
  ]);
  await open.deliver(
    service.confirmed(1, { blockchainHash: '0xb', memo: '77', balanceChanges: [registered] }),
    service.confirmed(1, { blockchainHash: '0xc', memo: '88', balanceChanges: [change('5')] }),
  );
  expect(lines(await positions(reads, { view: 'books' }))).toEqual([
    'v1/acc-1/adr-1 ethereum:ETH: 5 (+100)',
    'v1/acc-1/adr-1/77 ethereum:ETH: 7 (+0)',
  ]);
});

test('balances of the chain view or a past moment have no pending deposits', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(service.incoming('mempool'));
  expect(await positions(reads, { view: 'chain' })).toEqual([]);
  expect(await positions(reads, { view: 'books', asOf: open.at })).toEqual([]);
});

test('positions are ordered and filtered by vault, account, address, memo and asset', async () => {
  const { open, reads, service } = await openStore();
  const paid = (hash: string, where: object, more: object = {}) =>
    service.confirmed(1, {
      blockchainHash: hash,
      ...where,
      balanceChanges: [change('1', more)],
    });
  await open.deliver(
    paid('0x1', { vaultId: 'v2', accountId: 'a', addressId: 'r' }),
    paid('0x2', { vaultId: 'v1', accountId: 'b', addressId: 'r' }),
    paid('0x3', { vaultId: 'v1', accountId: 'a', addressId: 's' }, { asset: 'ethereum:USDC' }),
    paid('0x4', { vaultId: 'v1', accountId: 'a', addressId: 's' }),
    paid(
      '0x5',
      { vaultId: 'v1', accountId: 'a', addressId: 's', memo: '9' },
      {
        memoInfo: { memo: '9' },
      },
    ),
    paid('0x6', { vaultId: 'v10', accountId: 'a', addressId: 'r' }),
  );
  const all = [
    'v1/a/s ethereum:ETH: 1 (+0)',
    'v1/a/s ethereum:USDC: 1 (+0)',
    'v1/a/s/9 ethereum:ETH: 1 (+0)',
    'v1/b/r ethereum:ETH: 1 (+0)',
    'v10/a/r ethereum:ETH: 1 (+0)',
    'v2/a/r ethereum:ETH: 1 (+0)',
  ];
  const cases: [query: object, found: string[]][] = [
    [{}, all],
    [{ vaultId: 'v1' }, all.slice(0, 4)],
    [{ accountId: 'b' }, all.slice(3, 4)],
    [{ addressId: 's' }, all.slice(0, 3)],
    [{ memo: '9' }, all.slice(2, 3)],
    [{ memo: '', addressId: 's' }, all.slice(0, 2)],
    [{ asset: 'ethereum:USDC' }, all.slice(1, 2)],
    [{ vaultId: 'v3' }, []],
  ];
  for (const [query, found] of cases) {
    expect(lines(await positions(reads, { view: 'books', ...query }))).toEqual(found);
    const asOf = open.at;
    expect(lines(await positions(reads, { view: 'books', asOf, ...query }))).toEqual(found);
  }
});

test('asOf includes the entries posted at that moment', async () => {
  const { open, reads, service } = await openStore();
  await open.deliver(service.confirmed(1));
  const posted = open.at;
  await open.deliver(service.incoming('rollback'));
  const rolledBack = open.at;
  await open.deliver(service.confirmed(1, { balanceChanges: [change('70')] }));
  const minedAgain = open.at;
  const cases: [asOf: number, amounts: bigint[]][] = [
    [START, []],
    [posted - 1, []],
    [posted, [100n]],
    [rolledBack - 1, [100n]],
    [rolledBack, []],
    [minedAgain - 1, []],
    [minedAgain, [70n]],
  ];
  for (const [asOf, amounts] of cases) {
    const balances = await positions(reads, { view: 'books', asOf });
    expect([asOf, balances.map(({ amount }) => amount)]).toEqual([asOf, amounts]);
  }
});

test('asOf sums more entries than one page holds', async () => {
  const { open, reads, service } = await openStore();
  const bodies = Array.from({ length: 1_003 }, (_, index) =>
    service.confirmed(1, { blockchainHash: `0x${index}`, balanceChanges: [change('2')] }),
  );
  await open.deliverTogether(...bodies);
  const [balance] = await positions(reads, { view: 'books', asOf: open.at });
  expect(balance?.amount).toBe(2_006n);
});
