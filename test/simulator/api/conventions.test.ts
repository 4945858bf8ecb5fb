import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorBody } from '../../../src/wire/error.ts';
import { network } from '../../../src/wire/network.ts';
import { pageOf } from '../page-of.ts';
import { address, account, vault } from '../../../src/wire/vault.ts';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';

let caller: Caller;
let vaultId: string;
let accountId: string;

beforeAll(async () => {
  caller = await startCaller();
  for (const name of ['beta', 'alpha', 'gamma', 'delta', 'alps']) await caller.vault({ name });
  vaultId = await caller.vault({ name: 'zeta' });
  accountId = await caller.account(vaultId);
});
afterAll(() => caller.stop());

/** Rate windows are fixed, so the next group of calls gets a new one. */
async function freshWindow(): Promise<void> {
  await caller.advance(60_000);
}

async function names(query: string): Promise<unknown> {
  const answer = await caller.api('GET', `/vaults?${query}`);
  expect(answer.status).toBe(200);
  return pageOf(vault)
    .parse(answer.body)
    .data.map((row) => row.name);
}

describe('lists', () => {
  test('page from 0, with the total', async () => {
    const answer = await caller.api('GET', '/vaults?page=1&pageSize=4');
    expect(answer.body['pagination']).toEqual({ page: 1, pageSize: 4, total: 6 });
    expect(await names('page=1&pageSize=4')).toEqual(['alps', 'zeta']);
    expect(await names('page=9')).toEqual([]);
    const whole = await caller.api('GET', '/vaults');
    expect(whole.body['pagination']).toEqual({ page: 0, pageSize: 100, total: 6 });
  });

  test('sort, filter and search, combined', async () => {
    expect(await names('sort=name:asc')).toEqual([
      'alpha',
      'alps',
      'beta',
      'delta',
      'gamma',
      'zeta',
    ]);
    expect(await names('sort=name:desc&search=AL')).toEqual(['alps', 'alpha']);
    expect(await names('filter[name]=zeta')).toEqual(['zeta']);
    expect(await names(`filter[name]=zeta&filter[vaultId]=${vaultId}`)).toEqual(['zeta']);
    expect(await names('filter[name]=zeta&filter[vaultId]=other')).toEqual([]);
    expect(await names('filter%5Bname%5D=zeta')).toEqual(['zeta']);
  });

  test('load relations on request', async () => {
    const answer = await caller.api(
      'GET',
      '/vaults?filter[name]=zeta&relations[]=accounts&relations[]=addresses',
    );
    expect(answer.body['data']).toMatchObject([{ accounts: [{ accountId }], addresses: [] }]);
  });

  test.each([
    'page=-1',
    'page=x',
    'page=1.5',
    'pageSize=0',
    'pageSize=1001',
    'pageSize=',
    'sort=name',
    'sort=colour:asc',
    'sort=name:up',
    'filter[colour]=red',
    'filter[name]=a&filter[name]=b',
    'relations[]=colours',
    'relations=accounts',
  ])('refuse ?%s with BR-1', async (query) => {
    const answer = await caller.api('GET', `/vaults?${query}`);
    expect(answer.status).toBe(400);
    expect(errorBody.parse(answer.body)).toMatchObject({
      errorCode: 'BR-1',
      endpoint: 'GET /api/v1/vaults',
    });
  });

  test('of networks show the published depths', async () => {
    const answer = await caller.api('GET', '/networks');
    const rows = pageOf(network).parse(answer.body).data;
    expect(rows.find(({ key }) => key === 'ethereum')?.confirmations).toEqual([1, 3, 12]);
  });
});

describe('creation', () => {
  test('answers 201 for a new account and 200 for the existing one', async () => {
    await freshWindow();
    const request = { vaultId, name: 'savings', data: { owner: 'ana' } };
    const first = await caller.api('POST', '/accounts', request);
    const second = await caller.api('POST', '/accounts', request);
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(account.parse(second.body)).toEqual(first.body);
  });

  test('of an address is idempotent on its HD path', async () => {
    const first = await caller.api('POST', '/addresses', { accountId, network: 'bitcoin' });
    expect(first.status).toBe(201);
    const { hdpath } = address.parse(first.body);
    const again = { accountId, network: 'bitcoin', hdpath };
    const second = await caller.api('POST', '/addresses', again);
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    const other = await caller.account(vaultId, 'other');
    const conflict = await caller.api('POST', '/addresses', { ...again, accountId: other });
    expect([conflict.status, conflict.body['errorCode']]).toEqual([409, 'ADR-3001']);
  });

  test('of a memo is idempotent, and other content is a conflict', async () => {
    const { addressId } = await caller.address(accountId, 'ripple');
    const request = { addressId, memo: '42', name: 'ana' };
    expect((await caller.api('POST', '/memos', request)).status).toBe(201);
    expect((await caller.api('POST', '/memos', request)).status).toBe(200);
    const conflict = await caller.api('POST', '/memos', { ...request, name: 'bob' });
    expect([conflict.status, conflict.body['errorCode']]).toEqual([409, 'MEM-4001']);
    const listed = await caller.api('GET', `/memos?filter[addressId]=${addressId}`);
    expect(listed.body['data']).toMatchObject([{ memo: '42', name: 'ana' }]);
  });

  test('of a transaction is idempotent on orderId, even with other fields', async () => {
    const { addressId, networkAddress } = await caller.address(accountId, 'ethereum');
    await caller.sim('POST', '/sim/deposits', {
      network: 'ethereum',
      addressId,
      asset: 'ethereum:ETH',
      amount: '5000000000000000000',
    });
    await caller.sim('POST', '/sim/blocks', { network: 'ethereum', count: 1 });
    const order = {
      orderId: 'order-1',
      vaultId,
      addressId,
      network: 'ethereum',
      asset: 'ethereum:ETH',
      amount: '1000000000000000000',
      destinationAddress: networkAddress,
    };
    const first = await caller.api('POST', '/transactions', order);
    expect(first.status).toBe(201);
    const second = await caller.api('POST', '/transactions', { ...order, amount: '7' });
    expect(second.status).toBe(200);
    expect(second.body['transactionId']).toBe(first.body['transactionId']);
    const id = String(first.body['transactionId']);
    const one = await caller.api('GET', `/transactions/${id}?relations[]=events`);
    expect(one.body).toMatchObject({ orderId: 'order-1', type: 'outgoing' });
    expect(one.body['events']).toMatchObject([
      { type: 'pending' },
      { type: 'requested' },
      {},
      {},
      {},
    ]);
    const found = await caller.api('GET', '/transactions?filter[type]=outgoing&search=order-1');
    expect(found.body).toMatchObject({ pagination: { total: 1 } });
    // EVM addresses and the hashes of other networks are valid in both cases.
    for (const text of [networkAddress, networkAddress.toUpperCase(), 'ORDER-1']) {
      const query = `filter[type]=outgoing&search=${text}`;
      const { body } = await caller.api('GET', `/transactions?${query}`);
      expect(body).toMatchObject({ pagination: { total: 1 } });
    }
  });
});

describe('errors', () => {
  test('carry method, path with prefix and no query, and the core time', async () => {
    await freshWindow();
    const answer = await caller.api('GET', '/vaults/nope?relations[]=accounts');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      statusCode: 404,
      errorCode: 'NE-1',
      errorMessage: 'Vault nope not found',
      timestamp: new Date(caller.core.clock.now()).toISOString(),
      endpoint: 'GET /api/v1/vaults/nope',
    });
  });

  test('are 404 NE-1 for unknown paths and methods, with or without credentials', async () => {
    for (const token of [undefined, null]) {
      const path = await caller.api('GET', '/nothing', undefined, token === null ? { token } : {});
      expect([path.status, path.body['errorCode']]).toEqual([404, 'NE-1']);
    }
    const method = await caller.api('DELETE', '/vaults');
    expect([method.status, method.body['errorCode']]).toEqual([404, 'NE-1']);
  });

  test('are BR-1 for a body that is not JSON, and BR-2 for one of another shape', async () => {
    const post = (text: string) => caller.api('POST', '/accounts', undefined, { text });
    for (const text of ['{', '', 'name=x']) {
      const answer = await post(text);
      expect([answer.status, answer.body['errorCode']]).toEqual([400, 'BR-1']);
    }
    for (const text of ['{}', '[]', 'null', `{"vaultId":"${vaultId}","name":7}`]) {
      const answer = await post(text);
      expect([answer.status, answer.body['errorCode']]).toEqual([400, 'BR-2']);
    }
  });

  test('are BR-1 for a body that is too long or not UTF-8', async () => {
    const post = async (body: Uint8Array): Promise<unknown> => {
      const response = await fetch(`${caller.core.url}/api/v1/accounts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.token}` },
        body,
      });
      return errorBody.parse(await response.json()).errorCode;
    };
    expect(await post(new Uint8Array(1024 * 1024 + 1).fill(0x20))).toBe('BR-1');
    expect(await post(Uint8Array.of(0x22, 0xff, 0x22))).toBe('BR-1');
    expect((await caller.api('GET', '/networks')).status).toBe(200);
  });

  test.each([['-1'], ['0'], ['1.5'], [1], ['1e3'], ['']])(
    'are BR-2 for the amount %j',
    async (amount) => {
      const answer = await caller.api('POST', '/transactions', {
        orderId: 'x',
        vaultId,
        network: 'ethereum',
        asset: 'ethereum:ETH',
        amount,
        destinationAddress: 'x',
      });
      expect([answer.status, answer.body['errorCode']]).toEqual([400, 'BR-2']);
    },
  );

  test('are BR-1001 and BR-1002 for an unknown network and asset', async () => {
    const base = { orderId: 'y', vaultId, amount: '1', destinationAddress: 'x' };
    const network1 = await caller.api('POST', '/transactions', {
      ...base,
      network: 'dogecoin',
      asset: 'dogecoin:DOGE',
    });
    expect([network1.status, network1.body['errorCode']]).toEqual([400, 'BR-1001']);
    const asset = await caller.api('POST', '/transactions', {
      ...base,
      network: 'ethereum',
      asset: 'bitcoin:BTC',
    });
    expect([asset.status, asset.body['errorCode']]).toEqual([400, 'BR-1002']);
  });
});

describe('credentials', () => {
  test('that are missing or bad are 401 AU-1', async () => {
    for (const token of [null, 'x', 'a.b.c', `${caller.token}x`]) {
      const answer = await caller.api('GET', '/networks', undefined, { token });
      expect([answer.status, answer.body['errorCode']]).toEqual([401, 'AU-1']);
      expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
    }
  });

  test('are counted against their client: 100 a minute, shown in headers, then 429 RL-1', async () => {
    const { token } = await caller.client([]);
    const { token: bystander } = await caller.client([]);
    const start = caller.core.clock.now();
    for (let count = 1; count <= 100; count += 1) {
      const answer = await caller.api('GET', '/networks?pageSize=1', undefined, { token });
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(100 - count));
    }
    const refused = await caller.api('GET', '/networks', undefined, { token });
    expect([refused.status, refused.body['errorCode']]).toEqual([429, 'RL-1']);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('x-ratelimit-reset')).toBe(String(start / 1000 + 60));
    expect((await caller.api('GET', '/networks', undefined, { token: bystander })).status).toBe(
      200,
    );
    await freshWindow();
    expect((await caller.api('GET', '/networks', undefined, { token })).status).toBe(200);
  });

  test('are counted on an unknown path and a wrong method too, and 404 NE-1 without them', async () => {
    const { token } = await caller.client([]);
    const said = async (method: 'GET' | 'DELETE', path: string, bearer: string | null) => {
      const answer = await caller.api(method, path, undefined, { token: bearer });
      const left = answer.headers.get('x-ratelimit-remaining');
      return [answer.status, answer.body['errorCode'], left];
    };
    expect(await said('GET', '/no-such-thing', token)).toEqual([404, 'NE-1', '99']);
    expect(await said('DELETE', '/networks', token)).toEqual([404, 'NE-1', '98']);
    for (const nobody of [null, 'x']) {
      expect(await said('GET', '/no-such-thing', nobody)).toEqual([404, 'NE-1', null]);
    }
    for (let left = 97; left >= 0; left -= 1) {
      expect(await said('GET', '/no-such-thing', token)).toEqual([404, 'NE-1', String(left)]);
    }
    expect(await said('GET', '/no-such-thing', token)).toEqual([429, 'RL-1', '0']);
  });
});
