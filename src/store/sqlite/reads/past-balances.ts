import type { ExpressionBuilder, Kysely } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { negated, plus, storedAmount, ZERO, type Amount } from '../../../domain/amount.ts';
import { firstEntryIdOf } from '../../../domain/ids.ts';
import type { Balance, BalanceQuery } from '../../reads.ts';
import type { Tables } from '../tables.ts';
import { eachRow, positionOf, positionRows, type Position } from './positions.ts';

/** Entries taken between two turns of the event loop. */
const ENTRIES_PER_TURN = 1_000;

/** Entries from one number up to below another, on one side of the moment. */
interface Span {
  readonly from: number;
  readonly below: number;
  /** Posted until the moment and not in the base, or in the base and posted after it. */
  readonly effect: 'missing' | 'too_many';
}

/** The day whose sealed positions are gone on from, and what they lack or have too much. */
interface Plan {
  /** '' before the first. */
  readonly baseDay: string;
  readonly spans: readonly Span[];
}

/**
 * The base is the newest day closed with its cut-off at or before the moment. Entries are in the
 * order of the journal and not of its clock: one that was set back or forth leaves days whose
 * entries reach over the moment from either side, and just those are looked at, with what is not
 * closed yet.
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

/** What a position held at the end of a day: its last sealed total by then. */
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

/** Hands on the postings of a span's entries that are on its side of the moment, in turns. */
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
    const turn = await entries
      .select('entries.entry_id')
      .where('entries.entry_id', '>=', from)
      .where('entries.entry_id', '<', below)
      .orderBy('entries.entry_id')
      .limit(ENTRIES_PER_TURN)
      .execute();
    const last = turn.at(-1);
    if (last === undefined) return;
    const postings = await entries
      .innerJoin('postings', 'postings.entry_id', 'entries.entry_id')
      .where('entries.entry_id', '>=', from)
      .where('entries.entry_id', '<=', last.entry_id)
      .select(['postings.ledger_account', 'postings.amount'])
      .execute();
    for (const posting of postings) take(posting.ledger_account, storedAmount(posting.amount));
    from = last.entry_id + 1;
    await nextTurn();
  }
}

/**
 * Balances of what was posted up to a moment, from the last day sealed by then. No transaction is
 * held over the turns: closed days, and what is posted up to the last entry at the start, are
 * append-only and read the same at any later time.
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
  await eachRow(sealed, (row) => {
    const amount = storedAmount(row.sealed ?? '0');
    sums.set(row.ledger_account, { position: positionOf(row), amount });
  });
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
