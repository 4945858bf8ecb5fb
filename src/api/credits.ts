import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { feedSeqAt, placeOf } from '../domain/feed-place.ts';
import { CreditId } from '../domain/ids.ts';
import type { StoredCredit } from '../store/reads.ts';
import { authorize, type ApiEnv } from './access.ts';
import { decide, statement } from './decision.ts';
import { depositFields, depositOrProblem, depositView, oneDeposit } from './deposits.ts';
import { idParams, noQuery, wholeNumber } from './list.ts';
import { answers, notFound, ProblemError, WRITE_PROBLEMS } from './problem.ts';
import type { Services } from './services.ts';
import { amountText, isoTime, timeText } from './value.ts';

const WAIT_SECONDS_MAX = 60;
const REFERENCE_CHARACTERS_MAX = 256;

const creditSchema = z
  .object({
    ...depositFields,
    seq: z.int().openapi({ description: 'Its place in the feed.' }),
    creditId: z.string(),
    kind: z.enum(['credit', 'reversal']),
    amount: amountText.openapi({ description: 'Positive; a reversal takes it back.' }),
    reverses: z.string().optional().openapi({ description: 'The credit that a reversal undoes.' }),
    createdAt: timeText,
  })
  .openapi('Credit', {
    description: 'An item of the feed, with its deposit as it was when the item was appended.',
  });

function creditView(
  { feedSeq, item, createdAt }: StoredCredit,
  restoredAfter: readonly number[],
): z.infer<typeof creditSchema> {
  return {
    ...depositView(item.deposit),
    seq: placeOf(feedSeq, restoredAfter),
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
  summary: 'The credit feed from a place on, in order; waits for news when asked to',
  request: {
    query: z.strictObject({
      after: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
      limit: wholeNumber({ min: 1, max: 1000, default: 100 }),
      wait: wholeNumber({ min: 0, max: WAIT_SECONDS_MAX, default: 0 }),
    }),
  },
  responses: answers(
    {
      description: 'Items after the place; `next` is the place to go on from',
      schema: z
        .object({ data: z.array(creditSchema), next: z.int() })
        .openapi('CreditFeed', { description: 'Empty when nothing came within the wait.' }),
    },
    ['conflict', 'unavailable'],
  ),
});

const acknowledge = createRoute({
  method: 'post',
  path: '/v1/credits/{id}/ack',
  operationId: 'acknowledgeCredit',
  tags,
  summary: 'Say that a credit was booked, and as what; idempotent, bound to its first reference',
  middleware: authorize('crediting'),
  request: {
    params: idParams,
    query: noQuery,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .strictObject({ reference: statement(REFERENCE_CHARACTERS_MAX) })
            .openapi('Acknowledgement'),
        },
      },
    },
  },
  responses: answers(oneDeposit, WRITE_PROBLEMS),
});

/** Items after one of them. An empty feed is waited for, without ever reading it in a loop. */
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
    const detail = 'Too many consumers wait already: try again, or ask without `wait`.';
    throw new ProblemError({ kind: 'unavailable', detail });
  }
  return woken === 'items' ? reads.credits(after, limit) : [];
}

/**
 * The number of the item at a place. A place that is none of this feed was read from a history that a
 * restore from an older backup has replaced: going on from there would pass over what comes now.
 */
async function itemAt(
  reads: Services['reads'],
  place: number,
  restoredAfter: readonly number[],
): Promise<number> {
  const feedSeq = feedSeqAt(place, restoredAfter);
  const head = await reads.feedHead();
  if (feedSeq !== null && feedSeq <= head) return feedSeq;
  const detail = `The feed has no place ${place} (it ends at ${placeOf(head, restoredAfter)}): either it is not from this feed, or the store was restored from an older backup since. Read again from 0; items that you know have the creditId that they had.`;
  throw new ProblemError({ kind: 'conflict', detail });
}

export function mountCredits(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads } = services;
  app.openapi(readFeed, async (context) => {
    const { after: place, limit, wait } = context.req.valid('query');
    const restoredAfter = await reads.restoredAfter();
    const after = await itemAt(reads, place, restoredAfter);
    const items = await itemsAfter(services, { after, limit, wait }, context.req.raw.signal);
    const data = items.map((item) => creditView(item, restoredAfter));
    return context.json({ data, next: data.at(-1)?.seq ?? place }, 200);
  });
  app.openapi(acknowledge, async (context) => {
    const { id } = context.req.valid('param');
    const { reference } = context.req.valid('json');
    const decision = { kind: 'acknowledge', creditId: CreditId(id), reference } as const;
    await decide(services, context.get('caller'), decision);
    const credit = await reads.credit(id);
    if (credit === undefined) throw notFound(`There is no credit ${id}: read GET /v1/credits.`);
    const deposit = await depositOrProblem(reads, credit.item.deposit.depositId);
    return context.json(depositView(deposit), 200);
  });
}
