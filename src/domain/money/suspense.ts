import type { BalanceChange } from '../fact/notification.ts';
import { negated, plus, ZERO } from './amount.ts';
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
 * | as much as the chain: it took the movement back, or the notification came | the reversals of earlier entries against suspense |
 * | nothing | these reversals, and what is on the chain |
 * | something else | nothing: suspense does not explain the difference |
 *
 * `earlier`: the movement's entries against suspense. `onChain`: its changes in the chain view.
 * `entryId` gives the next entry its number.
 */
export function suspenseEntries(
  movement: Movement,
  {
    earlier,
    onChain,
  }: {
    readonly earlier: readonly SuspenseEntry[];
    readonly onChain: readonly BalanceChange[];
  },
  entryId: () => number,
): readonly Entry[] {
  const isOthers = movement.onBooks && earlier.length === 0;
  if (isOthers || !isAtOdds(movement)) return [];
  const others = earlier
    .flatMap(({ changes }) => changes)
    .reduce((sum, { amount }) => plus(sum, negated(amount)), movement.books);
  if (others !== movement.chain && others !== ZERO) return [];
  const takenBack = new Set(earlier.map(({ reverses }) => reverses));
  const entries: Entry[] = earlier
    .filter((entry) => entry.reverses === null && !takenBack.has(entry.entryId))
    .map((entry) => {
      const head = { ...headOf(movement, entryId()), reverses: entry.entryId };
      return reversalOf(head, entry.changes);
    });
  if (others !== movement.chain) entries.push(entryOf(headOf(movement, entryId()), onChain));
  return entries;
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
