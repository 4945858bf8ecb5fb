import type { Deposit } from '../deposit.ts';
import type { Circumstances, Dossier } from '../dossier.ts';
import { receivedIn } from '../received-deposit.ts';

/**
 * A deposit after a person has corrected the decimals of its asset: held for them no more, where it
 * came with the right ones. One that is not confirmed is judged again by its first confirmation.
 */
export function asPinned(deposit: Deposit, dossier: Dossier, now: Circumstances): Deposit {
  const { asset, vaultId, accountId, addressId, memo } = deposit;
  if (!deposit.decimalsChanged) return deposit;
  const sighting = dossier.sightings.find(
    (one) =>
      one.stream === 'incoming' &&
      one.vaultId === vaultId &&
      one.accountId === accountId &&
      one.addressId === addressId &&
      one.memo === memo,
  );
  const told = receivedIn(sighting?.posted ?? []).find((one) => one.asset === asset);
  const isRight = told?.decimals === now.pinnedDecimals(asset);
  if (deposit.evidence === 'confirmed' && !isRight) return deposit;
  return { ...deposit, decimalsChanged: false, updatedAt: now.at };
}
