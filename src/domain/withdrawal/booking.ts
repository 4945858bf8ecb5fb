import type { RuleContext } from '../hash/hash-state.ts';
import {
  entryOf,
  reversalOf,
  type Entry,
  type EntryCause,
  type EntryHead,
} from '../money/entry.ts';
import type { HashKey } from '../ids.ts';
import type { BalanceChange } from '../fact/notification.ts';
import type { Withdrawal } from './withdrawal.ts';

/** A withdrawal and the entries of its change. */
export interface Booked {
  readonly withdrawal: Withdrawal;
  readonly entries: readonly Entry[];
}

function bookHead(
  withdrawal: Withdrawal,
  head: HashKey & { cause: EntryCause },
  now: RuleContext,
): EntryHead {
  const { vaultId, transactionId } = withdrawal;
  const { cause, network, blockchainHash } = head;
  return {
    entryId: now.mint.entry(),
    view: 'books',
    source: now.source,
    cause,
    vaultId,
    network,
    blockchainHash,
    transactionId,
    reverses: null,
  };
}

/**
 * Posts balance changes for a withdrawal at its hash, as its active entry. Posts nothing without
 * balance changes, network or hash.
 */
export function postFor(
  withdrawal: Withdrawal,
  posting: { cause: EntryCause; list: readonly BalanceChange[] },
  now: RuleContext,
): Booked {
  const { network, blockchainHash } = withdrawal;
  if (posting.list.length === 0 || network === null || blockchainHash === null) {
    return { withdrawal, entries: [] };
  }
  const head = bookHead(withdrawal, { cause: posting.cause, network, blockchainHash }, now);
  const entry = entryOf(head, posting.list);
  return {
    withdrawal: { ...withdrawal, entryId: entry.entryId, posted: posting.list },
    entries: [entry],
  };
}

/** Reverses the withdrawal's active entry; no entries without one. */
export function unpost(withdrawal: Withdrawal, now: RuleContext): Booked {
  const { network, blockchainHash, entryId, posted } = withdrawal;
  if (entryId === null || network === null || blockchainHash === null) {
    return { withdrawal, entries: [] };
  }
  const cause: EntryCause = withdrawal.status === 'failed' ? 'failed-fee' : 'mined';
  const head = bookHead(withdrawal, { cause, network, blockchainHash }, now);
  return {
    withdrawal: { ...withdrawal, entryId: null, posted: [] },
    entries: [reversalOf({ ...head, reverses: entryId }, posted)],
  };
}
