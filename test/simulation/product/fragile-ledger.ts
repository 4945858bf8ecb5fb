import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { CommitResult, Ledger } from '../../../src/store/port.ts';
import { never, type Life } from './process-state.ts';

/** What happens to a commit: nothing, a full disk, or the death of the process on either side of it. */
export type CommitFate = 'kept' | 'disk-full' | 'dies-before' | 'dies-after';

/** A ledger whose process may die in a commit. What waits for a dead one waits for ever. */
export class FragileLedger implements Ledger {
  readonly #ledger: Ledger;
  readonly #fate: (facts: readonly Fact[]) => CommitFate;
  readonly #life: Life;
  readonly #die: () => void;

  constructor(options: {
    ledger: Ledger;
    fate: (facts: readonly Fact[]) => CommitFate;
    life: Life;
    /** Called when the process dies in here. */
    die: () => void;
  }) {
    this.#ledger = options.ledger;
    this.#fate = options.fate;
    this.#life = options.life;
    this.#die = options.die;
  }

  async commit(facts: readonly Fact[]): Promise<CommitResult> {
    if (this.#life.isDead) return never();
    const fate = this.#fate(facts);
    switch (fate) {
      case 'disk-full':
        return {
          kind: 'unavailable',
          effect: 'none',
          cause: 'SQLITE_FULL: the simulation filled the disk',
        };
      case 'dies-before':
        this.#die();
        return never();
      case 'dies-after':
        await this.#ledger.commit(facts);
        this.#die();
        return never();
      case 'kept':
        return this.#ledger.commit(facts);
      default:
        return fate satisfies never;
    }
  }
}
