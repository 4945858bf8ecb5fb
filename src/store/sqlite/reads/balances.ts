import type { Kysely } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { plus, storedAmount, ZERO, type Amount } from '../../../domain/amount.ts';
import type { Balance, BalanceQuery } from '../../reads.ts';
import type { Tables } from '../tables.ts';
import { waitingDepositRows } from './deposits.ts';
import { atSnapshot } from './list.ts';

/** Rows and entries taken between two turns of the event loop: intake must not wait for a list. */
const ROWS_PER_TURN = 2_000;
const ENTRIES_PER_TURN = 1_000;

type Position = Omit<Balance, 'amount' | 'pending'>;
const PARTS = ['vaultId', 'accountId', 'addressId', 'memo', 'asset'] as const;

function byPosition(left: Position, right: Position): number {
  for (const part of PARTS) {
    const [one, other] = [left[part] ?? '', right[part] ?? ''];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** Identifiers never hold a NUL: the intake keeps such a notification aside. */
function keyOf(position: Position): string {
  return PARTS.map((part) => position[part] ?? '').join('\u0000');
}

/** Key columns hold '' where a position has no such part. */
function positionOf(
  row: Pick<Tables['ledger_accounts'], 'vault_id' | 'account_id' | 'address_id' | 'memo' | 'asset'>,
): Position {
  return {
    vaultId: row.vault_id,
    accountId: row.account_id || null,
    addressId: row.address_id || null,
    memo: row.memo || null,
    asset: row.asset,
  };
}

/** The positions asked for, ordered as the unique index of their table is. */
function positions(db: Kysely<Tables>, query: BalanceQuery) {
  const { view, vaultId, accountId, addressId, memo, asset } = query;
  return db
    .selectFrom('ledger_accounts')
    .where('ledger_accounts.view', '=', view)
    .where('ledger_accounts.kind', '=', 'position')
    .$if(vaultId !== undefined, (where) => where.where('vault_id', '=', vaultId ?? ''))
    .$if(accountId !== undefined, (where) => where.where('account_id', '=', accountId ?? ''))
    .$if(addressId !== undefined, (where) => where.where('address_id', '=', addressId ?? ''))
    .$if(memo !== undefined, (where) => where.where('memo', '=', memo ?? ''))
    .$if(asset !== undefined, (where) => where.where('asset', '=', asset ?? ''))
    .select(['vault_id', 'account_id', 'address_id', 'memo', 'asset'])
    .orderBy('vault_id')
    .orderBy('account_id')
    .orderBy('address_id')
    .orderBy('memo')
    .orderBy('asset');
}

/** Hands rows on one by one, and lets the event loop turn in between. */
async function eachRow<Row>(rows: AsyncIterable<Row>, take: (row: Row) => void): Promise<void> {
  let taken = 0;
  for await (const row of rows) {
    take(row);
    taken += 1;
    if (taken % ROWS_PER_TURN === 0) await nextTurn();
  }
}

/** Whether a position is asked for; '' asks for positions without that part. */
function isAsked(query: BalanceQuery, position: Position): boolean {
  return PARTS.every((part) => query[part] === undefined || query[part] === (position[part] ?? ''));
}

/** Deposits in the mempool, summed at the position where they will post. */
async function pendingAt(at: Kysely<Tables>, query: BalanceQuery): Promise<Map<string, Balance>> {
  const pending = new Map<string, Balance>();
  if (query.view === 'chain') return pending;
  for (const row of await waitingDepositRows(at).where('state', '=', 'detected').execute()) {
    const position = {
      vaultId: row.vault_id,
      accountId: row.account_id,
      addressId: row.address_id,
      // A memo that nothing attributes posts to the address itself.
      memo: row.unattributed === 1 ? null : row.memo,
      asset: row.asset,
    };
    if (!isAsked(query, position)) continue;
    const key = keyOf(position);
    const sum = plus(pending.get(key)?.pending ?? ZERO, storedAmount(row.amount));
    pending.set(key, { ...position, amount: ZERO, pending: sum });
  }
  return pending;
}

function currentBalances(db: Kysely<Tables>, query: BalanceQuery): Promise<Balance[]> {
  return atSnapshot(db, async (at) => {
    const pending = await pendingAt(at, query);
    const balances: Balance[] = [];
    const rows = positions(at, query)
      .innerJoin('balances', 'balances.ledger_account', 'ledger_accounts.ledger_account')
      .select('balances.amount')
      .stream();
    await eachRow(rows, (row) => {
      const position = positionOf(row);
      const amount = storedAmount(row.amount);
      const key = keyOf(position);
      const expected = pending.get(key)?.pending ?? ZERO;
      pending.delete(key);
      if (amount !== ZERO || expected !== ZERO) {
        balances.push({ ...position, amount, pending: expected });
      }
    });
    return [...balances, ...pending.values()];
  });
}

/**
 * Balances of what was posted up to a moment. No transaction is held over the turns: what is posted
 * up to the last entry at the start is append-only, so it reads the same at any later time.
 */
async function balancesUntil(
  db: Kysely<Tables>,
  query: BalanceQuery,
  asOf: number,
): Promise<Balance[]> {
  const sums = new Map<number, { readonly position: Position; amount: Amount }>();
  await eachRow(positions(db, query).select('ledger_account').stream(), (row) => {
    sums.set(row.ledger_account, { position: positionOf(row), amount: ZERO });
  });
  const { vaultId } = query;
  const entries = db
    .selectFrom('entries')
    .where('entries.view', '=', query.view)
    .where('entries.posted_at', '<=', asOf)
    .$if(vaultId !== undefined, (where) => where.where('entries.vault_id', '=', vaultId ?? ''));
  const last = await entries.select(({ fn }) => fn.max('entry_id').as('id')).executeTakeFirst();
  const lastId = last?.id ?? 0;
  for (let doneId = 0; doneId < lastId;) {
    const turn = await entries
      .select('entries.entry_id')
      .where('entries.entry_id', '>', doneId)
      .orderBy('entries.entry_id')
      .limit(ENTRIES_PER_TURN)
      .execute();
    const turnId = Math.min(turn.at(-1)?.entry_id ?? lastId, lastId);
    const postings = await entries
      .innerJoin('postings', 'postings.entry_id', 'entries.entry_id')
      .where('entries.entry_id', '>', doneId)
      .where('entries.entry_id', '<=', turnId)
      .select(['postings.ledger_account', 'postings.amount'])
      .execute();
    for (const posting of postings) {
      const sum = sums.get(posting.ledger_account);
      if (sum !== undefined) sum.amount = plus(sum.amount, storedAmount(posting.amount));
    }
    doneId = turnId;
    await nextTurn();
  }
  return [...sums.values()]
    .filter(({ amount }) => amount !== ZERO)
    .map(({ position, amount }) => ({ ...position, amount, pending: ZERO }));
}

/** Balances of one view, summed as bigint: amounts exceed every number that SQLite can add. */
export async function readBalances(
  db: Kysely<Tables>,
  query: BalanceQuery,
): Promise<readonly Balance[]> {
  const { asOf } = query;
  const balances = await (asOf === undefined
    ? currentBalances(db, query)
    : balancesUntil(db, query, asOf));
  // Nearly sorted already; SQLite compares UTF-8 bytes where this compares UTF-16 units.
  return balances.sort(byPosition);
}
