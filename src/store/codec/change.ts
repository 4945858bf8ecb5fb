import { storedAmount } from '../../domain/money/amount.ts';
import { AccountId, AddressId, AssetId, Memo } from '../../domain/ids.ts';
import type { BalanceChange, ChangeKind } from '../../domain/fact/notification.ts';

/** A balance change as stored: [asset, amount, kind, accountId, addressId, memo, decimals]. */
export type PackedChange = [
  string,
  string,
  ChangeKind,
  string | null,
  string | null,
  string | null,
  number | null,
];

/** One balance change as a compact JSON value; the amount is a decimal string (smallest unit). */
export function packChange(change: BalanceChange): PackedChange {
  return [
    change.asset,
    change.amount.toString(),
    change.kind,
    change.accountId,
    change.addressId,
    change.memo,
    change.decimals,
  ];
}

/** Reads what `packChange` wrote. Throws for an amount that is not an integer: damage. */
export function unpackChange(packed: PackedChange): BalanceChange {
  const [asset, amount, kind, accountId, addressId, memo, decimals] = packed;
  return {
    asset: AssetId(asset),
    amount: storedAmount(amount),
    kind,
    accountId: accountId === null ? null : AccountId(accountId),
    addressId: addressId === null ? null : AddressId(addressId),
    memo: memo === null ? null : Memo(memo),
    decimals,
  };
}

/** Balance changes as compact JSON values, in the given order. */
export function packChanges(list: readonly BalanceChange[]): PackedChange[] {
  return list.map((change) => packChange(change));
}

/** Reads what `packChanges` wrote. `packed`: the parsed JSON, which the caller trusts. */
export function unpackChanges(packed: unknown): BalanceChange[] {
  return (packed as PackedChange[]).map((change) => unpackChange(change));
}
