import type { BalanceChange } from '../fact/notification.ts';
import { negated, plus, ZERO, type Amount } from './amount.ts';
import { entryOf, reversalOf, type Entry, type EntryHead } from './entry.ts';
import { isAtOdds, type Movement } from './movement.ts';

/** An entry against suspense. `reverses`: the entry that it took back, or null. */
export interface SuspenseEntry {
  readonly entryId: number;
  readonly reverses: number | null;
  /** What it posted. */
  readonly changes: readonly BalanceChange[];
}

/**
 * The entries by which the books follow the chain after a person resolved the break of a movement
 * (spec, "Conservation rules"). Their contra is `suspense:<vault>`.
 *
 * | apart from suspense, the books have | posts |
 * |---|---|
 * | the same sum as the chain: the chain took the movement back, or its notification came | the reversals of earlier entries against suspense |
 * | nothing | these reversals, and what is on the chain |
 * | something else | nothing: suspense does not explain the difference |
 *
 * `earlier`: the movement's entries against suspense. `onChain`: its changes in the chain view.
 * `followsChain`: books that took back all their entries have nothing; false in decisions of earlier
 * versions, which posted nothing then. `entryId` gives the next entry its number.
 */
export function suspenseEntries(
  movement: Movement,
  evidence: {
    readonly earlier: readonly SuspenseEntry[];
    readonly onChain: readonly BalanceChange[];
    readonly followsChain: boolean;
  },
  entryId: () => number,
): readonly Entry[] {
  const { earlier, onChain, followsChain } = evidence;
  if (!isAtOdds(movement)) return [];
  if (!followsChain && movement.onBooks && earlier.length === 0) return [];
  const apart = apartFromSuspense(movement, earlier);
  if (apart !== movement.chain && apart !== ZERO) return [];
  const reversals = notReversed(earlier).map(({ entryId: reverses, changes }) =>
    reversalOf({ ...headOf(movement, entryId()), reverses }, changes),
  );
  if (apart === movement.chain) return reversals;
  return [...reversals, entryOf(headOf(movement, entryId()), onChain)];
}

/** The books' sum without the entries against suspense. */
function apartFromSuspense({ books }: Movement, earlier: readonly SuspenseEntry[]): Amount {
  const changes = earlier.flatMap((entry) => entry.changes);
  return changes.reduce((sum, { amount }) => plus(sum, negated(amount)), books);
}

function notReversed(earlier: readonly SuspenseEntry[]): readonly SuspenseEntry[] {
  const reversed = new Set(earlier.map(({ reverses }) => reverses));
  return earlier.filter(({ entryId, reverses }) => reverses === null && !reversed.has(entryId));
}

function headOf(movement: Movement, entryId: number): EntryHead {
  const { vaultId, network, blockchainHash } = movement;
  return {
    entryId,
    view: 'books',
    source: 'decision',
    cause: 'suspense',
    transactionId: null,
    reverses: null,
    vaultId,
    network,
    blockchainHash,
  };
}
