import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';
import { startScene } from './scene.ts';
import type { Scene } from './scene.ts';

let scene: Scene;
let inspector: string;

beforeAll(async () => {
  scene = await startScene();
  inspector = `${scene.caller.core.controlUrl}/inspector`;
});
afterAll(() => scene.stop());

async function page(path: string): Promise<string> {
  return (await fetch(`${inspector}${path}`)).text();
}

/** Sends a form as the pages do, and returns the page that follows. */
async function press(path: string, fields: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${inspector}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  expect(new URL(response.url).pathname).toMatch(/^\/inspector/);
  return response.text();
}

/** The status of a request with headers that `fetch` does not allow. */
async function statusOf(
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<number> {
  const { controlPort } = scene.caller.core;
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: controlPort, path: `/inspector${path}`, method, headers },
      (response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      },
    );
    sent.once('error', reject).end();
  });
}

test('both ports lead to the inspector', async () => {
  const { url, controlUrl } = scene.caller.core;
  for (const from of [url, controlUrl]) {
    const response = await fetch(from);
    expect(response.url).toBe(inspector);
    expect(await response.text()).toContain('<title>Overview · Custody core</title>');
  }
});

test('a page shows names escaped, and runs nothing inline', async () => {
  await scene.caller.vault({ name: '<b>Bold & "co"</b>' });
  const response = await fetch(`${inspector}/vaults`);
  const text = await response.text();
  expect(text).toContain('&lt;b&gt;Bold &amp; &quot;co&quot;&lt;/b&gt;');
  expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script[^>]*>[^<]/);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; style-src 'self'; script-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('a page loads the core’s own files alone, and each is there', async () => {
  const text = await page('');
  const loaded = [...text.matchAll(/<(?:link|script)[^>]+(?:src|href)="([^"]+)"/g)];
  expect(loaded).toHaveLength(4);
  for (const [, path = ''] of loaded) {
    expect(path).toMatch(/^\/inspector\/assets\//);
    expect((await fetch(`${scene.caller.core.controlUrl}${path}`)).status).toBe(200);
  }
});

test('another site may link to a page, and can neither press a button nor listen', async () => {
  const foreign = { 'sec-fetch-site': 'cross-site' };
  const visit = { ...foreign, 'sec-fetch-mode': 'navigate' };
  expect(await statusOf('', visit)).toBe(200);
  expect(await statusOf('/faults/off', visit, 'POST')).toBe(403);
  expect(await statusOf('/faults/off', { origin: 'http://evil.example' }, 'POST')).toBe(403);
  expect(await statusOf('/live', { ...foreign, 'sec-fetch-mode': 'cors' })).toBe(403);
  expect(await statusOf('', { ...foreign, 'sec-fetch-mode': 'no-cors' })).toBe(403);
  expect(await scene.caller.sim('GET', '/sim/faults')).not.toEqual({});
});

test('the inspector answers only to names of the core', async () => {
  for (const host of ['rebound.example', '10.1.2.3', 'localhost.evil']) {
    const own = { host, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };
    expect(await statusOf('', own)).toBe(403);
    expect(await statusOf('/mailbox', own)).toBe(403);
    expect(await statusOf('/faults/off', { ...own, origin: `http://${host}` }, 'POST')).toBe(403);
  }
  expect(await statusOf('', { host: 'localhost', 'sec-fetch-mode': 'navigate' })).toBe(200);
});

test('a message is shown once, and a link cannot invent one', async () => {
  const response = await fetch(`${inspector}/snapshots`, { method: 'POST' });
  expect(await response.text()).toContain('The state is saved as');
  expect(await (await fetch(response.url)).text()).not.toContain('The state is saved as');
  expect(await page('?said=Call%20this%20number')).not.toContain('Call this number');
});

test('a refusal says why, and changes nothing', async () => {
  const deposit = { addressId: scene.addressId, asset: 'bitcoin:BTC', amount: '1.5' };
  expect(await press(`/vaults/${scene.vaultId}/deposit`, deposit)).toContain('amount');
  expect(await press('/chains/nowhere/mine', { count: '1' })).toContain('nowhere');
  expect(await press('/clock/advance', { seconds: 'long' })).toContain('advanceMs');
  for (const name of ['api.nothing', 'nothing.error', '', '__proto__.error']) {
    expect(await press('/faults', { name })).toContain('The core refused it');
  }
  expect(await press('/faults', { name: 'api.429', count: '-1' })).toContain('count');
  expect(await press('/snapshots/none/load')).toContain('Snapshot none not found');
  const { data } = await scene.caller.sim('GET', '/sim/faults/strikes');
  expect(data).toMatchObject([{ fault: { fault: 'stale' } }]);
});

test('a form cannot send a person to another site', async () => {
  for (const back of [
    'https://evil.example',
    '//evil.example',
    '/inspector//evil',
    '/sim/faults',
  ]) {
    const response = await fetch(`${inspector}/queues/${scene.vaultId}/retry`, {
      method: 'POST',
      body: new URLSearchParams({ back }),
    });
    expect(response.url.startsWith(`${inspector}?said=`)).toBe(true);
  }
});

test('a form that cannot be read is answered 400', async () => {
  const headers = { 'Content-Type': 'multipart/form-data' };
  const init = { method: 'POST', headers, body: 'back=/inspector' };
  const response = await fetch(`${inspector}/queues/${scene.vaultId}/retry`, init);
  expect(response.status).toBe(400);
});

test('an unknown thing says so', async () => {
  for (const path of [
    '/deliveries/none',
    '/transactions/none',
    '/vaults/none',
    '/chains/none',
    '/chains/hashes/none',
    '/search?q=none',
  ]) {
    expect([path, (await fetch(`${inspector}${path}`)).status]).toEqual([path, 404]);
  }
});

test('a search opens the page of an id, a hash, an order or an address', async () => {
  const found = async (text: string): Promise<string> => {
    const { url } = await fetch(`${inspector}/search?q=${encodeURIComponent(text)}`);
    return url.slice(inspector.length);
  };
  const { vaultId, transactionId, hash, notificationId, addressId, networkAddress } = scene;
  expect(await found(vaultId)).toBe(`/vaults/${vaultId}`);
  expect(await found(transactionId)).toBe(`/transactions/${transactionId}`);
  expect(await found('payout-1')).toBe(`/transactions/${transactionId}`);
  expect(await found(notificationId)).toBe(`/deliveries/${notificationId}`);
  expect(await found(` ${hash} `)).toBe(`/chains/hashes/${hash}`);
  expect(await found(addressId)).toBe(`/vaults/${vaultId}`);
  expect(await found(networkAddress)).toBe(`/vaults/${vaultId}`);
  expect(await found('bitcoin')).toBe('/chains/bitcoin');
  expect(await found('')).toBe('');
});

test('a real clock pauses and goes on', async () => {
  const real = await startCaller({ clock: 'real' });
  const say = async (step: string): Promise<string> =>
    (await fetch(`${real.core.controlUrl}/inspector/clock/${step}`, { method: 'POST' })).text();
  try {
    expect(await say('pause')).toContain('The clock is paused.');
    expect(await real.sim('GET', '/sim/clock')).toMatchObject({ paused: true });
    expect(await say('go-on')).toContain('The clock goes on.');
    expect(await say('advance')).toContain('The core refused it');
  } finally {
    await real.stop();
  }
});

test('an approver rejects, and a signer signs with the key that only they have', async () => {
  const { caller, networkAddress } = scene;
  const vault = await caller.sim('POST', '/sim/vaults', { name: 'own keys', externalSigner: true });
  const vaultId = String(vault['vaultId']);
  const { addressId } = await caller.address(await caller.account(vaultId), 'bitcoin');
  const asset = 'bitcoin:BTC';
  const deposit = await press(`/vaults/${vaultId}/deposit`, { addressId, asset, amount: '90000' });
  expect(deposit).toContain('waits for a block');
  await press('/chains/bitcoin/mine', { count: '1' });
  const order = { network: 'bitcoin', asset, amount: '1000', destinationAddress: networkAddress };
  const ordered = await caller.api('POST', '/transactions', { ...order, vaultId, orderId: 'key' });
  const path = `/transactions/${String(ordered.body['transactionId'])}`;
  expect(await page(path)).toContain('name="xprv"');
  const { xprv } = vault['externalSigner'] as { xprv: string };
  expect(await press(`${path}/signatures`, { xprv })).toContain('the transaction is submitted');
  expect(await press(`${path}/cancel`)).toContain('The core refused it');
  const pending = `/transactions/${scene.transactionId}`;
  const rejected = { clientId: scene.clientId, decision: 'reject' };
  expect(await press(`${pending}/decisions`, rejected)).toContain('the transaction is cancelled');
});

test('a person debits an address from outside, and an impossible debit is refused', async () => {
  const { caller, networkAddress } = scene;
  const vaultId = await caller.vault({ name: 'robbed' });
  const { addressId } = await caller.address(await caller.account(vaultId), 'bitcoin');
  const path = `/vaults/${vaultId}`;
  const held = { addressId, asset: 'bitcoin:BTC', amount: '90000' };
  await press(`${path}/deposit`, held);
  await press('/chains/bitcoin/mine', { count: '1' });
  expect(await page(path)).toContain('Debit without a platform transaction');
  const debit = { ...held, amount: '1000', destinationAddress: networkAddress };
  expect(await press(`${path}/external-debit`, { ...debit, amount: '90001' })).toContain(
    'The address holds only 90000',
  );
  expect(await press(`${path}/external-debit`, debit)).toMatch(/Debit \w+ waits for a block\./);
  await press('/chains/bitcoin/mine', { count: '1' });
  const { data } = await caller.sim('GET', '/sim/truth/balances');
  expect(data).toContainEqual(expect.objectContaining({ addressId, amount: '89000' }));
});

test('faults that ended stay listed with their strikes, the newest first', async () => {
  const { caller } = scene;
  await caller.sim('PUT', '/sim/faults', {
    api: [
      { fault: 'error', operation: 'listVaults' },
      { fault: 'stale', operation: 'listTransactions' },
    ],
  });
  await caller.api('GET', '/vaults');
  await caller.api('GET', '/vaults');
  expect(await press('/faults/api/0/off')).toContain('The fault is off.');
  await press('/faults/off');
  const list = (await page('/faults')).split('Faults that ended')[1] ?? '';
  const rows = [...list.matchAll(/<code>(.*?)<\/code>|(once|\d+ times)/g)].map(([text]) => text);
  expect(rows.slice(0, 4)).toEqual([
    '<code>api.stale</code>',
    '0 times',
    '<code>api.error</code>',
    '2 times',
  ]);
});

test('an open page does not keep the core from stopping', async () => {
  const other = await startCaller();
  const stream = await fetch(`${other.core.controlUrl}/inspector/live`);
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  await other.stop();
  expect(await stream.text()).toContain('event: hello');
});

test('the inspector is absent when switched off', async () => {
  const plain: Caller = await startCaller({ inspector: false });
  const statuses = await Promise.all(
    [plain.core.url, `${plain.core.controlUrl}/inspector`].map(async (url) => {
      return (await fetch(url)).status;
    }),
  );
  await plain.stop();
  expect(statuses).toEqual([404, 404]);
});
