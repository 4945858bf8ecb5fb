import type { Kysely } from 'kysely';
import { plus, storedAmount, ZERO } from '../../../../domain/money/amount.ts';
import type { Balance } from '../../../answers.ts';
import { pageWithin, type Page, type PageRequest } from '../../../page.ts';
import type { BalanceQuery } from '../../../queries.ts';
import type { Tables } from '../../table/tables.ts';
import { waitingDepositRows } from '../deposits/deposits.ts';
import { atSnapshot } from '../list.ts';
import { balancesUntil } from './past-balances.ts';
import { positionOf, positionRows, type Position } from './positions.ts';

const PARTS = ['vaultId', 'accountId', 'addressId', 'memo', 'asset'] as const;

function byPosition(left: Position, right: Position): number {
  for (const part of PARTS) {
    const [one, other] = [left[part] ?? '', right[part] ?? ''];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** Identifiers never hold a NUL, because the intake quarantines such a notification. */
function keyOf(position: Position): string {
  return PARTS.map((part) => position[part] ?? '').join('\u0000');
}

/** Whether a position matches the query; '' matches positions without that part. */
function isAsked(query: BalanceQuery, position: Position): boolean {
  return PARTS.every((part) => query[part] === undefined || query[part] === (position[part] ?? ''));
}

/** Sums the deposits in the mempool by the position at which they will post. */
async function pendingAt(at: Kysely<Tables>, query: BalanceQuery): Promise<Map<string, Balance>> {
  const pending = new Map<string, Balance>();
  if (query.view === 'chain') return pending;
  for (const row of await waitingDepositRows(at).where('state', '=', 'detected').execute()) {
    const position = {
      vaultId: row.vault_id,
      accountId: row.account_id,
      addressId: row.address_id,
      // A deposit with an unattributed memo posts to the address itself.
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
    const rows = await positionRows(at, query)
      .innerJoin('balances', 'balances.ledger_account', 'ledger_accounts.ledger_account')
      .select('balances.amount')
      .execute();
    for (const row of rows) {
      const position = positionOf(row);
      const amount = storedAmount(row.amount);
      const key = keyOf(position);
      const expected = pending.get(key)?.pending ?? ZERO;
      pending.delete(key);
      if (amount !== ZERO || expected !== ZERO) {
        balances.push({ ...position, amount, pending: expected });
      }
    }
    return [...balances, ...pending.values()];
  });
}

/** One page of the balances of a view by position, summed as bigint because SQLite's integers are too small. */
export async function readBalances(
  db: Kysely<Tables>,
  query: BalanceQuery,
  page: PageRequest,
): Promise<Page<Balance>> {
  const { asOf } = query;
  const balances = await (asOf === undefined
    ? currentBalances(db, query)
    : balancesUntil(db, { ...query, asOf }));
  // SQLite's order is by UTF-8 bytes; this one is by UTF-16 units, so few rows move.
  return pageWithin(balances.sort(byPosition), page);
}
