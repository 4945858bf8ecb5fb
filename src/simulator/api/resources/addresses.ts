import { z } from '@hono/zod-openapi';
import { addressTransaction } from '../../../wire/transaction.ts';
import type { AddressTransaction } from '../../../wire/transaction.ts';
import { address } from '../../../wire/vault.ts';
import type { AddressRecord, AddressScope } from '../../world/vault.ts';
import { notFound, ok } from '../answer.ts';
import { creationAnswer } from './creation.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { listAnswer, listQuerySchema, readListQuery } from '../list.ts';
import type { ListDefinition } from '../list.ts';
import { customData, identifier, listOf, name, named, definedFields, textOf } from '../schema.ts';
import type { Services } from '../services.ts';

export const addressSchema = named('Address', address);
const addressParams = z.object({ addressId: z.string() });
const HD_PATH_LENGTH_MAX = 256;

export const addressList: ListDefinition<AddressRecord> = {
  sorts: { createdAt: (row) => row.createdAt, name: (row) => row.name },
  filters: {
    vaultId: (row) => row.vaultId,
    accountId: (row) => row.accountId,
    addressId: (row) => row.addressId,
    network: (row) => row.network,
    networkAddress: (row) => row.networkAddress,
    hdpath: (row) => row.hdpath,
    name: (row) => row.name,
  },
  search: (row) => [row.addressId, row.name, row.networkAddress],
};

const addressTransactionList: ListDefinition<AddressTransaction> = {
  sorts: {
    timestamp: (row) => textOf(row.timestamp),
    blockHeight: (row) => row.blockHeight ?? Number.MAX_SAFE_INTEGER,
  },
  filters: { blockchainHash: (row) => row.blockchainHash, status: (row) => row.status },
};

const addressRequest = z
  .object({
    accountId: identifier,
    network: identifier,
    name: name.optional(),
    hdpath: z.string().min(1).max(HD_PATH_LENGTH_MAX).optional(),
    data: customData.optional(),
  })
  .openapi('AddressRequest')
  .transform(definedFields);

/** The filters of the list that the world can look up in an index. */
function scopeOf(query: Readonly<Record<string, unknown>>): AddressScope {
  const { filters } = readListQuery(query);
  const scope: AddressScope = {};
  for (const field of ['vaultId', 'accountId', 'network', 'networkAddress'] as const) {
    const value = filters.get(field);
    if (value !== undefined) scope[field] = value;
  }
  return scope;
}

/**
 * The endpoints of addresses. Creation is idempotent on the HD path (the specification, section
 * "Idempotent creation").
 */
export function addressEndpoints(services: Services): Endpoint[] {
  const { world } = services;
  return [
    endpoint({
      method: 'post',
      path: '/addresses',
      operation: 'createAddress',
      summary: 'Create an address; idempotent on the HD path',
      tag: 'Addresses',
      credentials: 'api',
      body: addressRequest,
      answer: addressSchema,
      creates: true,
      handle: ({ body }) => creationAnswer(world.createAddress(body)),
    }),
    endpoint({
      method: 'get',
      path: '/addresses',
      operation: 'listAddresses',
      summary: 'List addresses',
      tag: 'Addresses',
      credentials: 'api',
      query: listQuerySchema(addressList),
      answer: listOf(addressSchema),
      handle: ({ query, view }) => {
        const rows = world.addresses(scopeOf(query));
        return listAnswer({ rows, query, definition: addressList, view });
      },
    }),
    endpoint({
      method: 'get',
      path: '/addresses/{addressId}',
      operation: 'getAddress',
      summary: 'One address',
      tag: 'Addresses',
      credentials: 'api',
      params: addressParams,
      answer: addressSchema,
      handle: ({ params }) => {
        const row = world.address(params.addressId);
        return row === undefined ? notFound('Address', params.addressId) : ok(row);
      },
    }),
    addressTransactionsEndpoint(services),
  ];
}

function addressTransactionsEndpoint({ world, served }: Services): Endpoint {
  return endpoint({
    method: 'get',
    path: '/addresses/{addressId}/blockchain-transactions',
    operation: 'listAddressTransactions',
    summary: 'List what the chain knows of an address',
    tag: 'Addresses',
    credentials: 'api',
    params: addressParams,
    query: listQuerySchema(addressTransactionList),
    answer: listOf(named('AddressTransaction', addressTransaction)),
    handle: ({ params, query, view, nowMs }) => {
      const { addressId } = params;
      const rows = world.addressTransactions(addressId);
      if (rows === undefined) return notFound('Address', addressId);
      const shown: AddressTransaction[] = [];
      for (const row of rows) {
        const createdAt = textOf(row.timestamp);
        const key = `${addressId} ${row.blockchainHash}`;
        const seen = served.view(key, row, { view, nowMs, createdAt });
        if (seen !== undefined) shown.push(seen);
      }
      const definition = addressTransactionList;
      return listAnswer({ rows: shown, query, definition, view });
    },
  });
}
