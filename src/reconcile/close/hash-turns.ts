import type { HashInDoubt } from '../../store/answers.ts';

/** Most hashes remembered; an evicted hash counts as never asked for. */
const HASHES_MAX = 10_000;

/**
 * Turns of hashes between closes, because a close asks for a few only. In memory: after a restart
 * each hash counts as never asked for.
 */
export class HashTurns {
  /** The hashes that were asked for, the longest unasked first. */
  readonly #asked = new Set<string>();

  /** The hashes never asked for in their order, then the longest unasked. */
  inTurn(hashes: readonly HashInDoubt[]): HashInDoubt[] {
    const turns = new Map([...this.#asked].map((hash, turn) => [hash, turn]));
    const turnOf = ({ blockchainHash }: HashInDoubt): number => turns.get(blockchainHash) ?? -1;
    return hashes.toSorted((left, right) => turnOf(left) - turnOf(right));
  }

  /** Records that a hash was asked for. */
  take({ blockchainHash }: HashInDoubt): void {
    this.#asked.delete(blockchainHash);
    this.#asked.add(blockchainHash);
    if (this.#asked.size <= HASHES_MAX) return;
    for (const oldest of this.#asked) {
      this.#asked.delete(oldest);
      return;
    }
  }
}
