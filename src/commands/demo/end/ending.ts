import type { SignalSource } from '../../../ops/lifecycle.ts';

/**
 * Ends a demo by a signal, or when its time is over. The demo's own processes go with it (`Child`).
 *
 * | mode                | a signal                                                                |
 * | ------------------- | ----------------------------------------------------------------------- |
 * | preparing           | ends the process at once with 0: there is nothing to compare            |
 * | under way (`begin`) | ends the traffic; the books are compared                                |
 * | over                | ends the process at once with 1: the comparison is not awaited          |
 *
 * The end of the terminal (SIGHUP) ends the process at once with 1.
 */
export class Ending {
  readonly #over = new AbortController();
  #isUnderWay = false;
  #timer: NodeJS.Timeout | undefined;

  /** `note` explains an exit code of 1. */
  constructor(signals: SignalSource, note: (text: string) => void) {
    const onSignal = (): void => {
      if (!this.#isUnderWay) process.exit(0);
      if (this.over.aborted) {
        note('ended at once: the books were not compared');
        process.exit(1);
      }
      this.end();
    };
    signals.on('SIGINT', onSignal);
    signals.on('SIGTERM', onSignal);
    process.on('SIGHUP', () => process.exit(1));
  }

  /** Aborts when traffic must stop. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Starts the traffic phase, which ends after `forMs` if given. */
  begin(forMs: number | undefined): void {
    this.#isUnderWay = true;
    if (forMs !== undefined) this.#timer = setTimeout(() => this.end(), forMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#over.abort();
  }
}
