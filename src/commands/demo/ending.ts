/**
 * What ends a demo: a signal, or its time. The first signal ends it in order once traffic is under
 * way; one before that, and a second one, end the process at once, as the terminal's going away does.
 * The demo's own processes go with it (`Child`).
 *
 * Modes: preparing → under way (`begin`) → over.
 */
export class Ending {
  readonly #over = new AbortController();
  #isUnderWay = false;
  #timer: NodeJS.Timeout | undefined;

  /** `note` tells people why the exit code is 1. */
  constructor(note: (text: string) => void) {
    const onSignal = (): void => {
      if (!this.#isUnderWay || this.over.aborted) {
        note('ended at once: the books were not compared');
        process.exit(1);
      }
      this.end();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    process.on('SIGHUP', () => process.exit(1));
  }

  /** Aborts when traffic is to stop. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Traffic begins; it ends by itself after `forMs`, where given. */
  begin(forMs: number | undefined): void {
    this.#isUnderWay = true;
    if (forMs !== undefined) this.#timer = setTimeout(() => this.end(), forMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#over.abort();
  }
}
