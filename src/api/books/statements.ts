import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { StatementLine, StatementTooLong } from '../../store/statement.ts';
import { needs, type ApiEnv } from '../access.ts';
import { changeKind } from '../exchange/withdrawals.ts';
import { amountText, isoTime, moment, timeText } from '../formats.ts';
import { filter, listAnswer, listOf, pageQuery, partFilter } from '../paging.ts';
import { answers, notFound, ProblemError } from '../problem.ts';
import type { Services } from '../services.ts';
import { journalSeq } from './journal.ts';

const lineSchema = z
  .object({
    entryId: z.int(),
    line: z.int().openapi({ description: 'Number of the posting in its entry.' }),
    journalSeq,
    postedAt: timeText,
    cause: z.enum(['incoming', 'mined', 'failed-fee', 'chain', 'suspense']),
    source: z.enum(['webhook', 'api', 'decision']),
    changeKind,
    network: z.string(),
    blockchainHash: z.string(),
    transactionId: z.string().nullable(),
    notificationId: z.string().nullable(),
    reverses: z.int().nullable().openapi({ description: 'The entry that it reverses.' }),
    amount: amountText,
    balance: amountText.openapi({ description: 'The position’s balance after this line.' }),
  })
  .openapi('StatementLine');

const part = z.string().nullable();

const statementSchema = listOf(lineSchema)
  .extend({
    view: z.enum(['books', 'chain']),
    vaultId: z.string(),
    accountId: part,
    addressId: part,
    memo: part,
    asset: z.string(),
    decimals: z.int().nullable(),
    from: timeText,
    to: timeText,
    opening: amountText.openapi({ description: 'The balance before `from`.' }),
    closing: amountText.openapi({ description: 'The balance before `to`: opening + all lines.' }),
    throughJournalSeq: z.int().openapi({
      description: 'The last fact of the journal that the statement could see.',
    }),
    asOf: z.int().openapi({
      deprecated: true,
      description: 'The same as `throughJournalSeq`. In `/v1/balances`, `asOf` is a time.',
    }),
  })
  .openapi('Statement');

const getStatement = createRoute({
  method: 'get',
  path: '/v1/statements',
  operationId: 'getStatement',
  tags: ['Books'],
  summary: 'A position’s statement for a period: opening, lines with the balance, closing',
  ...needs('read'),
  request: {
    query: z.strictObject({
      view: z.enum(['books', 'chain']).default('books'),
      vaultId: filter().unwrap(),
      accountId: partFilter(),
      addressId: partFilter(),
      memo: partFilter(),
      asset: filter().unwrap(),
      from: moment.openapi({ description: 'The first moment of the period.' }),
      to: moment.openapi({ description: 'The first moment after the period.' }),
      ...pageQuery,
    }),
  },
  responses: answers({ description: 'A page of its lines', schema: statementSchema }, [
    'not-found',
  ]),
});

function lineView(one: StatementLine): z.infer<typeof lineSchema> {
  const { seq, change, amount, balance, postedAt, ...rest } = one;
  return {
    ...rest,
    journalSeq: seq,
    changeKind: change,
    postedAt: isoTime(postedAt),
    amount: amount.toString(),
    balance: balance.toString(),
  };
}

/** What a caller can do about too long a period. */
function tooLong({ limit, max, fitsUntil }: StatementTooLong): ProblemError {
  const what =
    limit === 'lines' ? `more than ${max} lines` : `more than ${max} postings since its beginning`;
  const advice =
    fitsUntil === null
      ? 'no earlier end helps: begin later'
      : `end it at ${isoTime(fitsUntil)} or earlier`;
  return new ProblemError({
    kind: 'invalid-request',
    detail: `query: the period has ${what}: ${advice}.`,
  });
}

/** A part that the query leaves out, or names as empty, is one that the position does not have. */
function partOf(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

/** `GET /v1/statements`. */
export function mountStatements(app: OpenAPIHono<ApiEnv>, { reads }: Services): void {
  app.openapi(getStatement, async (context) => {
    const { page, pageSize, from, to, ...given } = context.req.valid('query');
    if (to <= from) {
      const detail = 'query: to: must be later than from.';
      throw new ProblemError({ kind: 'invalid-request', detail });
    }
    const position = {
      ...given,
      accountId: partOf(given.accountId),
      addressId: partOf(given.addressId),
      memo: partOf(given.memo),
    };
    const [found, decimals] = await Promise.all([
      reads.statement({ ...position, from, to }, { page, pageSize }),
      reads.pinnedDecimals(),
    ]);
    if (found.kind === 'unknown') {
      throw notFound('Nothing was ever posted at this position: GET /v1/balances lists positions.');
    }
    if (found.kind === 'too_long') throw tooLong(found);
    const known = new Map<string, number>(decimals);
    return context.json(
      {
        ...position,
        decimals: known.get(position.asset) ?? null,
        from: isoTime(from),
        to: isoTime(to),
        opening: found.opening.toString(),
        closing: found.closing.toString(),
        throughJournalSeq: found.journalSeq,
        // Its earlier name, which programs may read.
        asOf: found.journalSeq,
        ...listAnswer(found, lineView),
      },
      200,
    );
  });
}
