import { z } from '@hono/zod-openapi';
import { account } from '../../../wire/vault.ts';
import type { AccountRecord } from '../../world/vault.ts';
import { addressList, addressSchema } from './addresses.ts';
import { notFound, ok } from '../answer.ts';
import { creationAnswer } from './creation.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { listAnswer, listQuerySchema } from '../list.ts';
import type { ListDefinition } from '../list.ts';
import { customData, identifier, listOf, name, named, definedFields } from '../schema.ts';
import type { Services } from '../services.ts';

export const accountSchema = named('Account', account);
const accountParams = z.object({ accountId: z.string() });

export const accountList: ListDefinition<AccountRecord> = {
  sorts: { createdAt: (row) => row.createdAt, name: (row) => row.name },
  filters: {
    vaultId: (row) => row.vaultId,
    accountId: (row) => row.accountId,
    name: (row) => row.name,
  },
  search: (row) => [row.accountId, row.name],
};

const accountRequest = z
  .object({ vaultId: identifier, name, data: customData.optional() })
  .openapi('AccountRequest')
  .transform(definedFields);

/**
 * The endpoints of accounts. Creation is idempotent on name and vault (the specification, section
 * "Idempotent creation").
 */
export function accountEndpoints({ world }: Services): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/accounts',
      operation: 'createAccount',
      summary: 'Create an account; idempotent on name and vault',
      tag: 'Accounts',
      credentials: 'api',
      body: accountRequest,
      answer: accountSchema,
      creates: true,
      handle: ({ body }) => creationAnswer(world.createAccount(body)),
    }),
    endpoint({
      method: 'get',
      path: '/accounts',
      operation: 'listAccounts',
      summary: 'List accounts',
      tag: 'Accounts',
      credentials: 'api',
      query: listQuerySchema(accountList),
      answer: listOf(accountSchema),
      handle: ({ query, view }) => {
        const rows = world.accounts();
        return listAnswer({ rows, query, definition: accountList, view });
      },
    }),
    endpoint({
      method: 'get',
      path: '/accounts/{accountId}',
      operation: 'getAccount',
      summary: 'One account',
      tag: 'Accounts',
      credentials: 'api',
      params: accountParams,
      answer: accountSchema,
      handle: ({ params }) => {
        const row = world.account(params.accountId);
        return row === undefined ? notFound('Account', params.accountId) : ok(row);
      },
    }),
    endpoint({
      method: 'get',
      path: '/accounts/{accountId}/addresses',
      operation: 'listAccountAddresses',
      summary: 'List the addresses of an account',
      tag: 'Accounts',
      credentials: 'api',
      params: accountParams,
      query: listQuerySchema(addressList),
      answer: listOf(addressSchema),
      handle: ({ params, query, view }) => {
        const { accountId } = params;
        if (world.account(accountId) === undefined) return notFound('Account', accountId);
        const rows = world.addresses({ accountId });
        return listAnswer({ rows, query, definition: addressList, view });
      },
    }),
  ];
}
