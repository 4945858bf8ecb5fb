import type { Fact } from '../../domain/fact/fact.ts';
import type { Owner } from '../../store/replicated/shared-journal.ts';
import { BODIES_BYTES_MAX, type OwnerAnswer } from './frame.ts';
import type { HandOverResult } from './owner-client.ts';

/** Most facts of one frame: the owner commits them together. */
const FACTS_MAX = 256;
/** One frame commits while the next is on its way. */
const UNDER_WAY_MAX = 2;

/** What became of one fact that was handed over. */
export type HandedFact =
  | { readonly kind: 'answered'; readonly answer: OwnerAnswer; readonly position: number }
  | Exclude<HandOverResult, { readonly kind: 'answered' }>;

interface QueuedFact {
  readonly fact: Fact;
  readonly resolve: (handed: HandedFact) => void;
}

/**
 * Hands facts to one owner in frames. Facts that arrive together, or while two frames are under way,
 * share the next frame.
 */
export class HandOver {
  readonly owner: Owner;
  readonly #hand: (facts: readonly Fact[]) => Promise<HandOverResult>;
  /** Facts that are not sent yet, oldest first. */
  readonly #queued = new Set<QueuedFact>();
  #underWay = 0;
  #isScheduled = false;

  constructor(
    owner: Owner,
    hand: (owner: Owner, facts: readonly Fact[]) => Promise<HandOverResult>,
  ) {
    this.owner = owner;
    this.#hand = (facts) => hand(owner, facts);
  }

  /** Returns what takes the fact back: false when it was sent already. */
  submit(fact: Fact, resolve: (handed: HandedFact) => void): () => boolean {
    const queued = { fact, resolve };
    this.#queued.add(queued);
    this.#schedule();
    return () => this.#queued.delete(queued);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= UNDER_WAY_MAX || this.#queued.size === 0) return;
    this.#isScheduled = true;
    // Wait one turn of the event loop: facts that can be read now travel together.
    setImmediate(() => {
      this.#isScheduled = false;
      const frame = this.#nextFrame();
      if (frame.length > 0) void this.#send(frame);
      this.#schedule();
    });
  }

  #nextFrame(): QueuedFact[] {
    const frame: QueuedFact[] = [];
    let bytes = 0;
    for (const queued of this.#queued) {
      bytes += 'raw' in queued.fact ? queued.fact.raw.length : 0;
      if (frame.length > 0 && (frame.length >= FACTS_MAX || bytes > BODIES_BYTES_MAX)) break;
      frame.push(queued);
      this.#queued.delete(queued);
    }
    return frame;
  }

  async #send(frame: readonly QueuedFact[]): Promise<void> {
    this.#underWay += 1;
    const handed = await this.#handed(frame);
    this.#underWay -= 1;
    for (const [index, { resolve }] of frame.entries()) {
      if (handed.kind !== 'answered') {
        resolve(handed);
        continue;
      }
      const answer = handed.answers[index];
      if (answer === undefined) throw new Error('an owner answered fewer facts than it was given');
      resolve({ kind: 'answered', answer, position: handed.position });
    }
    this.#schedule();
  }

  async #handed(frame: readonly QueuedFact[]): Promise<HandOverResult> {
    try {
      return await this.#hand(frame.map(({ fact }) => fact));
    } catch (error) {
      return { kind: 'unknown', cause: error instanceof Error ? error.message : String(error) };
    }
  }
}
