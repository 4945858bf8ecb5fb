import { expect, test } from 'vitest';
import type { Answer } from '../../call.ts';
import { covers } from '../coverage.ts';
import { refusalOf } from '../error-body.ts';
import { ANY_NUMBER } from '../matchers.ts';
import { setStage } from '../stage.ts';
import type { Client } from '../stage.ts';

const stage = setStage('lists');

const SECOND_MS = 1_000;

async function namedVaults(...names: string[]): Promise<Client> {
  for (const name of names) {
    await stage.vault({ name });
    await stage.advance(1000);
  }
  return stage.client();
}

const namesOf = ({ rows }: Answer): unknown[] => rows.map(({ name }) => name);

/** Every list with different rows, and a sort and a filter that it offers. */
async function everyList(): Promise<[path: string, sort: string, filter: string][]> {
  const approvers = [await stage.client(), await stage.client()];
  const { publicKeyPem } = stage.keys;
  const another = { name: 'another', type: 'api', publicKeyPem, permissions: [] };
  await stage.sim('POST', '/sim/clients', another);
  await stage.vault({ name: 'other' });
  const vault = await stage.vault({
    quorum: 2,
    approvers: approvers.map(({ clientId }) => clientId),
  });
  const address = await stage.address(vault, 'ripple', 'main', { name: 'one' });
  const { addressId, accountId } = address;
  for (const memo of ['7', '8']) {
    await stage.advance(SECOND_MS);
    await stage.address(vault, 'ripple', 'main', { name: memo });
    await stage.address(vault, 'ripple', memo);
    await stage.api('POST', '/memos', { addressId, memo });
    await stage.fund(address, 'XRP', '50000000');
  }
  const order = await stage.order(vault, { asset: 'ripple:XRP' });
  for (const { call } of approvers) {
    await stage.advance(SECOND_MS);
    const approvals = `/transactions/${String(order['transactionId'])}/approvals`;
    expect((await call('POST', approvals, { decision: 'approve' })).status).toBe(200);
  }
  await stage.advance(0);
  const transaction = `/transactions/${String(order['transactionId'])}`;
  const notifications = `/subscriptions/notifications?transactionId=${String(order['transactionId'])}&`;
  return [
    ['/networks?', 'key', 'key'],
    ['/vaults?', 'name', 'vaultId'],
    [`/vaults/${vault.vaultId}/accounts?`, 'name', 'name'],
    ['/accounts?', 'createdAt', 'vaultId'],
    [`/accounts/${accountId}/addresses?`, 'createdAt', 'network'],
    ['/addresses?', 'name', 'vaultId'],
    ['/memos?', 'memo', 'addressId'],
    [`/addresses/${addressId}/memos?`, 'memo', 'memo'],
    [`/addresses/${addressId}/blockchain-transactions?`, 'timestamp', 'status'],
    ['/api-clients?', 'name', 'type'],
    ['/transactions?', 'updatedAt', 'status'],
    [`${transaction}/events?`, 'timestamp', 'type'],
    [`${transaction}/approvals?`, 'timestamp', 'decision'],
    [notifications, 'timestamp', 'status'],
  ];
}

test(
  'page is 0-based and defaults to 0; pageSize defaults to 100 and goes to 1,000; on every list',
  covers('lists/pagination/page', 'lists/pagination/pageSize'),
  async () => {
    const client = await namedVaults('a', 'b', 'c');
    const pages = await Promise.all(
      ['', '?page=0', '?pageSize=2', '?pageSize=2&page=1', '?pageSize=2&page=2'].map((query) =>
        client.call('GET', `/vaults${query}`),
      ),
    );
    expect(pages.map(namesOf)).toEqual([['a', 'b', 'c'], ['a', 'b', 'c'], ['a', 'b'], ['c'], []]);
    expect(pages.map(({ body }) => body['pagination'])).toEqual([
      { page: 0, pageSize: 100, total: 3 },
      { page: 0, pageSize: 100, total: 3 },
      { page: 0, pageSize: 2, total: 3 },
      { page: 1, pageSize: 2, total: 3 },
      { page: 2, pageSize: 2, total: 3 },
    ]);
    for (const [path] of await everyList()) {
      const { status, body } = await stage.api('GET', `${path}page=7&pageSize=1000`);
      expect([path, status, body['data']]).toEqual([path, 200, []]);
      expect(body['pagination']).toEqual({ page: 7, pageSize: 1000, total: ANY_NUMBER });
      const refused = await client.call('GET', `${path}pageSize=1001`);
      expect(refusalOf(refused)).toBe(`400 BR-1 GET /api/v1${path.split('?')[0] ?? ''}`);
    }
  },
);

test(
  'sort is <field>:<asc or desc>; on every list, and nothing else',
  covers('lists/pagination/sort'),
  async () => {
    const client = await namedVaults('b', 'a', 'c');
    const sorted = async (sort: string) =>
      namesOf(await client.call('GET', `/vaults?sort=${sort}`));
    expect(await sorted('name:asc')).toEqual(['a', 'b', 'c']);
    expect(await sorted('name:desc')).toEqual(['c', 'b', 'a']);
    expect(await sorted('createdAt:asc')).toEqual(['b', 'a', 'c']);
    expect(await sorted('createdAt:desc')).toEqual(['c', 'a', 'b']);
    for (const [path, field] of await everyList()) {
      const [up = [], down] = await Promise.all(
        ['asc', 'desc'].map(async (order) => {
          const { rows } = await stage.api('GET', `${path}sort=${field}:${order}`);
          return rows.map((row) => row[field] as string | number);
        }),
      );
      expect([path, new Set(up).size > 1]).toEqual([path, true]);
      expect([path, up]).toEqual([path, up.toSorted((left, right) => (left < right ? -1 : 1))]);
      expect([path, down]).toEqual([path, up.toReversed()]);
      for (const sort of [field, `${field}:up`, 'nothing:asc', `${field}:asc,x:asc`]) {
        const given = await stage.client();
        const refused = await given.call('GET', `${path}sort=${sort}`);
        expect(refusalOf(refused)).toBe(`400 BR-1 GET /api/v1${path.split('?')[0] ?? ''}`);
      }
    }
  },
);

test(
  'filters combine; on every list, and an unknown one is refused',
  covers('lists/filtering/filter'),
  async () => {
    const vault = await stage.vault();
    const other = await stage.vault();
    for (const each of [vault, other]) {
      const address = await stage.address(each, 'ripple');
      await stage.address(each, 'ethereum');
      await stage.fund(address, 'XRP', '50000000');
    }
    for (const each of [vault, other]) await stage.order(each, { asset: 'ripple:XRP' });
    const count = async (query: string) => (await stage.api('GET', query)).rows.length;
    const { vaultId } = vault;
    expect(await count('/transactions?filter[status]=submitted')).toBe(2);
    expect(await count('/transactions?filter[network]=ripple')).toBe(4);
    expect(await count('/transactions?filter[network]=ethereum')).toBe(0);
    expect(await count(`/transactions?filter[network]=ripple&filter[vaultId]=${vaultId}`)).toBe(2);
    const all = `filter[network]=ripple&filter[vaultId]=${vaultId}&filter[type]=incoming`;
    expect(await count(`/transactions?${all}&filter[status]=confirmed`)).toBe(1);
    expect(await count(`/transactions?${all}&filter[status]=mempool`)).toBe(0);
    expect(await count(`/addresses?filter[vaultId]=${vaultId}&filter[network]=ethereum`)).toBe(1);
    for (const [path, , filter] of await everyList()) {
      expect([path, (await count(path)) > 0]).toEqual([path, true]);
      expect([path, await count(`${path}filter[${filter}]=nothing`)]).toEqual([path, 0]);
      const refused = await (await stage.client()).call('GET', `${path}filter[colour]=red`);
      expect(refusalOf(refused)).toBe(`400 BR-1 GET /api/v1${path.split('?')[0] ?? ''}`);
    }
  },
);

test('each documented filter keeps exactly the rows with its value', async () => {
  const [vault, other] = [await stage.vault({ name: 'one' }), await stage.vault({ name: 'two' })];
  for (const each of [vault, other]) {
    const ripple = await stage.address(each, 'ripple', 'main', { name: each.vaultId });
    const { addressId } = await stage.address(each, 'stellar', 'second', { name: 'star' });
    await stage.api('POST', '/memos', { addressId, memo: '7' });
    await stage.api('POST', '/memos', { addressId: ripple.addressId, memo: '8' });
    await stage.fund(ripple, 'XRP', '50000000');
  }
  await stage.order(vault, { asset: 'ripple:XRP' });
  await stage.order(other, { asset: 'stellar:XLM' });
  for (const path of [
    '/networks',
    '/vaults',
    '/accounts',
    '/addresses',
    '/memos',
    '/transactions',
  ]) {
    const { rows } = await stage.api('GET', path);
    const parameters = stage.contract.queryParametersOf(`GET /api/v1${path}`);
    const filters = parameters.filter((name) => name.startsWith('filter['));
    expect(filters.length).toBeGreaterThan(0);
    for (const filter of filters) {
      const field = filter.slice('filter['.length, -1);
      const value = rows.map((row) => row[field]).find((each) => typeof each === 'string');
      const wanted = rows.filter((row) => row[field] === value);
      const found = await stage.api(
        'GET',
        `${path}?${filter}=${encodeURIComponent(String(value))}`,
      );
      expect([path, filter, found.rows]).toEqual([path, filter, wanted]);
      expect([path, filter, wanted.length]).not.toEqual([path, filter, rows.length]);
    }
  }
});

test('search finds a part of the text', covers('lists/filtering/search'), async () => {
  const client = await namedVaults('hot wallet', 'cold wallet', 'treasury');
  const found = async (text: string) => namesOf(await client.call('GET', `/vaults?search=${text}`));
  expect(await found('wallet')).toEqual(['hot wallet', 'cold wallet']);
  expect(await found('TREAS')).toEqual(['treasury']);
  expect(await found('nothing')).toEqual([]);
  expect(await found('wallet&filter[name]=cold%20wallet')).toEqual(['cold wallet']);
  const vault = await stage.vault();
  await stage.address(vault, 'ripple');
  const order = await stage.order(vault, { asset: 'ripple:XRP', orderId: 'payroll-2026-01' });
  const orders = await client.call('GET', '/transactions?search=payroll');
  expect(orders.rows.map(({ transactionId }) => transactionId)).toEqual([order['transactionId']]);
});

test('relations load related data, one or several', covers('lists/relations'), async () => {
  const approver = await stage.client();
  const vault = await stage.vault({ quorum: 1, approvers: [approver.clientId] });
  const { accountId, addressId } = await stage.address(vault, 'ripple');
  const order = await stage.order(vault, { asset: 'ripple:XRP' });
  const path = `/transactions/${String(order['transactionId'])}`;
  await approver.call('POST', `${path}/approvals`, { decision: 'reject' });
  const both = 'relations[]=events&relations[]=approvals';
  const related = {
    events: [{ type: 'approval-pending' }, { type: 'cancelled' }],
    approvals: [{ clientId: approver.clientId, decision: 'reject' }],
  };
  const one = (await stage.api('GET', `${path}?${both}`)).body;
  expect(one).toMatchObject(related);
  expect((await stage.api('GET', `/transactions?${both}`)).rows).toMatchObject([related]);
  for (const bare of [
    (await stage.api('GET', path)).body,
    ...(await stage.api('GET', '/transactions')).rows,
  ]) {
    expect(bare).not.toHaveProperty('events');
    expect(bare).not.toHaveProperty('approvals');
  }
  const vaults = '/vaults?relations[]=accounts&relations[]=addresses';
  expect((await stage.api('GET', vaults)).rows).toMatchObject([
    { accounts: [{ accountId }], addresses: [{ addressId }] },
  ]);
  for (const target of [`${path}?relations[]=secrets`, '/networks?relations[]=events']) {
    const refused = await approver.call('GET', target);
    expect(refusalOf(refused)).toBe(`400 BR-1 GET /api/v1${target.split('?')[0] ?? ''}`);
  }
});

test('a filter or search of a single row is refused, as an unknown one of a list is', async () => {
  const vault = await stage.vault();
  const { vaultId } = vault;
  const { accountId, addressId } = await stage.address(vault, 'ripple');
  const order = await stage.order(vault, { asset: 'ripple:XRP' });
  const client = await stage.client();
  for (const path of [
    `/vaults/${vaultId}`,
    `/accounts/${accountId}`,
    `/addresses/${addressId}`,
    `/transactions/${String(order['transactionId'])}`,
    `/transactions/${String(order['transactionId'])}/master-approval-payload`,
    `/subscriptions/${vaultId}`,
    `/subscriptions/${vaultId}/confirmations`,
    '/vaults',
  ]) {
    for (const query of ['filter[colour]=red', 'filter[]=', 'searching=x', 'relations=events']) {
      const refused = await client.call('GET', `${path}?${query}`);
      expect(refusalOf(refused)).toBe(`400 BR-1 GET /api/v1${path}`);
    }
  }
  // Where a list would offer them, too.
  for (const query of ['filter[vaultId]=x', 'search=x']) {
    const refused = await client.call('GET', `/accounts/${accountId}?${query}`);
    expect(refusalOf(refused)).toBe(`400 BR-1 GET /api/v1/accounts/${accountId}`);
  }
});
