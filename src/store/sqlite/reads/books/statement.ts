import { sql, type Kysely } from 'kysely';
import { plus, storedAmount, ZERO, type Amount } from '../../../../domain/money/amount.ts';
import type { EntryCause, EntrySource } from '../../../../domain/money/entry.ts';
import type { ChangeKind } from '../../../../domain/fact/notification.ts';
import { pageWithin, type PageRequest } from '../../../page.ts';
import type { StatementAnswer, StatementLine, StatementQuery } from '../../../statement.ts';
import type { Tables } from '../../table/tables.ts';
import { readJournalHead } from '../close/closes.ts';
import { atSnapshot } from '../list.ts';

/** Most lines of a statement: people read it, and a workbook of it is built in memory. */
const STATEMENT_LINES_MAX = 10_000;
/** Most postings that a statement reads, from the newest one back. It bounds the time of a read. */
const STATEMENT_POSTINGS_MAX = 1_000_000;

/** Entries per page: pages are faster than single entries, and bound the memory. */
const ENTRIES_PER_PAGE = 1_000;

/** The bounds of a reading; tests set smaller ones. */
export interface StatementBounds {
  readonly linesMax: number;
  readonly postingsMax: number;
}

const BOUNDS: StatementBounds = {
  linesMax: STATEMENT_LINES_MAX,
  postingsMax: STATEMENT_POSTINGS_MAX,
};

/** A part of the journal, and the sum of the position's postings in it. */
interface Span {
  readonly afterSeq: number;
  readonly throughSeq: number;
  readonly moved: Amount;
}

interface Plan {
  readonly account: number;
  /** The newest entry with a posting of the position. */
  readonly newestEntry: number;
  /** The sum of the days that ended before the period. */
  readonly before: Amount;
  /** Days that reach into the period, and the open day. Other days did not move the position. */
  readonly spans: readonly Span[];
  readonly headSeq: number;
}

/** A ledger account, its balance, and the newest entry that posted to it. */
interface FoundAccount {
  readonly account: number;
  readonly balance: Amount;
  readonly newestEntry: number;
}

async function accountOf(
  at: Kysely<Tables>,
  query: StatementQuery,
): Promise<FoundAccount | undefined> {
  const row = await at
    .selectFrom('ledger_accounts')
    .innerJoin('balances', 'balances.ledger_account', 'ledger_accounts.ledger_account')
    .where('vault_id', '=', query.vaultId)
    .where('address_id', '=', query.addressId ?? '')
    .where('account_id', '=', query.accountId ?? '')
    .where('memo', '=', query.memo ?? '')
    .where('asset', '=', query.asset)
    .where('view', '=', query.view)
    .where('kind', '=', 'position')
    .select(['ledger_accounts.ledger_account', 'balances.amount', 'balances.newest_entry'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const balance = storedAmount(row.amount);
  return { account: row.ledger_account, balance, newestEntry: row.newest_entry };
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

/** The last fact of the closed days. */
async function closedSeqOf(at: Kysely<Tables>): Promise<number> {
  const close = await at
    .selectFrom('daily_closes')
    .select(({ fn }) => fn.max('through_seq').as('seq'))
    .executeTakeFirst();
  return close?.seq ?? 0;
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
    const closedSeq = await closedSeqOf(at);
    const headSeq = await readJournalHead(at);
    const spans: Span[] = [];
    let [sealed, before] = [ZERO, ZERO];
    for (const day of await daysMoved(at, found.account)) {
      const amount = storedAmount(day.amount);
      const moved = (amount - sealed) as Amount;
      sealed = amount;
      if ((day.last_posted_at ?? -Infinity) < from) before = plus(before, moved);
      else if ((day.first_posted_at ?? Infinity) < to) {
        spans.push({ afterSeq: day.after_seq, throughSeq: day.through_seq, moved });
      }
    }
    const moved = (found.balance - sealed) as Amount;
    spans.push({ afterSeq: closedSeq, throughSeq: headSeq, moved });
    const { account, newestEntry } = found;
    return { account, newestEntry, before, spans, headSeq };
  });
}

/** A position's postings in one page of entries, newest first, from one of its entries back. */
export function postingRows({ account, entryId }: { account: number; entryId: number }) {
  return sql<{
    entry_id: number;
    line: number;
    previous_entry: number | null;
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
  }>`with recursive chain (entry_id) as (
      select ${entryId}
      union all
      select (
        select previous_entry from postings
        where postings.entry_id = chain.entry_id and ledger_account = ${account} limit 1
      ) from chain where chain.entry_id is not null limit ${ENTRIES_PER_PAGE}
    )
    select p.entry_id, p.line, p.previous_entry, e.seq, e.posted_at, e.cause, e.source,
      p.change_kind, e.network, e.blockchain_hash, e.transaction_id, n.id as notification_id,
      e.reverses, p.amount
    from chain
    cross join postings as p on p.entry_id = chain.entry_id and p.ledger_account = ${account}
    cross join entries as e on e.entry_id = p.entry_id
    left join notifications as n on n.seq = e.seq
    order by p.entry_id desc, p.line desc`;
}

type PostingRow = Awaited<ReturnType<ReturnType<typeof postingRows>['execute']>>['rows'][number];

/** All postings of the position, newest first: each names the entry before it. */
async function* postingsBack(db: Kysely<Tables>, plan: Plan): AsyncGenerator<PostingRow> {
  for (let entryId: number | null = plan.newestEntry; entryId !== null;) {
    const { rows }: { rows: PostingRow[] } = await postingRows({
      account: plan.account,
      entryId,
    }).execute(db);
    yield* rows;
    entryId = rows.at(-1)?.previous_entry ?? null;
  }
}

/** Throws if the postings that were read in a span do not sum to what is sealed. */
function assertSum(account: number, span: Span, sum: Amount): void {
  if (sum === span.moved) return;
  const facts = `facts ${span.afterSeq + 1} to ${span.throughSeq}`;
  throw new Error(
    `postings of ledger account ${account} in ${facts} sum to ${sum}, not to ${span.moved}: run counterfoil verify`,
  );
}

/**
 * The position's postings in the plan's spans, newest first; null for a posting between two spans.
 * Throws if the postings contradict a seal.
 */
async function* postingsIn(db: Kysely<Tables>, plan: Plan): AsyncGenerator<PostingRow | null> {
  const { account, spans } = plan;
  const sums = new Map<Span, Amount>();
  let index = spans.length - 1;
  for await (const row of postingsBack(db, plan)) {
    while (row.seq <= (spans[index]?.afterSeq ?? -1)) index -= 1;
    const span = spans[index];
    if (span === undefined) break;
    const isInSpan = row.seq <= span.throughSeq;
    if (isInSpan) sums.set(span, plus(sums.get(span) ?? ZERO, storedAmount(row.amount)));
    yield isInSpan ? row : null;
  }
  for (const span of spans) assertSum(account, span, sums.get(span) ?? ZERO);
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
function endAfter(from: number, end: number | undefined): number | null {
  return end !== undefined && end > from ? end : null;
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
  const { linesMax, postingsMax } = asked.bounds ?? BOUNDS;
  const plan = await planOf(db, query);
  if (plan === undefined) return { kind: 'unknown' };
  const found: PostingRow[] = [];
  let opening = plan.before;
  let postings = 0;
  for await (const row of postingsIn(db, plan)) {
    postings += 1;
    if (postings > postingsMax) {
      return { kind: 'too_long', limit: 'postings', max: postingsMax, fitsUntil: null };
    }
    if (row === null) continue;
    if (row.posted_at < from) opening = plus(opening, storedAmount(row.amount));
    else if (row.posted_at < to) found.push(row);
    // The oldest of too many lines say where the period must end.
    if (found.length > 2 * (linesMax + 1)) found.splice(0, linesMax + 1);
  }
  found.reverse();
  if (found.length > linesMax) {
    const fitsUntil = endAfter(from, found[linesMax]?.posted_at);
    return { kind: 'too_long', limit: 'lines', max: linesMax, fitsUntil };
  }
  let balance = opening;
  const lines = found.map((row) => {
    balance = plus(balance, storedAmount(row.amount));
    return lineOf(row, balance);
  });
  const page = pageWithin(lines, asked.page);
  return { ...page, kind: 'statement', opening, closing: balance, journalSeq: plan.headSeq };
}
