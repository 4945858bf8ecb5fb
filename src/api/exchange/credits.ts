import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { feedSeqAt, cursorOf, type FeedRestore } from '../../domain/deposit/feed-cursor.ts';
import { CreditId } from '../../domain/ids.ts';
import type { StoredCredit } from '../../store/answers.ts';
import { needs, type ApiEnv } from '../access.ts';
import { recordDecision, statement } from './decision.ts';
import {
  creditedFields,
  creditedView,
  depositOrProblem,
  depositView,
  oneDeposit,
} from './deposits.ts';
import { filter, idParams, noQuery, wholeNumber } from '../paging.ts';
import { answers, notFound, ProblemError, WRITE_PROBLEMS } from '../problem.ts';
import type { Services } from '../services.ts';
import { amountText, isoTime, jsonBody, timeText } from '../formats.ts';

const WAIT_SECONDS_MAX = 60;
const REFERENCE_CHARACTERS_MAX = 256;

const creditSchema = z
  .object({
    ...creditedFields,
    seq: z.int().openapi({ description: 'Its cursor in the feed.' }),
    creditId: z.string().openapi({ description: 'The id of this item: book each one once.' }),
    kind: z.enum(['credit', 'reversal']).openapi({
      description: '`credit`: add the amount. `reversal`: take the amount back.',
    }),
    amount: amountText.openapi({ description: 'Always positive, for reversals too.' }),
    reverses: z.string().optional().openapi({
      description: 'Only in a reversal: the `creditId` of the credit that it takes back.',
    }),
    createdAt: timeText.openapi({ description: 'When the item entered the feed.' }),
  })
  .openapi('Credit', {
    description: 'An item of the feed, with its deposit as it was when the item was appended.',
  });

function creditView(
  { feedSeq, item, createdAt }: StoredCredit,
  restores: readonly FeedRestore[],
): z.infer<typeof creditSchema> {
  return {
    ...creditedView(item.deposit),
    seq: cursorOf(feedSeq, restores),
    creditId: item.creditId,
    kind: item.kind,
    amount: item.amount.toString(),
    ...(item.reverses === null ? {} : { reverses: item.reverses }),
    createdAt: isoTime(createdAt),
  };
}

const tags = ['Credits'];

const readFeed = createRoute({
  method: 'get',
  path: '/v1/credits',
  operationId: 'readCredits',
  tags,
  summary: 'The credit feed after a cursor, in order; can wait for new items',
  ...needs('read'),
  request: {
    query: z.strictObject({
      after: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }).openapi({
        description: 'The cursor: `next` of the last answer, or 0 for the whole feed.',
      }),
      afterCreditId: filter().openapi({
        description:
          'The `creditId` of the item at `after`. If the feed has another item there, it is another feed: the answer is 409.',
      }),
      limit: wholeNumber({ min: 1, max: 1000, default: 100 }).openapi({
        description: 'Most items in one answer.',
      }),
      wait: wholeNumber({ min: 0, max: WAIT_SECONDS_MAX, default: 0 }).openapi({
        description:
          'Seconds to wait for new items when there are none yet; 0 answers immediately.',
      }),
    }),
  },
  responses: answers(
    {
      description: 'Items after the cursor; continue from `next`',
      schema: z
        .object({
          data: z.array(creditSchema).openapi({
            description: 'In the order of `seq`. Empty when no item arrived within `wait`.',
          }),
          next: z.int().openapi({
            description: 'The next `after`: the last item’s `seq`, or the `after` that you sent.',
          }),
        })
        .openapi('CreditFeed'),
    },
    ['conflict', 'unavailable'],
    { conflict: 'The feed has no such cursor, or another item there: read again from 0' },
  ),
});

const acknowledge = createRoute({
  method: 'post',
  path: '/v1/credits/{id}/ack',
  operationId: 'acknowledgeCredit',
  tags,
  summary: 'Acknowledge a credit with your reference; idempotent, bound to the first reference',
  ...needs('acknowledge'),
  request: {
    params: z.strictObject({
      id: idParams.shape.id.openapi({ description: 'The `creditId` of an item of kind `credit`.' }),
    }),
    query: noQuery,
    body: jsonBody(
      z
        .strictObject({
          reference: statement(REFERENCE_CHARACTERS_MAX).openapi({
            description: 'Your id of the booking: the same at every try.',
          }),
        })
        .openapi('Acknowledgement'),
    ),
  },
  responses: answers(oneDeposit, WRITE_PROBLEMS, {
    conflict: 'The credit was reversed, or is acknowledged under another reference: see `reason`',
  }),
});

/** Feed items after one item. Waits for new ones without polling the store. */
async function itemsAfter(
  { reads, feed }: Services,
  query: { after: number; limit: number; wait: number },
  abort: AbortSignal,
): Promise<readonly StoredCredit[]> {
  const { after, limit, wait } = query;
  const items = await reads.credits(after, limit);
  if (items.length > 0 || wait === 0) return items;
  const woken = await feed.waitFor(after, wait * 1_000, abort);
  if (woken === 'refused') {
    const detail = 'Too many consumers are waiting: try again, or call without `wait`.';
    throw new ProblemError({ kind: 'unavailable', detail });
  }
  return woken === 'items' ? reads.credits(after, limit) : [];
}

/**
 * The feed item at a cursor. A cursor of another feed comes from a history that a restore replaced:
 * continuing there would skip new items. Throws the problem for such a cursor, and for one that
 * another receiver has given while this replica lags.
 */
async function itemAt(
  { reads, replica, feed }: Services,
  cursor: number,
  { restores, abort }: { readonly restores: readonly FeedRestore[]; abort: AbortSignal },
): Promise<number> {
  const feedSeq = feedSeqAt(cursor, restores);
  const head = await reads.feedHead();
  if (feedSeq !== null && feedSeq <= head) return feedSeq;
  if (replica !== undefined) {
    const before = (feedSeq ?? Number.MAX_SAFE_INTEGER) - 1;
    const woken = await feed.waitFor(before, replica.catchUpMsMax, abort);
    if (woken === 'items' && feedSeq !== null) return feedSeq;
    if (woken !== 'timeout' || !(await replica.isLevel())) {
      const detail = `This receiver does not show cursor ${cursor} yet: try again, or ask another receiver.`;
      throw new ProblemError({ kind: 'unavailable', detail });
    }
  }
  const detail = `The feed has no cursor ${cursor} (it ends at ${cursorOf(head, restores)}): it belongs to another feed, or the store was restored from an older backup. Read again from 0; known items keep their creditId.`;
  throw new ProblemError({ kind: 'conflict', detail });
}

/**
 * Throws the problem of a cursor whose item is another one than the consumer read there: a new
 * store's feed has the same cursors for other items, and its first ones would be skipped.
 */
async function assertSameItem(
  { reads }: Services,
  known: { readonly cursor: number; readonly feedSeq: number; readonly creditId: string },
): Promise<void> {
  const { cursor, feedSeq, creditId } = known;
  const [item] = feedSeq === 0 ? [] : await reads.credits(feedSeq - 1, 1);
  const found = item?.item.creditId;
  if (found === creditId) return;
  const instead = found === undefined ? 'no item' : found;
  const detail = `The feed has ${instead} at cursor ${cursor}, not ${creditId}. Either your program stored a creditId that is not of the item at its cursor: store both of the last item, also of one that it skips. Or this is another feed than the one that you read. Read again from 0; known items keep their creditId.`;
  throw new ProblemError({ kind: 'conflict', detail });
}

/** The credit feed, `GET /v1/credits`, and its acknowledgements. */
export function mountCredits(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads } = services;
  app.openapi(readFeed, async (context) => {
    const { after: cursor, afterCreditId: creditId, limit, wait } = context.req.valid('query');
    const restores = await reads.feedRestores();
    const abort = context.req.raw.signal;
    const after = await itemAt(services, cursor, { restores, abort });
    if (creditId !== undefined) {
      await assertSameItem(services, { cursor, feedSeq: after, creditId });
    }
    const items = await itemsAfter(services, { after, limit, wait }, abort);
    const data = items.map((item) => creditView(item, restores));
    return context.json({ data, next: data.at(-1)?.seq ?? cursor }, 200);
  });
  app.openapi(acknowledge, async (context) => {
    const { id } = context.req.valid('param');
    const { reference } = context.req.valid('json');
    const decision = { kind: 'acknowledge', creditId: CreditId(id), reference } as const;
    await recordDecision(services, context.get('caller'), decision);
    const credit = await reads.credit(id);
    if (credit === undefined) throw notFound(`There is no credit ${id}: read GET /v1/credits.`);
    const deposit = await depositOrProblem(reads, credit.item.deposit.depositId);
    return context.json(depositView(deposit), 200);
  });
}
