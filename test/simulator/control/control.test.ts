import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { errorBody } from '../../../src/wire/error.ts';
import { startCaller } from '../core-caller.ts';
import type { Json } from '../call.ts';
import type { Caller } from '../core-caller.ts';
import { startReceiver } from '../webhook-receiver.ts';
import type { WebhookReceiver } from '../webhook-receiver.ts';

let caller: Caller;
let receiver: WebhookReceiver;

beforeEach(async () => {
  caller = await startCaller();
  receiver = await startReceiver();
});
afterEach(async () => {
  await caller.stop();
  await receiver.close();
});

const faults = (set: Json) => caller.sim('PUT', '/sim/faults', set);
const list = () => caller.api('GET', '/transactions');
const rows = async (): Promise<Json[]> => (await list()).body['data'] as Json[];

async function deposits(count: number): Promise<string[]> {
  const accountId = await caller.account(await caller.vault());
  const { addressId } = await caller.address(accountId, 'ethereum');
  const hashes: string[] = [];
  for (let index = 1; index <= count; index += 1) {
    const { blockchainHash } = await caller.sim('POST', '/sim/deposits', {
      network: 'ethereum',
      addressId,
      asset: 'ethereum:ETH',
      amount: String(index),
    });
    hashes.push(String(blockchainHash));
  }
  await caller.sim('POST', '/sim/blocks', { network: 'ethereum', count: 1 });
  return hashes;
}

describe('API faults', () => {
  test('error answers with the code, as often as counted, only for the operation', async () => {
    await faults({
      api: [{ fault: 'error', errorCode: 'HAC-1', operation: 'listTransactions', count: 2 }],
    });
    expect((await caller.api('GET', '/vaults')).status).toBe(200);
    const first = await list();
    expect([first.status, errorBody.parse(first.body).errorCode]).toEqual([503, 'HAC-1']);
    expect((await list()).status).toBe(503);
    expect((await list()).status).toBe(200);
  });

  test('an operation may be given as method and path', async () => {
    await faults({ api: [{ fault: 'error', operation: 'GET /vaults/{vaultId}' }] });
    expect((await caller.api('GET', '/vaults/x')).status).toBe(500);
    expect((await caller.api('GET', '/vaults')).status).toBe(200);
  });

  test.each([{ fault: '429' }, { fault: 'error', errorCode: 'RL-1' }])(
    '429 comes with Retry-After and nothing remaining: %o',
    async (fault) => {
      await faults({ api: [{ ...fault, count: 1 }] });
      const answer = await list();
      expect([answer.status, errorBody.parse(answer.body).errorCode]).toEqual([429, 'RL-1']);
      const { headers } = answer;
      expect([headers.get('retry-after'), headers.get('x-ratelimit-remaining')]).toEqual([
        '1',
        '0',
      ]);
    },
  );

  test('reset and truncate break the connection, hang lasts until the caller gives up', async () => {
    await faults({ api: [{ fault: 'reset', count: 1 }] });
    await expect(list()).rejects.toThrow('fetch failed');
    await faults({ api: [{ fault: 'truncate', count: 1 }] });
    await expect(list()).rejects.toThrow(/terminated|fetch failed/);
    await faults({ api: [{ fault: 'hang' }] });
    const aborted = fetch(`${caller.core.url}/api/v1/vaults`, {
      headers: { authorization: `Bearer ${caller.token}` },
      signal: AbortSignal.timeout(50),
    });
    await expect(aborted).rejects.toThrow(/aborted/);
    // A busy machine may give up before the request has arrived, so the fault may still be unused.
    await faults({});
    expect((await list()).status).toBe(200);
  });

  test('a truncated creation has taken effect', async () => {
    const vaultId = await caller.vault();
    await faults({ api: [{ fault: 'truncate', operation: 'createAccount', count: 1 }] });
    await expect(caller.account(vaultId)).rejects.toThrow(/terminated|fetch failed/);
    expect((await caller.api('POST', '/accounts', { vaultId, name: 'main' })).status).toBe(200);
  });

  test('stale shows rows as they were last served, and hides young ones', async () => {
    await deposits(1);
    const [before] = await rows();
    await faults({ api: [{ fault: 'stale' }] });
    await caller.sim('POST', '/sim/blocks', { network: 'ethereum', count: 5 });
    await deposits(1);
    expect(await rows()).toEqual([before]);
    await faults({});
    expect(await rows()).toMatchObject([{ confirmations: 7 }, { confirmations: 1 }]);
  });

  test('omit-balance-changes leaves them out', async () => {
    await deposits(1);
    expect((await rows())[0]?.['balanceChanges']).toBeDefined();
    await faults({ api: [{ fault: 'omit-balance-changes' }] });
    expect((await rows())[0]?.['balanceChanges']).toBeUndefined();
  });

  test('page-drift repeats a row on a later page and skips one, by turns', async () => {
    const hashes = await deposits(4);
    await faults({ api: [{ fault: 'page-drift' }] });
    const page = async (number: number): Promise<unknown[]> => {
      const answer = await caller.api('GET', `/transactions?pageSize=2&page=${number}`);
      return (answer.body['data'] as Json[]).map((row) => row['blockchainHash']);
    };
    expect(await page(1)).toEqual(hashes.slice(1, 3));
    expect(await page(1)).toEqual(hashes.slice(3, 4));
    expect(await page(0)).toEqual(hashes.slice(0, 2));
  });

  test('an unknown fault is refused, and the set stays', async () => {
    await faults({ api: [{ fault: 'error' }] });
    const refused = await caller.control('PUT', '/sim/faults', { api: [{ fault: 'explode' }] });
    expect([refused.status, refused.body['errorCode']]).toEqual([400, 'BR-2']);
    expect(await caller.sim('GET', '/sim/faults')).toEqual({ api: [{ fault: 'error' }] });
  });
});

describe('the clock', () => {
  test('advances only on a call, and answers when all due work is done', async () => {
    const { now } = await caller.sim('GET', '/sim/clock');
    expect(await caller.sim('POST', '/sim/clock', { advanceMs: 1_500 })).toEqual({
      now: Number(now) + 1_500,
    });
    const refused = await caller.control('POST', '/sim/clock', { advanceMs: -1 });
    expect(refused.status).toBe(400);
  });

  test('cannot be advanced when it is the real one', async () => {
    const real = await startCaller({ clock: 'real' });
    const refused = await real.control('POST', '/sim/clock', { advanceMs: 1 });
    await real.stop();
    expect([refused.status, refused.body['errorCode']]).toEqual([400, 'BR-1']);
  });
});

describe('snapshots', () => {
  test('bring back vaults, queues, clients and time; the same calls then have the same answers', async () => {
    const vaultId = await caller.vault();
    const webhookUrl = `${receiver.url}/hook`;
    await caller.api('POST', `/subscriptions/${vaultId}`, { webhookUrl, streams: ['incoming'] });
    const accountId = await caller.account(vaultId);
    const { addressId } = await caller.address(accountId, 'ethereum');
    const { snapshotId } = await caller.sim('POST', '/sim/snapshot');
    const received = async (): Promise<string> => {
      receiver.hits.length = 0;
      const deposit = { network: 'ethereum', addressId, asset: 'ethereum:ETH', amount: '5' };
      await caller.sim('POST', '/sim/deposits', deposit);
      await caller.sim('POST', '/sim/blocks', { network: 'ethereum', count: 3 });
      await caller.advance(1_000);
      return JSON.stringify(receiver.hits);
    };
    const first = await received();
    expect(receiver.hits.length).toBeGreaterThan(2);
    await caller.vault({ name: 'later' });
    await caller.sim('POST', '/sim/restore', { snapshotId });
    expect((await caller.api('GET', '/vaults')).body).toMatchObject({ pagination: { total: 1 } });
    expect(await received()).toBe(first);
    const unknown = await caller.control('POST', '/sim/restore', { snapshotId: 'nope' });
    expect(unknown.status).toBe(404);
  });

  test('a reset is the state right after the start', async () => {
    const first = await caller.vault();
    await caller.sim('POST', '/sim/reset');
    expect((await caller.api('GET', '/vaults')).status).toBe(401);
    expect(await caller.vault()).toBe(first);
  });
});

describe('the control port', () => {
  test('refuses unknown calls, with a reason', async () => {
    const path = await caller.control('GET', '/sim/nothing');
    expect([path.status, path.body['errorCode']]).toEqual([404, 'NE-1']);
    const field = await caller.control('POST', '/sim/vaults', { name: 'v', colour: 'red' });
    expect([field.status, field.body['errorCode']]).toEqual([400, 'BR-2']);
    expect(field.body['errorMessage']).toContain('colour');
    const both = await caller.control('POST', '/sim/deposits', {
      network: 'ethereum',
      asset: 'ethereum:ETH',
      amount: '1',
    });
    expect(both.body['errorMessage']).toContain('addressId or a networkAddress');
    const approver = await caller.control('POST', '/sim/vaults', {
      name: 'v',
      quorum: 1,
      approvers: ['nobody'],
    });
    expect(approver.status).toBe(404);
  });

  test('refuses requests that a browser sends for another site', async () => {
    const response = await fetch(`${caller.core.controlUrl}/sim/reset`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
    });
    expect(response.status).toBe(403);
  });
});

describe('addresses without credentials', () => {
  test('an address of a vault is made in its account `default`, and can be paid to', async () => {
    const vaultId = await caller.vault();
    const make = (network: string) => caller.sim('POST', '/sim/addresses', { vaultId, network });
    const [first, second] = [await make('ethereum'), await make('bitcoin')];
    expect(first['accountId']).toBe(second['accountId']);
    expect(first['networkAddress']).toMatch(/^0x[0-9a-fA-F]{40}$/);
    const { blockchainHash } = await caller.sim('POST', '/sim/deposits', {
      network: 'ethereum',
      addressId: first['addressId'],
      asset: 'ethereum:ETH',
      amount: '5',
    });
    expect((await rows()).map((row) => row['blockchainHash'])).toEqual([blockchainHash]);
  });

  test('an account that is named is used; a vault or network that is not there is refused', async () => {
    const vaultId = await caller.vault();
    const accountId = await caller.account(vaultId);
    const make = (body: Json) => caller.sim('POST', '/sim/addresses', body);
    expect(await make({ vaultId, accountId, network: 'ethereum' })).toMatchObject({ accountId });
    const refusal = async (body: Json): Promise<unknown> =>
      (await caller.control('POST', '/sim/addresses', body)).body['errorCode'];
    const other = await caller.vault();
    expect(await refusal({ vaultId: 'none', network: 'ethereum' })).toBe('NE-1');
    expect(await refusal({ vaultId: other, accountId, network: 'ethereum' })).toBe('BR-1');
    expect(await refusal({ vaultId, network: 'dogecoin' })).toBe('BR-1001');
  });
});

test.each<[Json, RegExp]>([
  [{ network: 'ethereum' }, /outputs/],
  [{ network: 'ethereum', asset: 'ethereum:ETH', amount: 5 }, /amount/],
  [{ network: 'ethereum', asset: 'ethereum:ETH', amount: '5', memmo: 'm' }, /memmo/],
])('a deposit that is none is refused with the name of what is wrong: %o', async (body, name) => {
  const refused = await caller.control('POST', '/sim/deposits', body);
  expect([refused.status, refused.body['errorCode']]).toEqual([400, 'BR-2']);
  expect(refused.body['errorMessage']).toMatch(name);
});
