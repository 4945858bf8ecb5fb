import { sql, type RawBuilder } from 'kysely';
import type { DepositSearch } from '../../../queries.ts';
import { all, equalities, isAnyOf } from '../list.ts';
import { atNetworkAddress } from './at-network-address.ts';

/** Compares decimal text of any length by its digits. */
function amountAtLeast(amount: bigint): RawBuilder<boolean> {
  const digits = amount.toString();
  return sql<boolean>`substr(amount, 1, 1) <> '-'
    and (length(amount), amount) >= (${digits.length}, ${digits})`;
}

function amountAtMost(amount: bigint): RawBuilder<boolean> {
  const digits = amount.toString();
  return sql<boolean>`(substr(amount, 1, 1) = '-'
    or (length(amount), amount) <= (${digits.length}, ${digits}))`;
}

/** Every filter of a search as one condition. */
export function filtersOf(search: DepositSearch): RawBuilder<boolean> {
  const { firstSeenFrom, firstSeenBefore, amountFrom, amountTo, amounts } = search;
  const { networkAddress, reasons } = search;
  const equal = {
    state: search.state,
    vault_id: search.vaultId,
    network: search.network,
    asset: search.asset,
    account_id: search.accountId,
    address_id: search.addressId,
    memo: search.memo,
    attributed_to: search.attributedTo,
  };
  return all([
    ...equalities(equal),
    networkAddress === undefined ? undefined : atNetworkAddress(networkAddress),
    reasons === undefined ? undefined : sql<boolean>`reason in (${sql.join(reasons)})`,
    amounts === undefined ? undefined : isAnyOf('amount', amounts),
    amountFrom === undefined ? undefined : amountAtLeast(amountFrom),
    amountTo === undefined ? undefined : amountAtMost(amountTo),
    firstSeenFrom === undefined ? undefined : sql<boolean>`first_seen_at >= ${firstSeenFrom}`,
    firstSeenBefore === undefined ? undefined : sql<boolean>`first_seen_at < ${firstSeenBefore}`,
  ]);
}
