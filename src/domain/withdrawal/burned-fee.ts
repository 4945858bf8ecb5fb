import { postFor, unpost, type Booked } from './booking.ts';
import { sameContent } from '../hash/same-changes.ts';
import type { ChangeSet, RuleContext, KeyedHashState } from '../hash/hash-state.ts';
import type { VaultId } from '../ids.ts';
import { isBeside, type BalanceChange } from '../fact/notification.ts';
import { sameHash } from './own-hash.ts';
import { sameKey } from '../hash/sighting.ts';
import type { Withdrawal } from './withdrawal.ts';

/** The records at a hash that decide its burned fees. */
type HashRecords = Pick<KeyedHashState, 'sightings' | 'withdrawals'>;

function hasFailed(withdrawal: Withdrawal): boolean {
  return withdrawal.status === 'failed';
}

/**
 * What failed transactions of a vault burned at a hash: the fee entries of its chain view, and the
 * rebates and mints that came with them. When another movement books such entries of the asset, they
 * burned none, because a hash pays its fee once. A fee that differs from the chain view stays
 * visible as a difference.
 */
function burnedAt({ sightings, withdrawals }: HashRecords): readonly BalanceChange[] {
  const moved = [
    ...sightings.filter(({ stream }) => stream === 'incoming'),
    ...withdrawals.filter((one) => !hasFailed(one)),
  ].flatMap(({ posted }) => posted.filter(isBeside));
  const paid = new Set(moved.map(({ asset }) => asset));
  return sightings
    .filter(({ stream }) => stream === 'blockchain')
    .flatMap(({ posted }) => posted.filter((one) => isBeside(one) && !paid.has(one.asset)));
}

/**
 * The failed transaction that carries the fee: the one already booked with it, else the first by
 * id. Transactions unknown to the custody API never carry it.
 */
function carrierOf(failed: readonly Withdrawal[]): Withdrawal | undefined {
  const able = failed
    .filter(({ custody }) => custody !== 'unknown')
    .toSorted((left, right) => (left.transactionId < right.transactionId ? -1 : 1));
  return able.find(({ entryId }) => entryId !== null) ?? able[0];
}

/** Failed transactions of one vault at a hash whose bookings must change, with the new entries. */
function correctedBookings(records: HashRecords, now: RuleContext): Booked[] {
  const failed = records.withdrawals.filter(hasFailed);
  const carrier = carrierOf(failed);
  const burned = burnedAt(records);
  return failed.flatMap((one) => {
    const list = one === carrier ? burned : [];
    if (sameContent(one.posted, list)) return [];
    const cleared = unpost(one, now);
    const posted = postFor(cleared.withdrawal, { cause: 'failed-fee', list }, now);
    return [{ ...posted, entries: [...cleared.entries, ...posted.entries] }];
  });
}

/** Whether a list holds a version of this withdrawal. */
function includes(list: readonly Withdrawal[], { transactionId }: Withdrawal): boolean {
  return list.some((one) => one.transactionId === transactionId);
}

/** The records at a hash after the change set. */
function recordsAfter(hash: KeyedHashState, { sightings, withdrawals }: ChangeSet): HashRecords {
  const kept = hash.sightings.filter((one) => !sightings.some((after) => sameKey(after, one)));
  const stayed = hash.withdrawals.filter((one) => !includes(withdrawals, one));
  return {
    sightings: [...kept, ...sightings.filter((one) => sameHash(hash, one))],
    withdrawals: [...stayed, ...withdrawals.filter((one) => sameHash(hash, one))],
  };
}

/** The vaults that the change set touches at a hash. */
function touchedVaults(hash: KeyedHashState, { sightings, withdrawals }: ChangeSet): Set<VaultId> {
  const before = hash.withdrawals.filter((one) => includes(withdrawals, one));
  return new Set([...sightings, ...withdrawals, ...before].map(({ vaultId }) => vaultId));
}

/**
 * The change set, extended by the burned fees that follow from it. A failed on-chain transaction
 * sends no balance changes and still burned its fee. The books take the fee from the chain view, with
 * its rebate and mint, once per hash and vault, for any number of failed transactions. `hashes`: the
 * states of every hash that the changed records have now or had before. Serves spec, "Conservation
 * rules".
 */
export function followBurnedFees(
  decided: ChangeSet,
  hashes: readonly KeyedHashState[],
  now: RuleContext,
): ChangeSet {
  const booked = hashes.flatMap((hash) => {
    const hasNone = !hash.withdrawals.some(hasFailed) && !decided.withdrawals.some(hasFailed);
    // Most notifications return here.
    if (hasNone) return [];
    const after = recordsAfter(hash, decided);
    return [...touchedVaults(hash, decided)].flatMap((vaultId) => {
      const sightings = after.sightings.filter((one) => one.vaultId === vaultId);
      const withdrawals = after.withdrawals.filter((one) => one.vaultId === vaultId);
      return correctedBookings({ sightings, withdrawals }, now);
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
