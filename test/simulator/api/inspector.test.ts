import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';

let caller: Caller;
let addressId: string;

beforeAll(async () => {
  caller = await startCaller();
  const accountId = await caller.account(await caller.vault({ name: '<b>Bold & "co"</b>' }));
  ({ addressId } = await caller.address(accountId, 'bitcoin'));
});
afterAll(() => caller.stop());

async function push(action: string, fields: Record<string, string>): Promise<string> {
  const response = await fetch(`${caller.core.url}/inspector/${action}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  expect(response.url).toContain('/?message=');
  return response.text();
}

test('shows vaults with their names escaped, and runs no script', async () => {
  const response = await fetch(caller.core.url);
  const page = await response.text();
  expect(page).toContain('&lt;b&gt;Bold &amp; &quot;co&quot;&lt;/b&gt;');
  expect(page).not.toContain('<script');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  const message = await (await fetch(`${caller.core.url}/?message=<i>x</i>`)).text();
  expect(message).toContain('&lt;i&gt;x&lt;/i&gt;');
});

test('deposits, mines and reorganises, and shows the results', async () => {
  const deposit = { network: 'bitcoin', addressId, asset: 'bitcoin:BTC', amount: '5000' };
  expect(await push('deposit', deposit)).toContain('is in the mempool');
  expect(await push('mine', { network: 'bitcoin', count: '2' })).toContain('is at height');
  const { data } = await caller.sim('GET', '/sim/truth/balances');
  expect(data).toMatchObject([{ addressId, amount: '5000' }]);
  expect(await push('reorg', { network: 'bitcoin', depth: '2' })).toContain('1 transactions wait');
  expect(await push('deposit', { ...deposit, amount: '1.5' })).toContain('whole number');
  expect(await push('mine', { network: 'nowhere', count: '1' })).toContain('nowhere');
});

test('sets a fault of any kind, with or without a limit, and clears it', async () => {
  expect(await push('fault', { fault: 'api.error', count: '2' })).toContain('api.error');
  expect(await caller.sim('GET', '/sim/faults')).toEqual({ api: [{ fault: 'error', count: 2 }] });
  expect((await caller.api('GET', '/networks')).body['errorCode']).toBe('GE-1');
  expect(await push('fault', { fault: 'delivery.duplicate', count: '' })).toContain('duplicate');
  expect(await caller.sim('GET', '/sim/faults')).toEqual({ delivery: [{ fault: 'duplicate' }] });
  const paused = await push('fault', { fault: 'transactions.pause', count: '1' });
  expect(paused).toContain('hosted_singner_unavailable');
  for (const fault of ['api.nothing', 'nothing.error', '', '__proto__.error']) {
    expect(await push('fault', { fault, count: '1' })).toContain('No such fault');
  }
  expect(await push('fault', { fault: 'api.429', count: '-1' })).toContain('No such fault');
  expect(await caller.sim('GET', '/sim/faults')).toMatchObject({ transactions: [{}] });
  expect(await push('faultless', {})).toContain('No faults');
  expect(await caller.sim('GET', '/sim/faults')).toEqual({});
});

test('shows the mempool and the queues', async () => {
  const vaultId = await caller.vault({ name: 'with a dead receiver' });
  const { addressId: paid } = await caller.address(await caller.account(vaultId), 'bitcoin');
  // Nobody listens at this port.
  const request = { webhookUrl: 'http://127.0.0.1:9/hook', streams: ['incoming'] };
  await caller.api('POST', `/subscriptions/${vaultId}`, request);
  const { blockchainHash } = await caller.sim('POST', '/sim/deposits', {
    network: 'bitcoin',
    addressId: paid,
    asset: 'bitcoin:BTC',
    amount: '5000',
  });
  await caller.advance(0);
  const page = await (await fetch(caller.core.url)).text();
  expect(page).toContain(String(blockchainHash));
  const row = page.slice(page.indexOf(vaultId)).split('</tr>')[0] ?? '';
  const cells = [...row.matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map(([, text]) => text);
  expect(cells).toEqual(['incoming', '127.0.0.1:9', '1', '1', '2026-01-01T00:00:10.000Z']);
});

test('refuses requests from another site', async () => {
  const response = await fetch(`${caller.core.url}/inspector/mine`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site' },
    body: new URLSearchParams({ network: 'bitcoin', count: '1' }),
  });
  expect(response.status).toBe(403);
});

test('is absent when switched off', async () => {
  const plain = await startCaller({ inspector: false });
  const response = await fetch(plain.core.url);
  await plain.stop();
  expect(response.status).toBe(404);
});
