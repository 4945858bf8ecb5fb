import type { Balance } from '../../store/answers.ts';
import type { BalanceQuery } from '../../store/queries.ts';
import type { Table, TextCell } from './table.ts';

type Decimals = ReadonlyMap<string, number>;

/** Balances by position. */
export function balancesTable(rows: readonly Balance[], decimals: Decimals): Table<Balance> {
  const known = (asset: string): number | null => decimals.get(asset) ?? null;
  return {
    name: 'Balances',
    rows,
    columns: [
      { name: 'vaultId', text: ({ vaultId }) => vaultId },
      { name: 'accountId', text: ({ accountId }) => accountId },
      { name: 'addressId', text: ({ addressId }) => addressId },
      { name: 'memo', text: ({ memo }) => memo },
      { name: 'asset', text: ({ asset }) => asset },
      { name: 'amount', money: ({ amount, asset }) => ({ amount, decimals: known(asset) }) },
      {
        name: 'pending',
        money: ({ pending: amount, asset }) => ({ amount, decimals: known(asset) }),
      },
    ],
  };
}

/** What was asked for, and when. `at`: Unix milliseconds. */
export function balancesFacts(
  query: BalanceQuery,
  about: { readonly at: number; readonly rows: number; readonly total: number },
): (readonly [string, TextCell])[] {
  const { view, asOf, ...filter } = query;
  return [
    ['view', view],
    ['asOf', new Date(asOf ?? about.at).toISOString()],
    ...Object.entries(filter),
    ['positions', `${about.rows} of ${about.total}`],
  ];
}
