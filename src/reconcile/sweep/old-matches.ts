import { hasOldMatch, MATCH_MS_MAX, type Deposit } from '../../domain/deposit/deposit.ts';
import type { CustodyList } from '../list/custody-list.ts';

/** Most deposits that look-ups answer for. After the end of a long halt, more may wait. */
const LOOKED_UP_MAX = 20;

/**
 * Deposits that wait for their credit, and whose match is too old for it. One request of the list
 * answers for a thousand of them.
 */
export class OldMatches {
  /** When the list was last read for them. It may omit some of them: look-ups find these. */
  #readAt = Number.NEGATIVE_INFINITY;

  /**
   * Where a reading of the list must begin to show them, by the service's clock in Unix milliseconds;
   * null: at the oldest row. Undefined when look-ups answer for them. `usual`: where a reading of the
   * whole list begins. `at`: Unix milliseconds.
   */
  listedSince(
    deposits: readonly Deposit[],
    { usual, at }: { readonly usual: number | null; readonly at: number },
  ): number | null | undefined {
    const old = deposits.filter((one) => one.state === 'verifying' && hasOldMatch(one, at));
    if (old.length <= LOOKED_UP_MAX || at - this.#readAt < MATCH_MS_MAX) return undefined;
    if (usual === null) return null;
    return old.reduce((first, one) => Math.min(first, one.custodyCreatedAt ?? first), usual);
  }

  /**
   * Whether a reading from there began; if not, the next run tries again. One that ends later is not
   * tried again for an hour: it would keep the other comparisons waiting. `at`: Unix milliseconds.
   */
  began({ incomplete, requests }: CustodyList, at: number): boolean {
    const hasBegun = incomplete === null || requests > 1;
    if (hasBegun) this.#readAt = at;
    return hasBegun;
  }
}
