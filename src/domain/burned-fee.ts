import { postFor, unpost, type Booked } from './booking.ts';
import { sameContent } from './content.ts';
import type { Changes, Circumstances, HashDossier } from './dossier.ts';
import type { VaultId } from './ids.ts';
import type { BalanceChange } from './notification.ts';
import { sameHash } from './own-hash.ts';
import { sameKey } from './sighting.ts';
import type { Withdrawal } from './withdrawal.ts';

/** What stands at a hash, in its chain view and in the books. */
type Standing = Pick<HashDossier, 'sightings' | 'withdrawals'>;

function isFee(change: BalanceChange): boolean {
  return change.kind === 'fee';
}

function hasFailed(withdrawal: Withdrawal): boolean {
  return withdrawal.status === 'failed';
}

/**
 * What failed transactions of a vault burned at a hash: the fee entries of its chain view. Of an
 * asset whose fee something that did move tells the books itself, they burned nothing: a hash pays
 * its fee once. Where that says another fee than the chain view, the difference is left to show.
 */
function burnedAt({ sightings, withdrawals }: Standing): readonly BalanceChange[] {
  const moved = [
    ...sightings.filter(({ stream }) => stream === 'incoming'),
    ...withdrawals.filter((one) => !hasFailed(one)),
  ].flatMap(({ posted }) => posted.filter(isFee));
  const told = new Set(moved.map(({ asset }) => asset));
  return sightings
    .filter(({ stream }) => stream === 'blockchain')
    .flatMap(({ posted }) => posted.filter((one) => isFee(one) && !told.has(one.asset)));
}

/**
 * Which of the failed transactions has the fee: the one that it is booked for, as long as it can
 * be, else the first by id. None that the custody API does not know.
 */
function carrierOf(failed: readonly Withdrawal[]): Withdrawal | undefined {
  const able = failed
    .filter(({ custody }) => custody !== 'unknown')
    .toSorted((left, right) => (left.transactionId < right.transactionId ? -1 : 1));
  return able.find(({ entryId }) => entryId !== null) ?? able[0];
}

/** Failed transactions of one vault at a hash of which something else is booked than has to be. */
function settled(standing: Standing, now: Circumstances): Booked[] {
  const failed = standing.withdrawals.filter(hasFailed);
  const carrier = carrierOf(failed);
  const burned = burnedAt(standing);
  return failed.flatMap((one) => {
    const list = one === carrier ? burned : [];
    if (sameContent(one.posted, list)) return [];
    const cleared = unpost(one, now);
    const posted = postFor(cleared.withdrawal, { cause: 'failed-fee', list }, now);
    return [{ ...posted, entries: [...cleared.entries, ...posted.entries] }];
  });
}

/** Whether a list has a withdrawal's record, as it was or as it will be. */
function includes(list: readonly Withdrawal[], { transactionId }: Withdrawal): boolean {
  return list.some((one) => one.transactionId === transactionId);
}

/** A hash as it is once what was decided is taken over. */
function standingAfter(hash: HashDossier, { sightings, withdrawals }: Changes): Standing {
  const kept = hash.sightings.filter((one) => !sightings.some((after) => sameKey(after, one)));
  const stayed = hash.withdrawals.filter((one) => !includes(withdrawals, one));
  return {
    sightings: [...kept, ...sightings.filter((one) => sameHash(hash, one))],
    withdrawals: [...stayed, ...withdrawals.filter((one) => sameHash(hash, one))],
  };
}

/** The vaults whose standing at a hash may have changed. */
function touchedVaults(hash: HashDossier, { sightings, withdrawals }: Changes): Set<VaultId> {
  const before = hash.withdrawals.filter((one) => includes(withdrawals, one));
  return new Set([...sightings, ...withdrawals, ...before].map(({ vaultId }) => vaultId));
}

/**
 * What was decided, with what follows from it for burned fees. A failed on-chain transaction sends
 * no balance changes and still burned its fee: the books take it from the chain view, once for a
 * hash in a vault, whichever and however many of the vault's transactions failed under it.
 * `hashes`: every hash that the changed records have now or had before.
 */
export function followBurnedFees(
  decided: Changes,
  hashes: readonly HashDossier[],
  now: Circumstances,
): Changes {
  const booked = hashes.flatMap((hash) => {
    const hasNone = !hash.withdrawals.some(hasFailed) && !decided.withdrawals.some(hasFailed);
    // Nearly every notification ends here.
    if (hasNone) return [];
    const after = standingAfter(hash, decided);
    return [...touchedVaults(hash, decided)].flatMap((vaultId) => {
      const sightings = after.sightings.filter((one) => one.vaultId === vaultId);
      const withdrawals = after.withdrawals.filter((one) => one.vaultId === vaultId);
      return settled({ sightings, withdrawals }, now);
    });
  });
  if (booked.length === 0) return decided;
  const followed = booked.map(({ withdrawal }) => withdrawal);
  return {
    ...decided,
    withdrawals: [...decided.withdrawals.filter((one) => !includes(followed, one)), ...followed],
    entries: [...decided.entries, ...booked.flatMap(({ entries }) => entries)],
  };
}
