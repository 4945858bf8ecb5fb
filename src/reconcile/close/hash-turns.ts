import type { HashInDoubt } from '../../store/answers.ts';
import { interleaved } from '../pacing/lookup-backoff.ts';

/** Most hashes remembered; an evicted hash counts as never asked for. */
const HASHES_MAX = 10_000;

/**
 * Turns of hashes between closes, because a close asks for a few only. In memory: after a restart
 * each hash counts as never asked for.
 */
export class HashTurns {
  /** The hashes that were asked for, the longest unasked first. */
  readonly #asked = new Set<string>();

  /**
   * Alternately the hashes never asked for, in their order, and the others, the longest unasked first.
   * Forged hashes that keep arriving must not starve the others.
   */
  inTurn(hashes: readonly HashInDoubt[]): HashInDoubt[] {
    const turns = new Map([...this.#asked].map((hash, turn) => [hash, turn]));
    const turnOf = ({ blockchainHash }: HashInDoubt): number => turns.get(blockchainHash) ?? -1;
    const inOrder = hashes.toSorted((left, right) => turnOf(left) - turnOf(right));
    const others = inOrder.filter((hash) => turnOf(hash) >= 0);
    return interleaved(inOrder.slice(0, inOrder.length - others.length), others);
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
