import { z } from '@hono/zod-openapi';
import { vault } from '../../../wire/vault.ts';
import type { VaultRecord } from '../../world/vault.ts';
import type { World } from '../../world/world.ts';
import { accountList, accountSchema } from './accounts.ts';
import { notFound, ok } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { listAnswer, listQuerySchema, relationsOf, relationsQuerySchema } from '../list.ts';
import type { ListDefinition } from '../list.ts';
import { listOf, named } from '../schema.ts';
import type { Services } from '../services.ts';

const RELATIONS = ['accounts', 'addresses'] as const;
const vaultSchema = named('Vault', vault);
const vaultParams = z.object({ vaultId: z.string() });

const vaultList: ListDefinition<VaultRecord> = {
  sorts: { createdAt: (row) => row.createdAt, name: (row) => row.name },
  filters: { vaultId: (row) => row.vaultId, name: (row) => row.name },
  search: (row) => [row.vaultId, row.name],
  relations: RELATIONS,
};

function presentVault(world: World, row: VaultRecord, relations: ReadonlySet<string>): object {
  const scope = { vaultId: row.vaultId };
  return {
    ...row,
    ...(relations.has('accounts') ? { accounts: world.accounts(scope) } : {}),
    ...(relations.has('addresses') ? { addresses: world.addresses(scope) } : {}),
  };
}

/**
 * The endpoints of vaults and their accounts (the specification, section "Other endpoints
 * referenced").
 */
export function vaultEndpoints({ world }: Services): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/vaults',
      operation: 'listVaults',
      summary: 'List vaults',
      tag: 'Vaults',
      credentials: 'api',
      query: listQuerySchema(vaultList),
      answer: listOf(vaultSchema),
      handle: ({ query, view }) =>
        listAnswer({
          rows: world.vaults(),
          query,
          definition: vaultList,
          view,
          present: (row, relations) => presentVault(world, row, relations),
        }),
    }),
    endpoint({
      method: 'get',
      path: '/vaults/{vaultId}',
      operation: 'getVault',
      summary: 'One vault',
      tag: 'Vaults',
      credentials: 'api',
      params: vaultParams,
      query: relationsQuerySchema(RELATIONS),
      answer: vaultSchema,
      handle: ({ params, query }) => {
        const row = world.vault(params.vaultId);
        if (row === undefined) return notFound('Vault', params.vaultId);
        return ok(presentVault(world, row, relationsOf(query)));
      },
    }),
    endpoint({
      method: 'get',
      path: '/vaults/{vaultId}/accounts',
      operation: 'listVaultAccounts',
      summary: 'List the accounts of a vault',
      tag: 'Vaults',
      credentials: 'api',
      params: vaultParams,
      query: listQuerySchema(accountList),
      answer: listOf(accountSchema),
      handle: ({ params, query, view }) => {
        const { vaultId } = params;
        if (world.vault(vaultId) === undefined) return notFound('Vault', vaultId);
        const rows = world.accounts({ vaultId });
        return listAnswer({ rows, query, definition: accountList, view });
      },
    }),
  ];
}
