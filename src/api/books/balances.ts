import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Balance } from '../../store/answers.ts';
import { needs, type ApiEnv } from '../access.ts';
import { filter, given, listAnswer, listOf, pageQuery, partFilter } from '../paging.ts';
import { answers } from '../problem.ts';
import type { Services } from '../services.ts';
import { amountText, moment } from '../formats.ts';

const balanceSchema = z
  .object({
    vaultId: z.string(),
    accountId: z.string().nullable(),
    addressId: z.string().nullable(),
    memo: z.string().nullable(),
    asset: z.string(),
    amount: amountText,
    pending: amountText.openapi({ description: 'Detected in the mempool and not posted yet.' }),
  })
  .openapi('Balance');

const listBalances = createRoute({
  method: 'get',
  path: '/v1/balances',
  operationId: 'listBalances',
  tags: ['Books'],
  summary: 'Non-zero positions, by vault, account, address, memo and asset',
  ...needs('read'),
  request: {
    query: z.strictObject({
      view: z
        .enum(['books', 'chain'])
        .default('books')
        .openapi({ description: 'books: from outgoing and incoming. chain: by address.' }),
      vaultId: filter(),
      accountId: partFilter(),
      addressId: partFilter(),
      memo: partFilter(),
      asset: filter(),
      asOf: moment.optional().openapi({
        type: 'string',
        format: 'date-time',
        description: 'Balances of what was posted until then, inclusive.',
      }),
      ...pageQuery,
    }),
  },
  responses: answers({ description: 'Non-zero positions', schema: listOf(balanceSchema) }),
});

function balanceView(balance: Balance): z.infer<typeof balanceSchema> {
  const { amount, pending, ...position } = balance;
  return { ...position, amount: amount.toString(), pending: pending.toString() };
}

/** `GET /v1/balances`. */
export function mountBalances(app: OpenAPIHono<ApiEnv>, { reads }: Services): void {
  app.openapi(listBalances, async (context) => {
    const { page, pageSize, ...query } = context.req.valid('query');
    const found = await reads.balances(given(query), { page, pageSize });
    return context.json(listAnswer(found, balanceView), 200);
  });
}
