import type { Deposit } from './deposit.ts';
import type { RuleContext, HashState } from '../hash/hash-state.ts';
import { receivedIn, type Received } from './received.ts';

/**
 * The deposit after a person corrected its asset's decimals. The hold ends when the deposit arrived
 * with the right ones. A deposit that is not confirmed is checked again at its first confirmation.
 */
export function asPinned(deposit: Deposit, hashState: HashState, now: RuleContext): Deposit {
  const { asset } = deposit;
  if (!deposit.decimalsChanged) return deposit;
  const isRight = reportedDecimals(deposit, hashState) === now.pinnedDecimals(asset);
  if (deposit.evidence === 'confirmed' && !isRight) return deposit;
  return { ...deposit, decimalsChanged: false, updatedAt: now.at };
}

/** The decimals in the deposit's notifications; null where they named none. */
function reportedDecimals(
  { asset, vaultId, accountId, addressId, memo }: Deposit,
  { sightings }: HashState,
): number | null {
  const sighting = sightings.find(
    (one) =>
      one.stream === 'incoming' &&
      one.vaultId === vaultId &&
      one.accountId === accountId &&
      one.addressId === addressId &&
      one.memo === memo,
  );
  const received = receivedIn(sighting?.posted ?? []).find((one) => one.asset === asset);
  return received?.decimals ?? null;
}

/**
 * Whether the first matching record shows other decimals than the asset's pinned ones. Those that a
 * notification reported held the deposit before: a person's release stays valid.
 */
export function showsOtherDecimals(
  deposit: Deposit,
  received: Received | undefined,
  { hashState, now }: { hashState: HashState; now: RuleContext },
): boolean {
  const decimals = received?.decimals ?? null;
  const pinned = now.pinnedDecimals(deposit.asset);
  if (deposit.verifiedAt !== null || decimals === null || pinned === undefined) return false;
  return decimals !== pinned && decimals !== reportedDecimals(deposit, hashState);
}
