import type { Clock } from '../../custody/clock.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import type { Verifier } from './verifier.ts';

/** Pause after a round that failed by a bug, so that the loop does not spin. */
const BUG_PAUSE_MS = 5_000;

/**
 * Runs the verifier's rounds one after another while something is due, at the times that the
 * verifier requests.
 *
 * Modes: idle → `start` → between rounds ⇄ in a round → `stop` → ended, when the current round is over.
 */
export class VerifierLoop {
  readonly #verifier: Verifier;
  readonly #clock: Clock;
  readonly #onBug: (error: unknown) => void;
  #ended: Promise<void> = Promise.resolve();
  #stopped = false;
  /** The end of the current pause, and the controller that ends it early. */
  #pause: { readonly untilMs: number; readonly end: AbortController } | null = null;

  constructor(options: { verifier: Verifier; clock: Clock; onBug: (error: unknown) => void }) {
    this.#verifier = options.verifier;
    this.#clock = options.clock;
    this.#onBug = options.onBug;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Receives the changes of a commit. */
  take(news: CommitNews): void {
    this.#verifier.take(news);
    const nextMs = this.#verifier.nextRoundAtMs() ?? Infinity;
    if (this.#pause !== null && nextMs < this.#pause.untilMs) this.#pause.end.abort();
  }

  /** Starts no more rounds; resolves when the current round is over. */
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
    // Timers are limited to some 24 days. The next commit ends an endless pause.
    const ms = Math.min(untilMs - this.#clock.now(), 2_147_483_647);
    await this.#clock.sleep(ms, end.signal);
    this.#pause = null;
  }
}
