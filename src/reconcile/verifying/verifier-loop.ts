import type { Clock } from '../../custody/clock.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import type { Verifier } from './verifier.ts';

/** A pause after a round that tripped a bug, so that it does not trip it without end. */
const BUG_PAUSE_MS = 5_000;

/**
 * Lets the verifier work: one round after the other while something is due, at the times that the
 * verifier says.
 *
 * Modes: idle → `start` → waiting ⇄ in a round → `stop` → ended, when the round under way is over.
 */
export class VerifierLoop {
  readonly #verifier: Verifier;
  readonly #clock: Clock;
  readonly #onBug: (error: unknown) => void;
  #ended: Promise<void> = Promise.resolve();
  #stopped = false;
  /** When the pause under way ends, and what ends it before. */
  #pause: { readonly untilMs: number; readonly end: AbortController } | null = null;

  constructor(options: { verifier: Verifier; clock: Clock; onBug: (error: unknown) => void }) {
    this.#verifier = options.verifier;
    this.#clock = options.clock;
    this.#onBug = options.onBug;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Takes note of a commit. */
  take(news: CommitNews): void {
    this.#verifier.take(news);
    const nextMs = this.#verifier.nextRoundAtMs() ?? Infinity;
    if (this.#pause !== null && nextMs < this.#pause.untilMs) this.#pause.end.abort();
  }

  /** No more rounds; resolves when the one under way is over. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#pause?.end.abort();
    return this.#ended;
  }

  async #run(): Promise<void> {
    await this.#guarded(() => this.#verifier.restore());
    while (!this.#stopped) {
      const nextMs = this.#verifier.nextRoundAtMs() ?? Infinity;
      if (nextMs > this.#clock.now()) await this.#pauseUntil(nextMs);
      else await this.#guarded(() => this.#verifier.round());
    }
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#stopped) return;
      this.#onBug(error);
      await this.#pauseUntil(this.#clock.now() + BUG_PAUSE_MS);
    }
  }

  async #pauseUntil(untilMs: number): Promise<void> {
    const end = new AbortController();
    this.#pause = { untilMs, end };
    // Timers take no more than some 24 days; a pause without end is ended by the next commit.
    const ms = Math.min(untilMs - this.#clock.now(), 2_147_483_647);
    await this.#clock.sleep(ms, end.signal);
    this.#pause = null;
  }
}
