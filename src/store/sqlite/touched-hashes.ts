import type { Break } from '../../domain/break.ts';
import type { BreakId, HashKey } from '../../domain/ids.ts';
import type { Touched, Writes } from '../records.ts';

/** Hashes remembered in each of two generations: some minutes of the busiest traffic. */
const REMEMBERED_MAX = 50_000;

interface TouchingWrites extends Pick<
  Writes,
  'headSeq' | 'withdrawals' | 'ownHashes' | 'sightings' | 'hashIdOf'
> {
  readonly breaks: readonly Pick<Break, 'breakId' | 'subject'>[];
}

interface TouchedHash extends HashKey {
  readonly hashId: number;
  readonly seq: number;
}

interface TouchedBreak extends Pick<Break, 'breakId' | 'subject'> {
  readonly seq: number;
}

/** What was touched by the facts after one of them. */
class Generation {
  readonly afterSeq: number;
  readonly own = new Map<number, TouchedHash>();
  readonly breaks = new Map<BreakId, TouchedBreak>();

  constructor(afterSeq: number) {
    this.afterSeq = afterSeq;
  }

  get size(): number {
    return this.own.size + this.breaks.size;
  }
}

/**
 * Remembers for a while which hashes the newest facts have touched in what the tables do not date:
 * whether a hash is an own transaction's, and the breaks about it. In memory only: a day that was
 * worked out before the writer began is worked out again.
 */
export class TouchedHashes {
  #old: Generation;
  #young: Generation;
  #lastSeq: number;
  readonly #rememberedMax: number;

  /** `headSeq`: the last fact of which nothing is remembered. */
  constructor(headSeq: number, rememberedMax = REMEMBERED_MAX) {
    this.#rememberedMax = rememberedMax;
    this.#old = new Generation(headSeq);
    this.#young = new Generation(headSeq);
    this.#lastSeq = headSeq;
  }

  note(writes: TouchingWrites): void {
    const { headSeq, withdrawals, ownHashes, sightings, breaks, hashIdOf } = writes;
    if (this.#young.size >= this.#rememberedMax) {
      this.#old = this.#young;
      this.#young = new Generation(this.#lastSeq);
    }
    const { own, breaks: found } = this.#young;
    const touch = ({ network, blockchainHash }: HashKey, hashId: number): void => {
      own.set(hashId, { network, blockchainHash, hashId, seq: headSeq });
    };
    for (const { network, blockchainHash } of [...withdrawals, ...ownHashes]) {
      if (network === null || blockchainHash === null) continue;
      const hash = { network, blockchainHash };
      touch(hash, hashIdOf(hash));
    }
    for (const { after, hashId } of sightings)
      if (after.stream === 'outgoing') touch(after, hashId);
    for (const { breakId, subject } of breaks) {
      found.set(breakId, { breakId, subject, seq: headSeq });
    }
    this.#lastSeq = headSeq;
  }

  /** Undefined where not all of it is remembered any more. */
  after(seq: number): Touched | undefined {
    if (seq < this.#old.afterSeq) return undefined;
    const generations = [this.#old, this.#young];
    const isLater = (one: { readonly seq: number }): boolean => one.seq > seq;
    const own = generations.flatMap((one) => [...one.own.values()].filter(isLater));
    const breaks = generations.flatMap((one) => [...one.breaks.values()].filter(isLater));
    return { afterSeq: seq, own, breaks };
  }
}
