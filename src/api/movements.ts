import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { LedgerEntry, MovementStatement } from '../store/reads.ts';
import type { ApiEnv } from './access.ts';
import { pageWithin } from '../store/page-within.ts';
import { listAnswer, listOf, pageQuery } from './list.ts';
import { answers } from './problem.ts';
import type { Services } from './services.ts';
import { amountText, isoTime, timeText } from './value.ts';

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
    journalSeq: z.int().openapi({ description: 'The fact that it was posted for.' }),
    view: z.enum(['books', 'chain']),
    cause: z.string(),
    transactionId: z.string().nullable(),
    reverses: z.int().nullable().openapi({ description: 'The entry that it takes back.' }),
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
    books: amountText.openapi({ description: 'What the books say the hash moved.' }),
    chain: amountText.openapi({ description: 'What the chain view says it moved.' }),
    custody: amountText.nullable().openapi({
      description: 'What the custody API said it moved, where no chain view tells.',
    }),
    difference: amountText.openapi({
      description: 'books − chain; books − custody where no chain view tells and the API did.',
    }),
    standing: z.enum(['agrees', 'custody_agrees', 'differs', 'chain_only', 'books_only']),
    changedAt: timeText,
    entries: z.array(entrySchema),
  })
  .openapi('Movement');

function entryView(entry: LedgerEntry): z.infer<typeof entrySchema> {
  return {
    entryId: entry.entryId,
    journalSeq: entry.seq,
    view: entry.view,
    cause: entry.cause,
    transactionId: entry.transactionId,
    reverses: entry.reverses,
    postedAt: isoTime(entry.postedAt),
    lines: entry.lines.map((line) => ({ ...line, amount: line.amount.toString() })),
  };
}

function movementView(statement: MovementStatement): z.infer<typeof movementSchema> {
  const { movement, standing, entries } = statement;
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
    standing,
    changedAt: isoTime(movement.changedAt),
    entries: entries.map(entryView),
  };
}

const listMovements = createRoute({
  method: 'get',
  path: '/v1/movements',
  operationId: 'listMovements',
  tags: ['Books'],
  summary: 'What a hash moved, per vault and asset: books beside chain, with the entries',
  request: {
    query: z.strictObject({ blockchainHash: z.string().min(1).max(512), ...pageQuery }),
  },
  responses: answers({ description: 'Its movements', schema: listOf(movementSchema) }),
});

export function mountMovements(app: OpenAPIHono<ApiEnv>, { reads }: Services): void {
  app.openapi(listMovements, async (context) => {
    const { blockchainHash, ...page } = context.req.valid('query');
    const statements = await reads.movements(blockchainHash);
    return context.json(listAnswer(pageWithin(statements, page), movementView), 200);
  });
}
