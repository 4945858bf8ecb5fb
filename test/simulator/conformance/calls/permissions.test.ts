import { expect, test } from 'vitest';
import { send, textOf } from '../../call.ts';
import { CoreProcess } from '../../core-process.ts';
import { covers } from '../coverage.ts';
import { refusalOf } from '../error-body.ts';
import { ALL_STREAMS, setStage } from '../stage.ts';
import { OUTSIDE } from '../../outside-addresses.ts';

const stage = setStage('permissions');

type Access = 'write' | 'read';

interface Scene {
  readonly vaultId: string;
  readonly notificationId: string;
  readonly transactionId: string;
}

async function scene(): Promise<Scene> {
  const vault = await stage.vault();
  await stage.deposit(await stage.address(vault, 'ripple'), 'XRP', '5');
  await stage.mine('ripple');
  const [received] = await stage.notifications('incoming');
  return {
    vaultId: vault.vaultId,
    notificationId: received?.id ?? '',
    transactionId: String(received?.transactionId),
  };
}

const webhookUrl = 'http://127.0.0.1:9/hook';

/** The eight calls of the table and the access that each needs. */
const CALLS: [Access, string, (scene: Scene) => string, unknown][] = [
  ['read', 'GET', ({ vaultId }) => `/subscriptions/${vaultId}`, undefined],
  ['read', 'GET', ({ vaultId }) => `/subscriptions/${vaultId}/confirmations`, undefined],
  [
    'read',
    'GET',
    ({ transactionId }) => `/subscriptions/notifications?transactionId=${transactionId}`,
    undefined,
  ],
  [
    'write',
    'POST',
    ({ notificationId }) => `/subscriptions/notifications/${notificationId}/replay`,
    { url: webhookUrl },
  ],
  [
    'write',
    'PUT',
    ({ vaultId }) => `/subscriptions/${vaultId}/confirmations`,
    { confirmations: { ripple: 1 } },
  ],
  [
    'write',
    'PATCH',
    ({ vaultId }) => `/subscriptions/${vaultId}/notifications/retry-schedule`,
    undefined,
  ],
  [
    'write',
    'POST',
    ({ vaultId }) => `/subscriptions/${vaultId}`,
    { webhookUrl, streams: ALL_STREAMS },
  ],
  ['write', 'DELETE', ({ vaultId }) => `/subscriptions/${vaultId}`, undefined],
];

/** `own` means the vault's own permission, `other` that of another vault. */
const HOLDERS: [held: string[], may: Access[]][] = [
  [[], []],
  [['Vault:read'], ['read']],
  [['manageVaults'], []],
  [['manageNotifications'], []],
  [['own'], []],
  [['other', 'manageVaults'], []],
  [['manageVaults', 'Vault:read'], ['read']],
  [['manageNotifications', 'Vault:read'], ['read']],
  [['own', 'Vault:read'], ['read']],
  [['other', 'manageVaults', 'Vault:read'], ['read']],
  [
    ['own', 'manageVaults'],
    ['read', 'write'],
  ],
  [
    ['manageNotifications', 'manageVaults'],
    ['read', 'write'],
  ],
  [
    ['own', 'manageVaults', 'Vault:read'],
    ['read', 'write'],
  ],
];

for (const [held, may] of HOLDERS) {
  const allowed = may.join(' and ') || 'do nothing with';
  test(
    `${held.join(' + ') || 'nobody'} may ${allowed} subscriptions`,
    covers('permissions/write', 'permissions/read', 'permissions/missing'),
    async () => {
      const given = await scene();
      const other = (await stage.vault()).vaultId;
      const client = await stage.client(
        held.map((permission) => {
          if (permission === 'own') return `manageNotifications:${given.vaultId}`;
          return permission === 'other' ? `manageNotifications:${other}` : permission;
        }),
      );
      for (const [access, method, pathOf, body] of CALLS) {
        const path = pathOf(given);
        const answer = await client.call(method, path, body);
        const endpoint = `${method} /api/v1${path.split('?')[0] ?? ''}`;
        const outcome = answer.status === 200 ? `200 ${endpoint}` : refusalOf(answer);
        expect(outcome).toBe(may.includes(access) ? `200 ${endpoint}` : `403 AU-1 ${endpoint}`);
      }
    },
  );
}

test('a client without permission is refused before it learns what exists', async () => {
  const nobody = await stage.client([]);
  const manager = await stage.client();
  const nowhere = { vaultId: 'none', notificationId: 'none', transactionId: 'none' };
  for (const [, method, pathOf, body] of CALLS) {
    const path = pathOf(nowhere);
    expect((await nobody.call(method, path, body)).status).toBe(403);
    expect((await manager.call(method, path, body)).status).toBe(404);
  }
});

/** An order on a network where the vault has no funds: it is accepted and waits for funds. */
const orderIn = (vaultId: string) => ({
  orderId: 'one',
  vaultId,
  network: 'ethereum',
  asset: 'ethereum:ETH',
  amount: '1000',
  destinationAddress: OUTSIDE.ethereum,
});

test('a client needs a permission to order, and any permission is enough', async () => {
  const { vaultId } = await scene();
  const nobody = await stage.client([]);
  const refused = await nobody.call('POST', '/transactions', orderIn(vaultId));
  expect(refusalOf(refused)).toBe('403 AU-1 POST /api/v1/transactions');
  // The client must not learn whether the order exists, so the refusal comes before the body is
  // read.
  expect(refusalOf(await nobody.call('POST', '/transactions', {}))).toBe(refusalOf(refused));
  expect((await nobody.call('GET', '/transactions')).rows).toHaveLength(1);
  for (const permission of ['Vault:read', 'manageVaults', `manageNotifications:${vaultId}`]) {
    const client = await stage.client([permission]);
    const order = { ...orderIn(vaultId), orderId: permission };
    expect((await client.call('POST', '/transactions', order)).status).toBe(201);
  }
});

test('a core with --no-strict-permissions lets every client order', async () => {
  const core = await CoreProcess.startStill('--no-strict-permissions');
  try {
    const { publicKeyPem } = stage.keys;
    const client = { name: 'c', type: 'api', publicKeyPem, permissions: [] };
    const made = await send(`${core.controlUrl}/sim/clients`, 'POST', { body: client });
    const token = await stage.token(textOf(made.body, 'clientId'));
    const vault = await send(`${core.controlUrl}/sim/vaults`, 'POST', { body: { name: 'v' } });
    const body = orderIn(textOf(vault.body, 'vaultId'));
    const answer = await send(`${core.url}/api/v1/transactions`, 'POST', { token, body });
    expect(answer.status).toBe(201);
  } finally {
    await core.stop();
  }
});
