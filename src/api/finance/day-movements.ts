import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { CATEGORIES } from '../../domain/money/roll-forward.ts';
import type { DayMovement, MovementEntry } from '../../store/day-movement.ts';
import { needs, type ApiEnv } from '../access.ts';
import { filter, listAnswer, listOf, pageQuery } from '../paging.ts';
import { answers } from '../problem.ts';
import { dateParams, notClosed } from './closed-day.ts';
import type { Services } from '../services.ts';
import { isoTime, timeText } from '../formats.ts';

const amountText = z.string().openapi({
  description: 'In smallest units, as it moves the balance: withdrawals and fees are negative.',
});

const figures = z
  .strictObject(
    Object.fromEntries(CATEGORIES.map((figure) => [figure, amountText.optional()] as const)),
  )
  .openapi({ description: 'The hash’s movements, by figure of the report.' });

const entrySchema = z
  .object({
    entryId: z.int(),
    seq: z.int().openapi({ description: 'Its fact: GET /v1/journal/{seq}/body has the bytes.' }),
    recordedAt: timeText,
    source: z.enum(['webhook', 'api', 'decision']),
    change: z.string(),
    amount: amountText,
    accountId: z.string().nullable(),
    accountName: z.string().nullable(),
    addressId: z.string().nullable(),
    addressName: z.string().nullable(),
    memo: z.string().nullable(),
    transactionId: z.string().nullable(),
    notificationId: z.string().nullable(),
  })
  .openapi('MovementEntry');

const movementSchema = z
  .object({
    vaultId: z.string(),
    asset: z.string(),
    decimals: z.int().nullable(),
    network: z.string(),
    blockchainHash: z.string(),
    amounts: figures,
    entries: z.array(entrySchema).openapi({
      description:
        'The lines of its entries in the day; without any, the earlier ones that the day counts otherwise. A page holds 100,000 lines at most: ask for fewer movements a page when a sum of lines lacks some.',
    }),
  })
  .openapi('DayMovement');

const listDayMovements = createRoute({
  method: 'get',
  path: '/v1/reports/daily/{date}/movements',
  operationId: 'listDayMovements',
  tags: ['Reports'],
  summary: 'The movements behind the figures of a closed day, with their entries and webhooks',
  ...needs('read'),
  request: {
    params: dateParams,
    query: z.strictObject({
      vaultId: filter(),
      asset: filter(),
      figure: z.enum(CATEGORIES, `must be one of ${CATEGORIES.join(', ')}`).optional(),
      ...pageQuery,
    }),
  },
  responses: answers({ description: 'A page of movements', schema: listOf(movementSchema) }, [
    'not-found',
  ]),
});

function entryView(entry: MovementEntry): z.infer<typeof entrySchema> {
  return { ...entry, recordedAt: isoTime(entry.recordedAt), amount: entry.amount.toString() };
}

function movementView({ amounts, entries, ...rest }: DayMovement): z.infer<typeof movementSchema> {
  const texts = Object.entries(amounts).map(([figure, amount]) => [figure, amount.toString()]);
  return {
    ...rest,
    amounts: Object.fromEntries(texts) as z.infer<typeof figures>,
    entries: entries.map(entryView),
  };
}

/** `GET /v1/reports/daily/{date}/movements`. */
export function mountDayMovements(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads } = services;
  app.openapi(listDayMovements, async (context) => {
    const { date: day } = context.req.valid('param');
    const { page, pageSize, ...query } = context.req.valid('query');
    const found = await reads.dayMovements({ day, ...query }, { page, pageSize });
    if (found === undefined) throw await notClosed(day, services);
    return context.json(listAnswer(found, movementView), 200);
  });
}
