/** One thing to be stopped; `boundMs` is how long the others wait for it. */
export interface ShutdownStep {
  readonly name: string;
  readonly boundMs: number;
  readonly run: () => Promise<void> | void;
}

export type StepResult =
  | { readonly name: string; readonly kind: 'done' }
  | { readonly name: string; readonly kind: 'failed'; readonly error: unknown }
  | { readonly name: string; readonly kind: 'timed-out'; readonly boundMs: number };

export interface LifecycleOptions {
  /** Ends the process. */
  readonly exit: (code: number) => void;
  /** Told after every step. */
  readonly observe: (result: StepResult) => void;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Something that signals arrive at, such as `process`. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

/**
 * Stops what was started, the last first: what came later rests on what came before, so that
 * intake is closed before its queue is drained, and the queue before its store is closed. A step
 * that fails or takes too long does not keep the others from their turn.
 *
 * Modes: running → stopping (first `shutdown`) → stopped. A second signal does not wait.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #steps: ShutdownStep[] = [];
  #stopping: Promise<readonly StepResult[]> | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** Adds a step, to be run before all that were added until now. */
  onShutdown(step: ShutdownStep): void {
    if (this.#stopping !== undefined) throw new Error(`${step.name} was started while stopping`);
    this.#steps.push(step);
  }

  /** Is the program on its way out? */
  get stopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Runs the steps once, however often it is called; resolves when the last one ended. */
  shutdown(): Promise<readonly StepResult[]> {
    this.#stopping ??= this.#runAll();
    return this.#stopping;
  }

  /** Ends because of a failure that leaves nothing to go on with: in order, and with 1. */
  async abandon(): Promise<void> {
    await this.shutdown();
    this.#options.exit(1);
  }

  /**
   * The first SIGTERM or SIGINT shuts down and exits with 0, or with 1 where a step did not end
   * well; the second one exits with 1 at once.
   */
  listen(source: SignalSource): void {
    let signalled = false;
    const onSignal = (): void => {
      if (signalled) {
        this.#options.exit(1);
        return;
      }
      signalled = true;
      void this.shutdown().then((results) => {
        this.#options.exit(results.every(({ kind }) => kind === 'done') ? 0 : 1);
      });
    };
    source.on('SIGTERM', onSignal);
    source.on('SIGINT', onSignal);
  }

  async #runAll(): Promise<readonly StepResult[]> {
    const results: StepResult[] = [];
    for (const step of this.#steps.toReversed()) {
      const result = await this.#run(step);
      results.push(result);
      this.#options.observe(result);
    }
    return results;
  }

  async #run(step: ShutdownStep): Promise<StepResult> {
    const { name, boundMs } = step;
    const ended = new AbortController();
    const bound = this.#options
      .sleep(boundMs, ended.signal)
      .then((): StepResult => ({ name, kind: 'timed-out', boundMs }));
    const work = Promise.resolve()
      .then(() => step.run())
      .then((): StepResult => ({ name, kind: 'done' }))
      .catch((error: unknown): StepResult => ({ name, kind: 'failed', error }));
    const result = await Promise.race([work, bound]);
    ended.abort();
    return result;
  }
}
