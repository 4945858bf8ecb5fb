import { z } from '@hono/zod-openapi';
import type { MemoRecord } from '../../world/vault.ts';
import { notFound } from '../answer.ts';
import { creationAnswer } from './creation.ts';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import { listAnswer, listQuerySchema } from '../list.ts';
import type { ListDefinition } from '../list.ts';
import { customData, identifier, listOf, name, definedFields } from '../schema.ts';
import type { Services } from '../services.ts';

const memoSchema = z
  .looseObject({
    id: z.string(),
    addressId: z.string(),
    memo: z.string(),
    name: z.string(),
    data: customData,
  })
  .openapi('Memo');

const memoList: ListDefinition<MemoRecord> = {
  sorts: { createdAt: (row) => row.createdAt, memo: (row) => row.memo },
  filters: {
    vaultId: (row) => row.vaultId,
    accountId: (row) => row.accountId,
    addressId: (row) => row.addressId,
    memo: (row) => row.memo,
  },
  search: (row) => [row.memoId, row.memo, row.name],
};

const memoRequest = z
  .object({
    addressId: identifier,
    memo: identifier,
    name: name.optional(),
    data: customData.optional(),
  })
  .openapi('MemoRequest')
  .transform(definedFields);

/**
 * The endpoints of memos, which are sub-accounts on one address. Creation is idempotent on address
 * and memo (the specification, section "Idempotent creation").
 */
export function memoEndpoints({ world }: Services): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/memos',
      operation: 'createMemo',
      summary: 'Register a memo; idempotent on address and memo',
      tag: 'Memos',
      credentials: 'api',
      body: memoRequest,
      answer: memoSchema,
      creates: true,
      handle: ({ body }) => creationAnswer(world.createMemo(body)),
    }),
    endpoint({
      method: 'get',
      path: '/memos',
      operation: 'listMemos',
      summary: 'List registered memos',
      tag: 'Memos',
      credentials: 'api',
      query: listQuerySchema(memoList),
      answer: listOf(memoSchema),
      handle: ({ query, view }) => {
        const rows = world.memos();
        return listAnswer({ rows, query, definition: memoList, view });
      },
    }),
    endpoint({
      method: 'get',
      path: '/addresses/{addressId}/memos',
      operation: 'listAddressMemos',
      summary: 'List the memos of an address',
      tag: 'Memos',
      credentials: 'api',
      params: z.object({ addressId: z.string() }),
      query: listQuerySchema(memoList),
      answer: listOf(memoSchema),
      handle: ({ params, query, view }) => {
        const { addressId } = params;
        if (world.address(addressId) === undefined) return notFound('Address', addressId);
        const rows = world.memos({ addressId });
        return listAnswer({ rows, query, definition: memoList, view });
      },
    }),
  ];
}
