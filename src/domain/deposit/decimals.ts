import type { Deposit } from './deposit.ts';
import type { RuleContext, HashState } from '../hash/hash-state.ts';
import { receivedIn } from './received.ts';

/**
 * The deposit after a person corrected its asset's decimals. The hold ends when the deposit arrived
 * with the right ones. A deposit that is not confirmed is checked again at its first confirmation.
 */
export function asPinned(deposit: Deposit, hashState: HashState, now: RuleContext): Deposit {
  const { asset, vaultId, accountId, addressId, memo } = deposit;
  if (!deposit.decimalsChanged) return deposit;
  const sighting = hashState.sightings.find(
    (one) =>
      one.stream === 'incoming' &&
      one.vaultId === vaultId &&
      one.accountId === accountId &&
      one.addressId === addressId &&
      one.memo === memo,
  );
  const received = receivedIn(sighting?.posted ?? []).find((one) => one.asset === asset);
  const isRight = received?.decimals === now.pinnedDecimals(asset);
  if (deposit.evidence === 'confirmed' && !isRight) return deposit;
  return { ...deposit, decimalsChanged: false, updatedAt: now.at };
}
