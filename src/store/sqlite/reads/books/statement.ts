import { sql, type Kysely } from 'kysely';
import { plus, storedAmount, ZERO, type Amount } from '../../../../domain/money/amount.ts';
import type { EntryCause, EntrySource } from '../../../../domain/money/entry.ts';
import type { ChangeKind } from '../../../../domain/fact/notification.ts';
import { firstEntryIdOf } from '../../../../domain/ids.ts';
import { pageWithin, type PageRequest } from '../../../page.ts';
import type { StatementAnswer, StatementLine, StatementQuery } from '../../../statement.ts';
import type { Tables } from '../../table/tables.ts';
import { atSnapshot } from '../list.ts';

/** Most lines of a statement: people read it, and a workbook of it is built in memory. */
export const STATEMENT_LINES_MAX = 10_000;
/**
 * Most facts whose postings are searched. No index finds a position's postings, because it would
 * cost every commit. A search of so many facts takes a few seconds.
 */
export const STATEMENT_FACTS_MAX = 10_000_000;

/** Postings per page: pages are faster than single rows, and bound the memory. */
const POSTINGS_PER_PAGE = 1_000;

/** The bounds of a reading; tests set smaller ones. */
export interface StatementBounds {
  readonly linesMax: number;
  readonly factsMax: number;
}

const BOUNDS: StatementBounds = { linesMax: STATEMENT_LINES_MAX, factsMax: STATEMENT_FACTS_MAX };

/** A part of the journal, and the sum of the position's postings in it. */
interface Span {
  readonly afterSeq: number;
  readonly throughSeq: number;
  readonly moved: Amount;
  /** When its first entry was posted; null for the open day, which the store does not know. */
  readonly firstPostedAt: number | null;
}

interface Plan {
  readonly account: number;
  /** The sum of the days that ended before the period. */
  readonly before: Amount;
  /** Days that reach into the period, and the open day. Other days did not move the position. */
  readonly spans: readonly Span[];
  readonly headSeq: number;
}

async function accountOf(
  at: Kysely<Tables>,
  query: StatementQuery,
): Promise<{ readonly account: number; readonly balance: Amount } | undefined> {
  const row = await at
    .selectFrom('ledger_accounts')
    .leftJoin('balances', 'balances.ledger_account', 'ledger_accounts.ledger_account')
    .where('vault_id', '=', query.vaultId)
    .where('address_id', '=', query.addressId ?? '')
    .where('account_id', '=', query.accountId ?? '')
    .where('memo', '=', query.memo ?? '')
    .where('asset', '=', query.asset)
    .where('view', '=', query.view)
    .where('kind', '=', 'position')
    .select(['ledger_accounts.ledger_account', 'balances.amount'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { account: row.ledger_account, balance: storedAmount(row.amount ?? '0') };
}

/** The closed days in which the position moved, with its balance after each. */
async function daysMoved(at: Kysely<Tables>, account: number) {
  const { rows } = await sql<{
    after_seq: number;
    through_seq: number;
    first_posted_at: number | null;
    last_posted_at: number | null;
    amount: string;
  }>`select day.after_seq, day.through_seq, day.first_posted_at, day.last_posted_at, total.amount
    from position_totals as total
    join (
      select day, through_seq, first_posted_at, last_posted_at,
        lag(through_seq, 1, 0) over (order by through_seq) as after_seq
      from daily_closes
    ) as day using (day)
    where total.ledger_account = ${account} order by day.through_seq`.execute(at);
  return rows;
}

async function headOf(at: Kysely<Tables>) {
  const close = await at
    .selectFrom('daily_closes')
    .select(({ fn }) => fn.max('through_seq').as('seq'))
    .executeTakeFirst();
  const journal = await at
    .selectFrom('journal')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst();
  return { closedSeq: close?.seq ?? 0, headSeq: journal?.seq ?? 0 };
}

/**
 * The sealed positions say in which closed days the position moved, and by how much. Only days with
 * entries from the period are read, whatever the clock did, and the open day.
 */
function planOf(db: Kysely<Tables>, query: StatementQuery): Promise<Plan | undefined> {
  const { from, to } = query;
  return atSnapshot(db, async (at) => {
    const found = await accountOf(at, query);
    if (found === undefined) return undefined;
    const { closedSeq, headSeq } = await headOf(at);
    const spans: Span[] = [];
    let [sealed, before] = [ZERO, ZERO];
    for (const day of await daysMoved(at, found.account)) {
      const amount = storedAmount(day.amount);
      const moved = (amount - sealed) as Amount;
      sealed = amount;
      if ((day.last_posted_at ?? -Infinity) < from) before = plus(before, moved);
      else if ((day.first_posted_at ?? Infinity) < to) {
        spans.push({
          afterSeq: day.after_seq,
          throughSeq: day.through_seq,
          firstPostedAt: day.first_posted_at,
          moved,
        });
      }
    }
    const moved = (found.balance - sealed) as Amount;
    spans.push({ afterSeq: closedSeq, throughSeq: headSeq, firstPostedAt: null, moved });
    return { account: found.account, before, spans, headSeq };
  });
}

/** Where the days before a certain one end, if all of them take too many facts. */
function tooManyFacts({ spans }: Plan, factsMax: number): { until: number | null } | undefined {
  const open = spans.at(-1);
  let facts = open === undefined ? 0 : open.throughSeq - open.afterSeq;
  if (facts > factsMax) return { until: null };
  for (const { afterSeq, throughSeq, firstPostedAt } of spans.slice(0, -1)) {
    facts += throughSeq - afterSeq;
    if (facts > factsMax) return { until: firstPostedAt };
  }
  return undefined;
}

/** A position's postings in a part of the journal, in its order, after one of them. */
export function postingRows(span: {
  readonly account: number;
  readonly after: readonly [entryId: number, line: number];
  readonly below: number;
}) {
  const { account, after, below } = span;
  return sql<{
    entry_id: number;
    line: number;
    seq: number;
    posted_at: number;
    cause: string;
    source: string;
    change_kind: string;
    network: string;
    blockchain_hash: string;
    transaction_id: string | null;
    notification_id: string | null;
    reverses: number | null;
    amount: string;
  }>`select p.entry_id, p.line, e.seq, e.posted_at, e.cause, e.source, p.change_kind, e.network,
      e.blockchain_hash, e.transaction_id, n.id as notification_id, e.reverses, p.amount
    from postings as p
    cross join entries as e on e.entry_id = p.entry_id
    left join notifications as n on n.seq = e.seq
    where (p.entry_id, p.line) > (${after[0]}, ${after[1]}) and p.entry_id < ${below}
      and p.ledger_account = ${account}
    order by p.entry_id, p.line limit ${POSTINGS_PER_PAGE}`;
}

type PostingRow = Awaited<ReturnType<ReturnType<typeof postingRows>['execute']>>['rows'][number];

/** The position's postings in a span. Throws if their sum is not the sealed one. */
async function* postingsIn(
  db: Kysely<Tables>,
  account: number,
  span: Span,
): AsyncGenerator<PostingRow> {
  const below = firstEntryIdOf(span.throughSeq + 1);
  let after: readonly [number, number] = [firstEntryIdOf(span.afterSeq + 1), -1];
  let sum = ZERO;
  for (;;) {
    const { rows } = await postingRows({ account, after, below }).execute(db);
    for (const row of rows) {
      sum = plus(sum, storedAmount(row.amount));
      yield row;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < POSTINGS_PER_PAGE) break;
    after = [last.entry_id, last.line];
  }
  if (sum !== span.moved) {
    const facts = `facts ${span.afterSeq + 1} to ${span.throughSeq}`;
    throw new Error(
      `postings of ledger account ${account} in ${facts} sum to ${sum}, not to ${span.moved}: run counterfoil verify`,
    );
  }
}

function lineOf(row: PostingRow, balance: Amount): StatementLine {
  return {
    entryId: row.entry_id,
    line: row.line,
    seq: row.seq,
    postedAt: row.posted_at,
    cause: row.cause as EntryCause,
    source: row.source as EntrySource,
    change: row.change_kind as ChangeKind,
    network: row.network,
    blockchainHash: row.blockchain_hash,
    transactionId: row.transaction_id,
    notificationId: row.notification_id,
    reverses: row.reverses,
    amount: storedAmount(row.amount),
    balance,
  };
}

/** An end after the beginning, or none. */
function endAfter(from: number, end: number | null): number | null {
  return end !== null && end > from ? end : null;
}

/**
 * A position's statement for a period (`Reads.statement`). The pages of postings need no common
 * transaction, because closed days and entries are append-only.
 */
export async function readStatement(
  db: Kysely<Tables>,
  query: StatementQuery,
  asked: { readonly page: PageRequest; readonly bounds?: StatementBounds },
): Promise<StatementAnswer> {
  const { from, to } = query;
  const { linesMax, factsMax } = asked.bounds ?? BOUNDS;
  const plan = await planOf(db, query);
  if (plan === undefined) return { kind: 'unknown' };
  const facts = tooManyFacts(plan, factsMax);
  if (facts !== undefined) {
    const fitsUntil = endAfter(from, facts.until);
    return { kind: 'too_long', limit: 'facts', max: factsMax, fitsUntil };
  }
  const found: PostingRow[] = [];
  let opening = plan.before;
  for (const span of plan.spans) {
    for await (const row of postingsIn(db, plan.account, span)) {
      if (row.posted_at < from) opening = plus(opening, storedAmount(row.amount));
      else if (row.posted_at < to) found.push(row);
      if (found.length <= linesMax) continue;
      const fitsUntil = endAfter(from, row.posted_at);
      return { kind: 'too_long', limit: 'lines', max: linesMax, fitsUntil };
    }
  }
  let balance = opening;
  const lines = found.map((row) => {
    balance = plus(balance, storedAmount(row.amount));
    return lineOf(row, balance);
  });
  const page = pageWithin(lines, asked.page);
  return { ...page, kind: 'statement', opening, closing: balance, journalSeq: plan.headSeq };
}
