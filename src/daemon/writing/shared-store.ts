import type { Fact } from '../../domain/fact/fact.ts';
import type { CommitResult } from '../../store/port.ts';
import type { Replica } from '../../store/replicated/replica.ts';
import { ReplicatedLedger } from '../../store/replicated/replicated-ledger.ts';
import { clockBar, type JournalState } from '../../store/replicated/journal-state.ts';
import { JournalUnavailable, type SharedJournal } from '../../store/replicated/shared-journal.ts';
import type { FromWriter } from './messages.ts';
import type { WrittenStore } from './writer-thread.ts';

/** Pause between two steps: a follower shows what the owner keeps after about this time. */
const STEP_MS = 200;

/** Pause between two readings of the journal's state. */
const STATE_MS = 5_000;

/** A journal whose servers can be read. */
export interface WatchedJournal extends SharedJournal {
  /** Throws `JournalUnavailable`. */
  readState(): Promise<JournalState>;
}

/** How long the end waits for the journal's answer. */
const END_MS_MAX = 500;

function notCompared({ message }: JournalUnavailable): string {
  return `this receiver's clock is not compared with the database's yet: ${message}`;
}

interface SharedStoreOptions {
  readonly replica: Replica & Pick<WrittenStore, 'tidy' | 'close'>;
  readonly journal: WatchedJournal;
  /** How long this receiver's lease is valid, milliseconds. */
  readonly leaseMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly say: (message: FromWriter) => void;
}

/**
 * A replica of the shared journal, for the writer's thread. Between commits it follows the journal, or
 * extends its lease.
 *
 * Modes: open → following (`begin`) → resigned (`resign`; it still follows) → closed.
 */
export class SharedStore implements WrittenStore {
  readonly #options: SharedStoreOptions;
  readonly #ledger: ReplicatedLedger;
  #timer: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** When the journal was last read; null before the first time. */
  #stateReadAt: number | null = null;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
    const { replica, journal, leaseMs, clock, say } = options;
    this.#ledger = new ReplicatedLedger({
      replica,
      journal,
      leaseMs,
      clock,
      onRole: (role) => {
        // What the end makes of the role is no news.
        if (!this.#isClosed) say({ kind: 'role', role });
      },
      onApplied: (position) => say({ kind: 'applied', position }),
    });
  }

  commit(facts: readonly Fact[]): Promise<CommitResult> {
    return this.#ledger.commit(facts);
  }

  /** Takes the first step now. A bug in a step ends the thread, and so the daemon. */
  begin(): void {
    this.#options.say({ kind: 'applied', position: this.#options.replica.head.lastSeq });
    this.#expiry = setInterval(() => this.#ledger.expire(), STEP_MS);
    void this.#steps();
  }

  resign(): Promise<void> {
    return this.#ledger.resign();
  }

  /** Does nothing while a commit is under way: the log restarts after a later copy. */
  tidy(): void {
    this.#options.replica.tidy();
  }

  /** Closes the connection under a commit that the journal does not answer. Its outcome is unknown. */
  async close(): Promise<void> {
    const { journal, replica } = this.#options;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#expiry);
    const cut = setTimeout(() => void journal.close(), END_MS_MAX);
    await this.#ledger.resign();
    clearTimeout(cut);
    await journal.close();
    await replica.close();
  }

  async #readState(): Promise<void> {
    const { journal, clock, say } = this.#options;
    if (this.#stateReadAt !== null && clock() - this.#stateReadAt < STATE_MS) return;
    if (this.#stateReadAt !== null) this.#stateReadAt = clock();
    try {
      const state = await this.#ledger.between(() => journal.readState());
      this.#stateReadAt ??= clock();
      this.#ledger.bar(clockBar(state.clockAheadMs));
      say({ kind: 'journal', state });
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      // The next step may reach the journal, and its clock is still unknown.
      if (this.#stateReadAt === null) this.#ledger.bar(notCompared(error));
      // The role says why.
      say({ kind: 'journal', state: null });
    }
  }

  async #steps(): Promise<void> {
    // Look first: a receiver whose clock is wrong must not become the owner.
    await this.#readState();
    // A step after the end would open a connection that nobody closes.
    const isBehind = !this.#isClosed && (await this.#ledger.step());
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#steps(), isBehind ? 0 : STEP_MS);
  }
}
