import { z } from '@hono/zod-openapi';
import { ok, notFound, refused } from '../api/answer.ts';
import { creationAnswer, worldRefusal } from '../api/resources/creation.ts';
import { endpoint } from '../api/endpoint.ts';
import type { Endpoint } from '../api/endpoint.ts';
import { identifier, name } from '../api/schema.ts';
import { permission } from '../auth/permission.ts';
import { CONTROL_CALL } from './control-call.ts';
import type { ControlServices } from './control-services.ts';

const clientRequest = z.strictObject({
  name,
  type: z.enum(['api', 'user']),
  publicKeyPem: z.string().exactOptional(),
  email: z.string().exactOptional(),
  permissions: z.array(permission),
});

const approvers = z.array(identifier);
const vaultRequest = z.strictObject({
  name,
  source: z.enum(['address', 'account', 'vault']).exactOptional(),
  quorum: z.int().min(0).exactOptional(),
  approvers: approvers.exactOptional(),
  externalSigner: z.boolean().exactOptional(),
  masterApproval: z.strictObject({ approvers }).exactOptional(),
});

/** Name of the account for addresses without an `accountId`. It is created at the first use. */
const DEFAULT_ACCOUNT = 'default';
const addressRequest = z.strictObject({
  vaultId: identifier,
  network: identifier,
  accountId: identifier.exactOptional(),
  name: name.exactOptional(),
});

/** The control calls that set up clients, vaults and addresses, as the service's console would. */
export function setupEndpoints({ clients, world }: ControlServices): Endpoint[] {
  return [
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/clients',
      operation: 'simCreateClient',
      summary: 'Add a client',
      body: clientRequest,
      creates: true,
      handle: ({ body }) => {
        if (body.type === 'user' && body.email === undefined && body.publicKeyPem === undefined) {
          return refused('BR-1', 'A user needs an email or a publicKeyPem to log in with');
        }
        const outcome = clients.create(body);
        switch (outcome.kind) {
          case 'created': {
            const { clientId, keys } = outcome.client;
            return { kind: 'ok', status: 201, body: { clientId, kid: keys[0]?.kid } };
          }
          case 'invalid-key':
            return refused('BR-1', outcome.message);
          case 'email-taken':
            return refused('CFR-1', `Another user has the email ${body.email ?? ''}`);
          default:
            return outcome satisfies never;
        }
      },
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/vaults',
      operation: 'simCreateVault',
      summary: 'Add a vault',
      body: vaultRequest,
      creates: true,
      handle: ({ body }) => {
        const named = [...(body.approvers ?? []), ...(body.masterApproval?.approvers ?? [])];
        const stranger = named.find((clientId) => clients.byId(clientId) === undefined);
        if (stranger !== undefined) return notFound('Client', stranger);
        const outcome = world.createVault(body);
        if (outcome.kind === 'refused') return worldRefusal(outcome);
        const { record, externalSigner } = outcome;
        return { kind: 'ok', status: 201, body: { ...record, externalSigner } };
      },
    }),
    addressEndpoint(world),
    endpoint({
      ...CONTROL_CALL,
      method: 'get',
      path: '/sim/networks',
      operation: 'simNetworks',
      summary: 'Networks, assets and chain tips',
      handle: () => ok({ data: world.networks(), chains: world.chains() }),
    }),
  ];
}

function addressEndpoint(world: ControlServices['world']): Endpoint {
  return endpoint({
    ...CONTROL_CALL,
    method: 'post',
    path: '/sim/addresses',
    operation: 'simCreateAddress',
    summary: 'Add an address to a vault',
    body: addressRequest,
    creates: true,
    handle: ({ body: { vaultId, accountId, ...address } }) => {
      if (accountId !== undefined) {
        if (world.account(accountId)?.vaultId !== vaultId) {
          return refused('BR-1', `Vault ${vaultId} has no account ${accountId}`);
        }
        return creationAnswer(world.createAddress({ ...address, accountId }));
      }
      const account = world.createAccount({ vaultId, name: DEFAULT_ACCOUNT });
      if (account.kind === 'refused') return worldRefusal(account);
      return creationAnswer(
        world.createAddress({ ...address, accountId: account.record.accountId }),
      );
    },
  });
}
