import type { MovedAfter } from './hash-facts.ts';
import type { PriorDayItem } from './report.ts';
import type { HashKey } from '../ids.ts';

/**
 * The prior-day items of movements that earlier readings of custody lacked. Only the custody figures
 * move: the books counted their own entries on the closed days.
 */
export function countedLateItems(
  moves: readonly (Omit<MovedAfter, 'transactionId'> & HashKey)[],
  closedDayOf: (at: number) => string,
): PriorDayItem[] {
  return moves.map(({ vaultId, network, blockchainHash, asset, amount, at, datedBy }) => ({
    reason: 'custody_late',
    day: closedDayOf(at),
    vaultId,
    network,
    blockchainHash,
    asset,
    amount: amount.toString(),
    entryId: null,
    eventAt: new Date(at).toISOString(),
    detail: 'an earlier reading of custody lacked it; this close asked for its hash',
    datedBy,
  }));
}
