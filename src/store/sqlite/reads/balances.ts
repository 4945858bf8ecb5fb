import type { Kysely } from 'kysely';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { plus, storedAmount, ZERO, type Amount } from '../../../domain/amount.ts';
import type { Balance, BalanceQuery } from '../../reads.ts';
import type { Tables } from '../tables.ts';
import { waitingDepositRows } from './deposits.ts';
import { atSnapshot } from './list.ts';

/** Entries summed between two turns of the event loop, so that intake is not kept waiting. */
const ENTRIES_PER_TURN = 5_000;

type Position = Omit<Balance, 'amount' | 'pending'>;

/** Sums per position; keyed by the position's parts, so that two sources meet in one balance. */
class PositionSums {
  readonly #balances = new Map<string, Balance>();

  add(position: Position, some: { amount?: Amount; pending?: Amount }): void {
    const { vaultId, accountId, addressId, memo, asset } = position;
    const key = JSON.stringify([vaultId, accountId, addressId, memo, asset]);
    const known = this.#balances.get(key);
    this.#balances.set(key, {
      vaultId,
      accountId,
      addressId,
      memo,
      asset,
      amount: plus(known?.amount ?? ZERO, some.amount ?? ZERO),
      pending: plus(known?.pending ?? ZERO, some.pending ?? ZERO),
    });
  }

  /** Positions that hold or expect anything, in the order of their parts. */
  list(): readonly Balance[] {
    return [...this.#balances.values()]
      .filter(({ amount, pending }) => amount !== ZERO || pending !== ZERO)
      .sort(byPosition);
  }
}

function byPosition(left: Position, right: Position): number {
  for (const part of ['vaultId', 'accountId', 'addressId', 'memo', 'asset'] as const) {
    const [one, other] = [left[part] ?? '', right[part] ?? ''];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

type LedgerPosition = Pick<
  Tables['ledger_accounts'],
  'vault_id' | 'account_id' | 'address_id' | 'memo' | 'asset'
>;

/** Key columns hold '' where a position has no such part. */
function positionOf(row: LedgerPosition): Position {
  return {
    vaultId: row.vault_id,
    accountId: row.account_id || null,
    addressId: row.address_id || null,
    memo: row.memo || null,
    asset: row.asset,
  };
}

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
    .select(['vault_id', 'account_id', 'address_id', 'memo', 'asset']);
}

/** Whether a position is asked for; '' asks for positions without that part. */
function isAsked(query: BalanceQuery, position: Position): boolean {
  return (['vaultId', 'accountId', 'addressId', 'memo', 'asset'] as const).every(
    (part) => query[part] === undefined || query[part] === (position[part] ?? ''),
  );
}

/** Deposits in the mempool at the position where they will post (section "Vocabulary", position). */
async function addPending(
  sums: PositionSums,
  db: Kysely<Tables>,
  query: BalanceQuery,
): Promise<void> {
  for (const row of await waitingDepositRows(db).where('state', '=', 'detected').execute()) {
    const position = {
      vaultId: row.vault_id,
      accountId: row.account_id,
      addressId: row.address_id,
      memo: row.unattributed === 1 ? null : row.memo,
      asset: row.asset,
    };
    if (isAsked(query, position)) sums.add(position, { pending: storedAmount(row.amount) });
  }
}

/**
 * Sums postings up to a moment. No transaction is held over the turns: what is posted up to the
 * last entry at the start is append-only, so it reads the same at any later time.
 */
async function addPostedUntil(
  sums: PositionSums,
  db: Kysely<Tables>,
  query: BalanceQuery & { asOf: number },
): Promise<void> {
  const rows = await positions(db, query).select('ledger_account').execute();
  const accounts = new Map(rows.map((row) => [row.ledger_account, positionOf(row)]));
  const { vaultId } = query;
  const entries = db
    .selectFrom('entries')
    .where('entries.view', '=', query.view)
    .where('entries.posted_at', '<=', query.asOf)
    .$if(vaultId !== undefined, (where) => where.where('entries.vault_id', '=', vaultId ?? ''));
  const last = await entries
    .select((entry) => entry.fn.max('entry_id').as('id'))
    .executeTakeFirst();
  const lastId = last?.id ?? 0;
  for (let doneId = 0; doneId < lastId;) {
    const turn = await entries
      .select('entries.entry_id')
      .where('entries.entry_id', '>', doneId)
      .orderBy('entries.entry_id')
      .limit(ENTRIES_PER_TURN)
      .execute();
    const turnId = turn.at(-1)?.entry_id ?? lastId;
    const postings = await entries
      .innerJoin('postings', 'postings.entry_id', 'entries.entry_id')
      .where('entries.entry_id', '>', doneId)
      .where('entries.entry_id', '<=', turnId)
      .select(['postings.ledger_account', 'postings.amount'])
      .execute();
    for (const posting of postings) {
      const position = accounts.get(posting.ledger_account);
      if (position !== undefined) sums.add(position, { amount: storedAmount(posting.amount) });
    }
    doneId = turnId;
    await nextTurn();
  }
}

/** Balances of one view, summed as bigint: amounts exceed every number that SQLite can add. */
export async function readBalances(
  db: Kysely<Tables>,
  query: BalanceQuery,
): Promise<readonly Balance[]> {
  const sums = new PositionSums();
  const { asOf } = query;
  if (asOf !== undefined) {
    await addPostedUntil(sums, db, { ...query, asOf });
    return sums.list();
  }
  await atSnapshot(db, async (at) => {
    const rows = await positions(at, query)
      .innerJoin('balances', 'balances.ledger_account', 'ledger_accounts.ledger_account')
      .select('balances.amount')
      .execute();
    for (const row of rows) sums.add(positionOf(row), { amount: storedAmount(row.amount) });
    if (query.view === 'books') await addPending(sums, at, query);
  });
  return sums.list();
}
