import type { Fact } from '../../domain/fact/fact.ts';
import type { Owner } from '../../store/replicated/shared-journal.ts';
import type { OwnerAnswer } from './frame.ts';
import type { Handed } from './owner-client.ts';

/** Most facts of one frame: the owner commits them together. */
const FACTS_MAX = 256;
/** Most bytes of bodies in a frame; a longer body travels alone. */
const BYTES_MAX = 1_048_576;
/** One frame commits while the next is on its way. */
const UNDER_WAY_MAX = 2;

/** What became of one fact that was handed over. */
export type HandedFact =
  | { readonly kind: 'answered'; readonly answer: OwnerAnswer; readonly position: number }
  | Exclude<Handed, { readonly kind: 'answered' }>;

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
  readonly #hand: (facts: readonly Fact[]) => Promise<Handed>;
  #waiting: QueuedFact[] = [];
  #underWay = 0;
  #isScheduled = false;

  constructor(owner: Owner, hand: (owner: Owner, facts: readonly Fact[]) => Promise<Handed>) {
    this.owner = owner;
    this.#hand = (facts) => hand(owner, facts);
  }

  submit(fact: Fact): Promise<HandedFact> {
    return new Promise((resolve) => {
      this.#waiting.push({ fact, resolve });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underWay >= UNDER_WAY_MAX || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    // Wait one turn of the event loop: facts that can be read now travel together.
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#send(this.#nextFrame());
      this.#schedule();
    });
  }

  #nextFrame(): QueuedFact[] {
    let bytes = 0;
    const fitting = this.#waiting.findIndex(({ fact }, index) => {
      bytes += 'raw' in fact ? fact.raw.length : 0;
      return index > 0 && (index >= FACTS_MAX || bytes > BYTES_MAX);
    });
    return this.#waiting.splice(0, fitting === -1 ? this.#waiting.length : fitting);
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

  async #handed(frame: readonly QueuedFact[]): Promise<Handed> {
    try {
      return await this.#hand(frame.map(({ fact }) => fact));
    } catch (error) {
      return { kind: 'unknown', cause: error instanceof Error ? error.message : String(error) };
    }
  }
}
