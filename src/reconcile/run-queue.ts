/**
 * Runs one after the other: a person's "run now" waits for the one under way and gets a run of its
 * own, while the schedule skips a turn rather than piling up.
 */
export class RunQueue<Result> {
  readonly #run: () => Promise<Result>;
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;

  constructor(run: () => Promise<Result>) {
    this.#run = run;
  }

  /** Runs after whatever is queued. */
  enqueue(): Promise<Result> {
    this.#pending += 1;
    const turn = this.#last.then(() => this.#run());
    this.#last = turn.then(
      () => this.#settle(),
      () => this.#settle(),
    );
    return turn;
  }

  /** Runs now, or not at all when a run is under way. */
  async runIfIdle(): Promise<Result | undefined> {
    return this.#pending > 0 ? undefined : this.enqueue();
  }

  /** Resolves when nothing is queued any more. */
  async idle(): Promise<void> {
    while (this.#pending > 0) await this.#last;
  }

  #settle(): void {
    this.#pending -= 1;
  }
}
