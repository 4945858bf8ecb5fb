import { storedAmount } from '../domain/amount.ts';
import { AccountId, AddressId, AssetId, Memo } from '../domain/ids.ts';
import type { BalanceChange, ChangeKind } from '../domain/notification.ts';

/** [asset, amount, kind, accountId, addressId, memo, decimals] */
export type PackedChange = [
  string,
  string,
  ChangeKind,
  string | null,
  string | null,
  string | null,
  number | null,
];

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

/** Reads what `packChange` wrote. */
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

/** Balance changes as compact JSON values; amounts as decimal strings. */
export function packChanges(list: readonly BalanceChange[]): PackedChange[] {
  return list.map((change) => packChange(change));
}

/** Reads what `packChanges` wrote. */
export function unpackChanges(packed: unknown): BalanceChange[] {
  return (packed as PackedChange[]).map((change) => unpackChange(change));
}
