import { afterEach, beforeEach, expect, test } from 'vitest';
import { VIRTUAL_START_MS } from '../../../src/simulator/clock.ts';
import { startCore } from '../../../src/simulator/core.ts';
import type { RunningCore } from '../../../src/simulator/core.ts';
import { startReceiver } from '../../simulator/webhook-receiver.ts';
import type { WebhookReceiver } from '../../simulator/webhook-receiver.ts';
import { CoreProcess, RemoteCore } from '../../simulator/core-process.ts';
import { OUTSIDE } from '../../simulator/outside-addresses.ts';

const SEED = 5;
const STREAMS = ['incoming', 'outgoing', 'blockchain'];
/**
 * Until this virtual time the receiver refuses everything. Virtual time makes it the same in every
 * run.
 */
const RECOVERY_MS = VIRTUAL_START_MS + 300_000;

let receiver: WebhookReceiver;
let killed: CoreProcess;
let untouched: RunningCore;
let twin: RemoteCore;

beforeEach(async () => {
  receiver = await startReceiver();
  receiver.reply = ({ body }) => (body.timestamp < RECOVERY_MS ? 500 : 200);
  killed = await CoreProcess.startOnFile('--seed', String(SEED), '--clock', 'virtual');
  untouched = await startCore({ port: 0, seed: SEED, clock: 'virtual' });
  twin = new RemoteCore(untouched);
});

afterEach(async () => {
  await killed.remove();
  await untouched.stop();
  await receiver.close();
});

/** The records of the steps so far; the same in both cores, ids included. */
interface Made {
  vaultId: string;
  externalVaultId: string;
  accountId: string;
  addressId: string;
}

type Step = (core: RemoteCore, made: Made) => Promise<unknown>;

const STEPS: Readonly<Record<string, Step>> = {
  'vaults, keys and a subscription': async (core, made) => {
    const { clientId } = await core.client();
    const vault = { name: 'v', quorum: 1, approvers: [clientId] };
    made.vaultId = String((await core.sim('POST', '/sim/vaults', vault))['vaultId']);
    const external = { name: 'e', externalSigner: true };
    const { vaultId, externalSigner } = await core.sim('POST', '/sim/vaults', external);
    made.externalVaultId = String(vaultId);
    const webhook = { webhookUrl: `${receiver.url}/hook`, streams: STREAMS };
    await core.made(`/subscriptions/${made.vaultId}`, webhook);
    return externalSigner;
  },
  'accounts and addresses': async (core, made) => {
    made.accountId = String(
      (await core.made('/accounts', { vaultId: made.vaultId, name: 'main' }))['accountId'],
    );
    const address = await core.made('/addresses', {
      accountId: made.accountId,
      network: 'ethereum',
      data: { $bigint: '#5', note: '#7' },
    });
    made.addressId = String(address['addressId']);
    return address;
  },
  'a deposit whose webhook fails': async (core, made) => {
    const deposit = await core.sim('POST', '/sim/deposits', {
      network: 'ethereum',
      addressId: made.addressId,
      asset: 'ethereum:ETH',
      amount: String(10n ** 20n),
    });
    await core.advance(90_000);
    return deposit;
  },
  'orders that wait for approval and for funds': async (core, made) => {
    const order = {
      vaultId: made.vaultId,
      network: 'ethereum',
      destinationAddress: OUTSIDE.ethereum,
    };
    const asset = 'ethereum:ETH';
    await core.made('/transactions', { ...order, orderId: 'first', asset, amount: '5' });
    await core.made('/transactions', {
      orderId: 'second',
      vaultId: made.externalVaultId,
      network: 'bitcoin',
      asset: 'bitcoin:BTC',
      amount: '100000',
      destinationAddress: OUTSIDE.bitcoin,
    });
    return (await core.api('GET', '/transactions')).body;
  },
  'faults with what is left of them': (core) =>
    core.sim('PUT', '/sim/faults', {
      delivery: [
        { fault: 'duplicate', probability: 0.3 },
        { fault: 'replay-late', count: 2, delayMs: 900_000 },
      ],
    }),
  'a reorg': (core) => core.sim('POST', '/sim/reorgs', { network: 'ethereum', depth: 12 }),
  'recovery of the receiver': (core) => core.advance(600_000),
  'a day later': (core) => core.advance(86_400_000),
  'a second deposit': async (core, made) => {
    await core.sim('POST', '/sim/deposits', {
      network: 'ethereum',
      addressId: made.addressId,
      asset: 'ethereum:USDC',
      amount: '1000000',
    });
    await core.advance(3_600_000);
    return [
      (await core.api('GET', '/transactions?pageSize=1000')).body,
      await core.made('/addresses', { accountId: made.accountId, network: 'bitcoin' }),
      await core.sim('GET', '/sim/truth/balances'),
      await core.sim('GET', '/sim/networks'),
      await core.sim('GET', '/sim/clock'),
    ];
  },
};

test('a core that is killed between its calls continues like one that was not', async () => {
  const made: Made = { vaultId: '', externalVaultId: '', accountId: '', addressId: '' };
  for (const [name, step] of Object.entries(STEPS)) {
    const ofKilled = await step(killed, made);
    await killed.killAndStartAgain();
    const ofTwin = await step(twin, made);
    expect({ name, made: ofKilled }).toEqual({ name, made: ofTwin });
    expect(await killed.deliveryLog()).toBe(await twin.deliveryLog());
  }
  const log = await twin.deliveryLog();
  const happened = [...log.matchAll(/"(?:type|kind|statusCode)":"?([\w-]+)/g)].map(
    ([, what]) => what,
  );
  expect(happened).toEqual(expect.arrayContaining(['duplicate', 'replay-late', '500', 'rollback']));
});

test('sessions, login codes, used rates and backoff survive a crash', async () => {
  const email = 'ann@example.com';
  const user = { name: 'Ann', type: 'user', email, permissions: ['Vault:read'] };
  await killed.sim('POST', '/sim/clients', user);
  await killed.api('POST', '/auth/login-code/request', { email });
  await killed.killAndStartAgain();

  const mails = await killed.sim('GET', `/sim/mailbox?email=${email}`);
  const [mail] = mails['data'] as { code: string }[];
  const verified = await killed.api('POST', '/auth/login-code/verify', { email, code: mail?.code });
  expect(verified.status).toBe(200);
  const accessToken = String(verified.body['accessToken']);
  const before = await killed.api('GET', '/vaults', undefined, accessToken);
  expect(before.headers.get('x-ratelimit-remaining')).toBe('99');
  await killed.killAndStartAgain();

  const after = await killed.api('GET', '/vaults', undefined, accessToken);
  expect(after.status).toBe(200);
  expect(after.headers.get('x-ratelimit-remaining')).toBe('98');
  const refreshed = await killed.api(
    'POST',
    '/auth/refresh',
    undefined,
    String(verified.body['refreshToken']),
  );
  expect(refreshed.status).toBe(200);
  const again = await killed.api('POST', '/auth/login-code/verify', { email, code: mail?.code });
  expect(again.status).toBe(401);
});

test('stops on a signal, and the file is complete', async () => {
  const vault = await killed.sim('POST', '/sim/vaults', { name: 'kept' });
  expect(await killed.stop()).toBe(0);
  await killed.startAgain();
  const { body } = await killed.api('GET', '/vaults');
  expect(body['data']).toMatchObject([{ vaultId: vault['vaultId'] }]);
});
