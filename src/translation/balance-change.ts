import { parseAmount } from '../domain/amount.ts';
import { AccountId, AddressId, AssetId, Memo } from '../domain/ids.ts';
import type { BalanceChange, ChangeKind } from '../domain/notification.ts';
import { attributedMemo, type BalanceChange as WireChange } from '../wire/balance-change.ts';

/** An absent, null or empty optional text is "not there". */
export function optional<Id>(
  brand: (value: string) => Id,
  value: string | null | undefined,
): Id | null {
  return value === undefined || value === null || value === '' ? null : brand(value);
}

/** The tags that set a kind, strongest first; every other tag leaves a transfer. */
const KIND_TAGS = ['fee', 'rebate', 'mint', 'change'] as const;

function kindOf(tags: readonly string[] | null | undefined): ChangeKind {
  return KIND_TAGS.find((tag) => tags?.includes(tag)) ?? 'transfer';
}

export interface Scope {
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
}

const NO_SCOPE: Scope = { accountId: null, addressId: null };

/**
 * A balance change in domain terms. Its position comes from its own `address` and `account`, else
 * from `scope` (the notification's own, on `incoming`).
 */
function changeOf(wire: WireChange, scope: Scope = NO_SCOPE): BalanceChange {
  const amount = parseAmount(wire.amount);
  if (amount === undefined) throw new Error(`amount ${wire.amount} passed the schema`);
  return {
    asset: AssetId(wire.asset),
    amount,
    kind: kindOf(wire.tags),
    accountId: optional(AccountId, wire.account?.id) ?? scope.accountId,
    addressId: optional(AddressId, wire.address?.id) ?? scope.addressId,
    memo: optional(Memo, attributedMemo(wire.memoInfo)),
    decimals: wire.amountFormatted?.asset.decimals ?? null,
  };
}

export function changesOf(
  list: readonly WireChange[] | null | undefined,
  scope?: Scope,
): readonly BalanceChange[] | null {
  return list?.map((change) => changeOf(change, scope)) ?? null;
}
