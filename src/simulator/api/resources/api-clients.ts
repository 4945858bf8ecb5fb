import { z } from '@hono/zod-openapi';
import { KEYS_PER_CLIENT_MAX } from '../../auth/client.ts';
import type { Client } from '../../auth/client.ts';
import { holdsAll } from '../../auth/permission.ts';
import { createdOrExisting, forbidden, notFound, refused } from '../answer.ts';
import type { Refusal } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { listAnswer, listQuerySchema } from '../list.ts';
import type { ListDefinition } from '../list.ts';
import { identifier, listOf } from '../schema.ts';
import type { Services } from '../services.ts';

/** Longest PEM text. A key of 16,384 bits has about 2,900 characters. */
const PEM_LENGTH_MAX = 8192;
const tag = 'API clients';

const publicKey = z.object({ kid: z.string(), publicKeyPem: z.string() }).openapi('PublicKey');
const apiClient = z
  .object({
    clientId: z.string(),
    name: z.string(),
    type: z.enum(['api', 'user']),
    email: z.string().optional(),
    permissions: z.array(z.string()),
    publicKeys: z.array(publicKey),
  })
  .openapi('ApiClient');

const clientList: ListDefinition<Client> = {
  sorts: { name: (row) => row.name },
  filters: { clientId: (row) => row.clientId, name: (row) => row.name, type: (row) => row.type },
  search: (row) => [row.clientId, row.name, row.email],
};

function present({ keys, ...client }: Client): object {
  return { ...client, publicKeys: keys };
}

function clientGate({ permissions }: Client): Refusal | undefined {
  if (permissions.includes('manageVaults')) return undefined;
  return forbidden('Insufficient privileges on the clients of the organization');
}

/**
 * The endpoints of the organization's clients and their public keys (the specification, section
 * "Self-signed JWT", 3).
 */
export function apiClientEndpoints({ clients }: Services): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api-clients',
      operation: 'listApiClients',
      summary: 'List the clients of the organization with their public keys',
      tag,
      credentials: 'api',
      query: listQuerySchema(clientList),
      answer: listOf(apiClient),
      authorize: clientGate,
      handle: ({ query, view }) =>
        listAnswer({ rows: clients.list(), query, definition: clientList, view, present }),
    }),
    endpoint({
      method: 'post',
      path: '/api-clients/{clientId}/public-keys',
      operation: 'attachPublicKey',
      summary: 'Attach an RSA public key to a client; idempotent on the key',
      tag,
      credentials: 'api',
      params: z.object({ clientId: identifier }),
      body: z.object({ publicKeyPem: z.string().max(PEM_LENGTH_MAX) }).openapi('PublicKeyRequest'),
      answer: publicKey,
      creates: true,
      authorize: (client, { clientId }) => {
        const refusal = clientGate(client);
        if (refusal !== undefined) return refusal;
        const other = clients.byId(clientId);
        if (other === undefined) return notFound('Client', clientId);
        // With a key the caller can act as the client, so the client must not have more
        // permissions.
        return holdsAll(client.permissions, other.permissions)
          ? undefined
          : forbidden('The client has permissions that you lack');
      },
      handle: ({ params: { clientId }, body: { publicKeyPem } }) => {
        const outcome = clients.attachKey(clientId, publicKeyPem);
        switch (outcome.kind) {
          case 'created':
          case 'existing':
            return createdOrExisting(outcome.kind, outcome.key);
          case 'invalid-key':
            return refused('BR-1', outcome.message);
          case 'too-many-keys':
            return refused('UE-1', `A client has at most ${KEYS_PER_CLIENT_MAX} public keys`);
          case 'unknown-client':
            return notFound('Client', clientId);
          default:
            return outcome satisfies never;
        }
      },
    }),
  ];
}
