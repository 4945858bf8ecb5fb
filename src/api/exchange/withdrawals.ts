import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { CHANGE_KINDS } from '../../domain/fact/notification.ts';
import {
  CUSTODY_KNOWLEDGE,
  WITHDRAWAL_STATUSES,
  type Withdrawal,
} from '../../domain/withdrawal/withdrawal.ts';
import { needs, type ApiEnv } from '../access.ts';
import { filter, given, idParams, listAnswer, listOf, noQuery, pageQuery } from '../paging.ts';
import { answers, notFound } from '../problem.ts';
import type { Services } from '../services.ts';
import { amountText, isoTime, timeText } from '../formats.ts';

const withdrawalStatus = z.enum(WITHDRAWAL_STATUSES);

const custodyKnowledge = z.enum(CUSTODY_KNOWLEDGE);

/** The kind of a balance change; see the custody service's tags. */
export const changeKind = z.enum(CHANGE_KINDS);

const withdrawalSchema = z
  .object({
    transactionId: z.string(),
    orderId: z.string().nullable(),
    status: withdrawalStatus
      .nullable()
      .openapi({ description: 'Its last event that is not merely informational.' }),
    reasonCode: z.string().nullable(),
    vaultId: z.string(),
    accountId: z.string().nullable(),
    addressId: z.string().nullable(),
    destinationAddress: z.string().nullable(),
    memo: z.string().nullable(),
    network: z.string().nullable(),
    blockchainHash: z.string().nullable(),
    posted: z
      .array(
        z.object({
          asset: z.string(),
          amount: amountText,
          kind: changeKind,
          accountId: z.string().nullable(),
          addressId: z.string().nullable(),
          memo: z.string().nullable(),
        }),
      )
      .openapi({ description: 'Its active balance changes in the books.' }),
    custody: custodyKnowledge.openapi({
      description:
        'What the custody API knows: `unasked` (only webhooks reported it), `known` (its record agrees), `doubted` (its record differs, or webhooks reported more since), `unknown` (it does not know it: nothing is posted for it).',
    }),
    firstSeenAt: timeText,
    updatedAt: timeText,
  })
  .openapi('Withdrawal');

function withdrawalView(withdrawal: Withdrawal): z.infer<typeof withdrawalSchema> {
  return {
    transactionId: withdrawal.transactionId,
    orderId: withdrawal.orderId,
    status: withdrawal.status,
    reasonCode: withdrawal.reasonCode,
    vaultId: withdrawal.vaultId,
    accountId: withdrawal.accountId,
    addressId: withdrawal.addressId,
    destinationAddress: withdrawal.destinationAddress,
    memo: withdrawal.memo,
    network: withdrawal.network,
    blockchainHash: withdrawal.blockchainHash,
    posted: withdrawal.posted.map(({ asset, amount, kind, accountId, addressId, memo }) => ({
      asset,
      amount: amount.toString(),
      kind,
      accountId,
      addressId,
      memo,
    })),
    custody: withdrawal.custody,
    firstSeenAt: isoTime(withdrawal.firstSeenAt),
    updatedAt: isoTime(withdrawal.updatedAt),
  };
}

const listWithdrawals = createRoute({
  method: 'get',
  path: '/v1/withdrawals',
  operationId: 'listWithdrawals',
  tags: ['Withdrawals'],
  summary: 'Platform transactions, newest first',
  ...needs('read'),
  request: {
    query: z.strictObject({
      status: withdrawalStatus.optional(),
      custody: custodyKnowledge.optional(),
      vaultId: filter(),
      blockchainHash: filter(),
      ...pageQuery,
    }),
  },
  responses: answers({ description: 'A page of withdrawals', schema: listOf(withdrawalSchema) }),
});

const ownHashSchema = z
  .object({
    network: z.string(),
    blockchainHash: z.string(),
    certainty: z.enum(['claimed', 'confirmed', 'refuted', 'disowned']).openapi({
      description:
        '`claimed` by a webhook alone, `confirmed` by the custody API, `refuted` (the API knows the transaction under another hash, or not at all), `disowned` (the API knows no own transaction under the hash).',
    }),
  })
  .openapi('OwnHash');

const getWithdrawal = createRoute({
  method: 'get',
  path: '/v1/withdrawals/{id}',
  operationId: 'getWithdrawal',
  ...needs('read'),
  tags: ['Withdrawals'],
  summary: 'One platform transaction, by its transaction id, with the hashes that it has or had',
  request: { params: idParams, query: noQuery },
  responses: answers(
    {
      description: 'The withdrawal',
      schema: withdrawalSchema
        .extend({ ownHashes: z.array(ownHashSchema) })
        .openapi('OneWithdrawal'),
    },
    ['not-found'],
  ),
});

/** `GET /v1/withdrawals`, and one by its id. */
export function mountWithdrawals(app: OpenAPIHono<ApiEnv>, { reads }: Services): void {
  app.openapi(listWithdrawals, async (context) => {
    const { page, pageSize, ...query } = context.req.valid('query');
    const found = await reads.withdrawals(given(query), { page, pageSize });
    return context.json(listAnswer(found, withdrawalView), 200);
  });
  app.openapi(getWithdrawal, async (context) => {
    const { id } = context.req.valid('param');
    const life = await reads.withdrawalLife(id);
    if (life === undefined) {
      throw notFound(`There is no withdrawal ${id}: list them with GET /v1/withdrawals.`);
    }
    const ownHashes = life.ownHashes.map(({ network, blockchainHash, certainty }) => ({
      network,
      blockchainHash,
      certainty,
    }));
    return context.json({ ...withdrawalView(life.withdrawal), ownHashes }, 200);
  });
}
