import type { ExpressionBuilder, Kysely } from 'kysely';
import { negated, plus, storedAmount, ZERO, type Amount } from '../../../../domain/money/amount.ts';
import { firstEntryIdOf } from '../../../../domain/ids.ts';
import type { Balance } from '../../../answers.ts';
import type { BalanceQuery } from '../../../queries.ts';
import type { Position } from '../../../statement.ts';
import type { Tables } from '../../table/tables.ts';
import { positionOf, positionRows } from './positions.ts';

/** Entries per page: pages are faster than single rows, and bound the memory. */
const ENTRIES_PER_PAGE = 1_000;

/** Entries with numbers from `from` to below `below` that correct the base. */
interface Span {
  readonly from: number;
  readonly below: number;
  /** Posted by the moment but missing in the base, or in the base but posted after the moment. */
  readonly effect: 'missing' | 'too_many';
}

/** The day whose sealed positions are the base, and the entries that correct it. */
interface Plan {
  /** '' before the first closed day. */
  readonly baseDay: string;
  readonly spans: readonly Span[];
}

/**
 * The base is the newest closed day with its cut-off at or before the moment. Entries follow the
 * order of the journal, not of its clock. After a change of the clock, a day may hold entries from
 * both sides of the moment. Only such days, and entries of no closed day, are read.
 */
async function planOf(db: Kysely<Tables>, asOf: number): Promise<Plan> {
  const closes = await db
    .selectFrom('daily_closes')
    .select(['day', 'cut_off_at', 'through_seq', 'first_posted_at', 'last_posted_at'])
    .orderBy('cut_off_at')
    .execute();
  const head = await db
    .selectFrom('entries')
    .select(({ fn }) => fn.max('entry_id').as('id'))
    .executeTakeFirst();
  let baseDay = '';
  let from = 0;
  const spans: Span[] = [];
  for (const close of closes) {
    const below = firstEntryIdOf(close.through_seq + 1);
    if (close.cut_off_at <= asOf) {
      baseDay = close.day;
      const reaches = (close.last_posted_at ?? asOf) > asOf;
      if (reaches) spans.push({ from, below, effect: 'too_many' });
    } else if ((close.first_posted_at ?? Infinity) <= asOf) {
      spans.push({ from, below, effect: 'missing' });
    }
    from = below;
  }
  spans.push({ from, below: (head?.id ?? 0) + 1, effect: 'missing' });
  return { baseDay, spans };
}

/** A position's balance at the end of a day, which is its last sealed total by then. */
function sealedBy(baseDay: string) {
  return (position: ExpressionBuilder<Tables, 'ledger_accounts'>) =>
    position
      .selectFrom('position_totals')
      .whereRef('position_totals.ledger_account', '=', 'ledger_accounts.ledger_account')
      .where('position_totals.day', '<=', baseDay)
      .orderBy('position_totals.day', 'desc')
      .limit(1)
      .select('position_totals.amount')
      .as('sealed');
}

/** Calls `take` for each posting of a span's entries on its side of the moment, page by page. */
async function eachPosting(
  db: Kysely<Tables>,
  query: BalanceQuery & { readonly asOf: number },
  span: Span & { readonly take: (account: number, amount: Amount) => void },
): Promise<void> {
  const { view, vaultId, asOf } = query;
  const { below, effect, take } = span;
  const entries = db
    .selectFrom('entries')
    .where('entries.view', '=', view)
    .where('entries.posted_at', effect === 'missing' ? '<=' : '>', asOf)
    .$if(vaultId !== undefined, (where) => where.where('entries.vault_id', '=', vaultId ?? ''));
  for (let from = span.from; from < below;) {
    const page = await entries
      .select('entries.entry_id')
      .where('entries.entry_id', '>=', from)
      .where('entries.entry_id', '<', below)
      .orderBy('entries.entry_id')
      .limit(ENTRIES_PER_PAGE)
      .execute();
    const last = page.at(-1);
    if (last === undefined) return;
    const postings = await entries
      .innerJoin('postings', 'postings.entry_id', 'entries.entry_id')
      .where('entries.entry_id', '>=', from)
      .where('entries.entry_id', '<=', last.entry_id)
      .select(['postings.ledger_account', 'postings.amount'])
      .execute();
    for (const posting of postings) take(posting.ledger_account, storedAmount(posting.amount));
    from = last.entry_id + 1;
  }
}

/**
 * Balances of the entries posted by `asOf` (Unix milliseconds), from the last day sealed by then.
 * The pages need no common transaction, because closed days and entries are append-only.
 */
export async function balancesUntil(
  db: Kysely<Tables>,
  query: BalanceQuery & { readonly asOf: number },
): Promise<Balance[]> {
  const { baseDay, spans } = await planOf(db, query.asOf);
  const sums = new Map<number, { readonly position: Position; amount: Amount }>();
  const sealed = positionRows(db, query)
    .select(['ledger_account', sealedBy(baseDay)])
    .stream();
  for await (const row of sealed) {
    const amount = storedAmount(row.sealed ?? '0');
    sums.set(row.ledger_account, { position: positionOf(row), amount });
  }
  for (const span of spans) {
    const take = (account: number, amount: Amount): void => {
      const sum = sums.get(account);
      if (sum === undefined) return;
      sum.amount = plus(sum.amount, span.effect === 'missing' ? amount : negated(amount));
    };
    await eachPosting(db, query, { ...span, take });
  }
  return [...sums.values()]
    .filter(({ amount }) => amount !== ZERO)
    .map(({ position, amount }) => ({ ...position, amount, pending: ZERO }));
}
