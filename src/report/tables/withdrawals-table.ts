import { plus, ZERO, type Amount } from '../../domain/money/amount.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import { timeText, type Table, type TableColumn } from './table.ts';

/** What a withdrawal moved of one asset. */
export interface AssetMoved {
  readonly asset: string;
  /** Fees left out; negative when it lowers the balance, smallest unit. */
  readonly amount: Amount;
  readonly fee: Amount;
}

/** What a withdrawal posted to the books, by asset; nothing before it is mined. */
export function movedBy({ posted }: Pick<Withdrawal, 'posted'>): AssetMoved[] {
  const sums = new Map<string, AssetMoved>();
  for (const { asset, amount, kind } of posted) {
    const sum = sums.get(asset) ?? { asset, amount: ZERO, fee: ZERO };
    const next =
      kind === 'fee'
        ? { ...sum, fee: plus(sum.fee, amount) }
        : { ...sum, amount: plus(sum.amount, amount) };
    sums.set(asset, next);
  }
  return [...sums.values()];
}

interface Row {
  readonly one: Withdrawal;
  readonly moved: AssetMoved | null;
}

/** Withdrawals with a row for each asset that they moved. */
export function withdrawalsTable(
  items: readonly Withdrawal[],
  decimals: ReadonlyMap<string, number>,
): Table<Row> {
  const money = (name: 'amount' | 'fee'): TableColumn<Row> => ({
    name,
    money: ({ moved }) =>
      moved === null ? null : { amount: moved[name], decimals: decimals.get(moved.asset) ?? null },
  });
  return {
    name: 'Withdrawals',
    rows: items.flatMap((one): Row[] => {
      const moved = movedBy(one);
      return moved.length === 0
        ? [{ one, moved: null }]
        : moved.map((sum) => ({ one, moved: sum }));
    }),
    columns: [
      { name: 'transactionId', text: ({ one }) => one.transactionId },
      { name: 'orderId', text: ({ one }) => one.orderId },
      { name: 'status', text: ({ one }) => one.status },
      { name: 'reasonCode', text: ({ one }) => one.reasonCode },
      { name: 'custody', text: ({ one }) => one.custody },
      { name: 'asset', text: ({ moved }) => moved?.asset ?? null },
      money('amount'),
      money('fee'),
      { name: 'network', text: ({ one }) => one.network },
      { name: 'blockchainHash', text: ({ one }) => one.blockchainHash },
      { name: 'destinationAddress', text: ({ one }) => one.destinationAddress },
      { name: 'memo', text: ({ one }) => one.memo },
      { name: 'vaultId', text: ({ one }) => one.vaultId },
      { name: 'accountId', text: ({ one }) => one.accountId },
      { name: 'addressId', text: ({ one }) => one.addressId },
      { name: 'firstSeenAt', text: ({ one }) => timeText(one.firstSeenAt) },
      { name: 'updatedAt', text: ({ one }) => timeText(one.updatedAt) },
    ],
  };
}
