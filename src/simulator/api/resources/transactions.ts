import { z } from '@hono/zod-openapi';
import { transaction as wireTransaction } from '../../../wire/transaction.ts';
import type { Transaction } from '../../../wire/transaction.ts';
import type { TransactionQuery } from '../../world/transaction.ts';
import { forbidden, notFound, ok } from '../answer.ts';
import type { Answer } from '../answer.ts';
import { changeAnswer, creationAnswer } from './creation.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import {
  listQuerySchema,
  pageStart,
  readListQuery,
  relationsOf,
  relationsQuerySchema,
} from '../list.ts';
import type { ListDefinition } from '../list.ts';
import type { ReadView } from '../request/read-view.ts';
import { customData, identifier, listOf, named, positiveAmount, definedFields } from '../schema.ts';
import type { Services } from '../services.ts';

const RELATIONS = ['events', 'approvals'] as const;
export const transactionSchema = named('Transaction', wireTransaction);
const transactionParams = z.object({ id: z.string() });

const transactionList: ListDefinition<Transaction> = {
  sorts: { createdAt: (row) => row.createdAt, updatedAt: (row) => row.updatedAt },
  filters: {
    status: (row) => row.status,
    network: (row) => row.network,
    type: (row) => row.type,
    vaultId: (row) => row.vaultId,
    blockchainHash: (row) => row.blockchainHash,
    orderId: (row) => row.orderId,
    accountId: (row) => row.accountId,
    addressId: (row) => row.addressId,
  },
  search: (row) => [row.transactionId, row.orderId, row.blockchainHash, row.destinationAddress],
  relations: RELATIONS,
};

const orderRequest = z
  .object({
    orderId: identifier,
    vaultId: identifier,
    accountId: identifier.optional(),
    addressId: identifier.optional(),
    network: identifier,
    asset: identifier,
    amount: positiveAmount,
    destinationAddress: identifier,
    memo: identifier.optional(),
    changeAddressId: identifier.optional(),
    replacesTransactionId: identifier.optional(),
    metadata: customData.optional(),
  })
  .openapi('OrderRequest')
  .transform(definedFields);

/** Translates a list's query for the world; undefined when a filter can match nothing. */
function worldQuery(
  raw: Readonly<Record<string, unknown>>,
  view: ReadView,
): { query: TransactionQuery | undefined; page: number; pageSize: number } {
  const listQuery = readListQuery(raw);
  const { filters, page, pageSize, search, sort } = listQuery;
  const query: TransactionQuery = { offset: pageStart(listQuery, view), limit: pageSize };
  const plain = ['status', 'network', 'vaultId', 'blockchainHash'] as const;
  for (const field of [...plain, 'orderId', 'accountId', 'addressId'] as const) {
    const value = filters.get(field);
    if (value !== undefined) query[field] = value;
  }
  if (search !== undefined && search !== '') query.search = search;
  if (sort?.field === 'createdAt' || sort?.field === 'updatedAt') {
    query.sort = { field: sort.field, order: sort.descending ? 'desc' : 'asc' };
  }
  const type = filters.get('type');
  if (type === 'outgoing' || type === 'incoming') query.type = type;
  else if (type !== undefined) return { query: undefined, page, pageSize };
  return { query, page, pageSize };
}

/**
 * The endpoints of transactions: order, list, read and decline (the specification, sections "Other
 * endpoints referenced" and "Idempotent creation").
 */
export function transactionEndpoints(services: Services): Endpoint[] {
  const { world } = services;
  return [
    endpoint({
      method: 'post',
      path: '/transactions',
      operation: 'createTransaction',
      summary: 'Create a transaction; idempotent on orderId',
      tag: 'Transactions',
      credentials: 'api',
      body: orderRequest,
      answer: transactionSchema,
      creates: true,
      authorize: ({ permissions }) =>
        services.strictPermissions && permissions.length === 0
          ? forbidden('A client without any permission cannot order transactions')
          : undefined,
      handle: ({ body }) => creationAnswer(world.orderTransaction(body)),
    }),
    endpoint({
      method: 'get',
      path: '/transactions',
      operation: 'listTransactions',
      summary: 'List transactions',
      tag: 'Transactions',
      credentials: 'api',
      query: listQuerySchema(transactionList),
      answer: listOf(transactionSchema),
      handle: ({ query, view, nowMs }) => listTransactions(services, { query, view, nowMs }),
    }),
    endpoint({
      method: 'get',
      path: '/transactions/{id}',
      operation: 'getTransaction',
      summary: 'One transaction',
      tag: 'Transactions',
      credentials: 'api',
      params: transactionParams,
      query: relationsQuerySchema(RELATIONS),
      answer: transactionSchema,
      handle: ({ params, query, view, nowMs }) => {
        const row = world.transaction(params.id);
        const shown = row === undefined ? undefined : show(services, row, { view, nowMs });
        if (shown === undefined) return notFound('Transaction', params.id);
        return ok(withRelations(services, shown, relationsOf(query)));
      },
    }),
    endpoint({
      method: 'post',
      path: '/transactions/{id}/cancel',
      operation: 'cancelTransaction',
      summary: 'Decline a transaction that is not yet submitted',
      tag: 'Transactions',
      credentials: 'api',
      params: transactionParams,
      answer: transactionSchema,
      handle: ({ params }) => changeAnswer(world.cancel(params.id)),
    }),
  ];
}

function show(
  { served }: Services,
  row: Transaction,
  read: { view: ReadView; nowMs: number },
): Transaction | undefined {
  return served.view(row.transactionId, row, { ...read, createdAt: row.createdAt });
}

/** The transaction with the requested relations only. */
function withRelations(
  { world }: Services,
  { approvals, ...row }: Transaction,
  relations: ReadonlySet<string>,
): object {
  return {
    ...row,
    ...(relations.has('events') ? { events: world.events(row.transactionId) ?? [] } : {}),
    ...(relations.has('approvals') ? { approvals: approvals ?? [] } : {}),
  };
}

function listTransactions(
  services: Services,
  call: { query: Readonly<Record<string, unknown>>; view: ReadView; nowMs: number },
): Answer {
  const { query, page, pageSize } = worldQuery(call.query, call.view);
  const found = query === undefined ? { data: [], total: 0 } : services.world.transactions(query);
  const relations = relationsOf(call.query);
  const data: object[] = [];
  for (const row of found.data) {
    const shown = show(services, row, call);
    if (shown !== undefined) data.push(withRelations(services, shown, relations));
  }
  return ok({ data, pagination: { page, pageSize, total: found.total } });
}
