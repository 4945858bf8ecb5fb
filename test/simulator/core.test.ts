import { afterEach, expect, test } from 'vitest';
import { startCore } from '../../src/simulator/core.ts';
import { notification } from '../../src/wire/notification.ts';
import { startCaller } from './core-caller.ts';
import { startReceiver } from './webhook-receiver.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function deposits(seed: number): Promise<unknown[]> {
  const caller = await startCaller({ seed });
  const receiver = await startReceiver();
  const vaultId = await caller.vault();
  await caller.api('POST', `/subscriptions/${vaultId}`, {
    webhookUrl: `${receiver.url}/hook`,
    streams: ['incoming', 'outgoing', 'blockchain'],
  });
  const accountId = await caller.account(vaultId);
  const { addressId } = await caller.address(accountId, 'ethereum');
  await caller.sim('POST', '/sim/deposits', {
    network: 'ethereum',
    addressId,
    asset: 'ethereum:ETH',
    amount: '1000000000000000001',
  });
  await caller.sim('POST', '/sim/blocks', { network: 'ethereum', count: 3 });
  await caller.advance(0);
  const truth = await caller.sim('GET', '/sim/truth/balances');
  expect(truth['data']).toEqual([
    {
      vaultId,
      accountId,
      addressId,
      memo: null,
      asset: 'ethereum:ETH',
      amount: '1000000000000000001',
    },
  ]);
  await caller.stop();
  await receiver.close();
  return receiver.hits.map(({ body }) => body);
}

test('a deposit is pushed on both streams, and the same seed pushes the same bytes', async () => {
  const bodies = await deposits(5);
  for (const body of bodies) expect(() => notification.parse(body)).not.toThrow();
  const received = bodies.map((body) => {
    const { stream, type, confirmations } = notification.parse(body) as {
      stream: string;
      type: string;
      confirmations?: number;
    };
    return `${stream} ${type}${type === 'confirmation' ? ` ${confirmations ?? ''}` : ''}`;
  });
  expect(received).toContain('incoming mempool');
  expect(received).toContain('incoming confirmation 1');
  expect(received).toContain('incoming confirmation 3');
  expect(received).toContain('blockchain transaction');
  expect(JSON.stringify(await deposits(5))).toBe(JSON.stringify(bodies));
  expect(JSON.stringify(await deposits(6))).not.toBe(JSON.stringify(bodies));
});

test('listens on free ports, serves its document and pages, and stops cleanly', async () => {
  const core = await startCore({ port: 0, clock: 'real', autoMine: false });
  stops.push(() => core.stop());
  expect(core.port).not.toBe(core.controlPort);
  const document = (await (await fetch(`${core.url}/openapi.json`)).json()) as {
    openapi: string;
    paths: Record<string, unknown>;
    components: { schemas: Record<string, { required?: string[] }> };
  };
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      '/api/v1/networks',
      '/api/v1/transactions/{id}',
      '/api/v1/subscriptions/{vaultId}/confirmations',
      '/api/v1/subscriptions/notifications/{notificationId}/replay',
    ]),
  );
  const text = JSON.stringify(document);
  const refs = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  for (const name of refs) expect(document.components.schemas).toHaveProperty(name ?? '');
  expect(document.components.schemas['AddressRequest']?.required).toEqual(['accountId', 'network']);
  const docs = await (await fetch(`${core.url}/docs`)).text();
  expect(docs).not.toMatch(/https?:\/\//);
  for (const [, asset] of docs.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect((await fetch(`${core.url}${asset}`)).status).toBe(200);
  }
  expect(await (await fetch(`${core.url}/`)).text()).toContain('Chains');
});

test('a port that is taken is a rejected start that leaves nothing listening', async () => {
  const core = await startCore({ port: 0, clock: 'virtual' });
  stops.push(() => core.stop());
  await expect(startCore({ port: core.port, clock: 'virtual' })).rejects.toThrow('EADDRINUSE');
  await expect(
    startCore({ port: 0, controlPort: core.controlPort, clock: 'virtual' }),
  ).rejects.toThrow('EADDRINUSE');
});
