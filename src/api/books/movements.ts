import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { LedgerEntry, MovementStatement } from '../../store/answers.ts';
import { needs, type ApiEnv } from '../access.ts';
import { pageWithin } from '../../store/page.ts';
import { listAnswer, listOf, pageQuery } from '../paging.ts';
import { answers } from '../problem.ts';
import type { Services } from '../services.ts';
import { amountText, isoTime, nameText, timeText } from '../formats.ts';

const lineSchema = z
  .object({
    kind: z.string().openapi({ description: 'The ledger account: position, world, …' }),
    accountId: z.string().nullable(),
    addressId: z.string().nullable(),
    memo: z.string().nullable(),
    asset: z.string(),
    amount: amountText,
    changeKind: z.string(),
  })
  .openapi('Posting');

const entrySchema = z
  .object({
    entryId: z.int(),
    journalSeq: z.int().openapi({ description: 'The fact that posted it.' }),
    view: z.enum(['books', 'chain']),
    source: z.enum(['webhook', 'api', 'decision']).openapi({ description: 'Who reported it.' }),
    cause: z.string(),
    transactionId: z.string().nullable(),
    notificationId: z.string().nullable().openapi({ description: 'The webhook that reported it.' }),
    reverses: z.int().nullable().openapi({ description: 'The entry that it reverses.' }),
    postedAt: timeText,
    lines: z.array(lineSchema),
  })
  .openapi('Entry');

const movementSchema = z
  .object({
    vaultId: z.string(),
    network: z.string(),
    blockchainHash: z.string(),
    asset: z.string(),
    books: amountText.openapi({ description: 'The sum that the hash moved in the books.' }),
    chain: amountText.openapi({ description: 'The sum that the hash moved in the chain view.' }),
    custody: amountText.nullable().openapi({
      description: 'The custody API’s sum, where the hash has no chain view.',
    }),
    difference: amountText.openapi({
      description: 'books − chain; books − custody where there is only the API’s sum.',
    }),
    agreement: z.enum(['agrees', 'custody_agrees', 'differs', 'chain_only', 'books_only']),
    changedAt: timeText,
    entries: z.array(entrySchema),
  })
  .openapi('Movement');

function entryView(entry: LedgerEntry): z.infer<typeof entrySchema> {
  return {
    entryId: entry.entryId,
    journalSeq: entry.seq,
    view: entry.view,
    source: entry.source,
    cause: entry.cause,
    transactionId: entry.transactionId,
    notificationId: entry.notificationId,
    reverses: entry.reverses,
    postedAt: isoTime(entry.postedAt),
    lines: entry.lines.map((line) => ({ ...line, amount: line.amount.toString() })),
  };
}

function movementView(statement: MovementStatement): z.infer<typeof movementSchema> {
  const { movement, agreement, entries } = statement;
  const { custody } = movement;
  const other = movement.onChain || custody === null ? movement.chain : custody;
  return {
    vaultId: movement.vaultId,
    network: movement.network,
    blockchainHash: movement.blockchainHash,
    asset: movement.asset,
    books: movement.books.toString(),
    chain: movement.chain.toString(),
    custody: custody?.toString() ?? null,
    difference: (movement.books - other).toString(),
    agreement,
    changedAt: isoTime(movement.changedAt),
    entries: entries.map(entryView),
  };
}

const listMovements = createRoute({
  method: 'get',
  path: '/v1/movements',
  operationId: 'listMovements',
  tags: ['Books'],
  summary: 'Movements of a hash by vault and asset: books and chain view, with the entries',
  ...needs('read'),
  request: {
    query: z.strictObject({
      blockchainHash: nameText(512),
      ...pageQuery,
    }),
  },
  responses: answers({ description: 'Its movements', schema: listOf(movementSchema) }),
});

/** `GET /v1/movements`. */
export function mountMovements(app: OpenAPIHono<ApiEnv>, { reads }: Services): void {
  app.openapi(listMovements, async (context) => {
    const { blockchainHash, ...page } = context.req.valid('query');
    const statements = await reads.movements(blockchainHash);
    return context.json(listAnswer(pageWithin(statements, page), movementView), 200);
  });
}
