/** One thing to be stopped. */
export interface ShutdownStep {
  readonly name: string;
  /** Its own share of the time: the others wait for it so long, and for what those before it left over. */
  readonly shareMs: number;
  readonly run: () => Promise<void> | void;
}

export type StepResult =
  | { readonly name: string; readonly kind: 'done' }
  | { readonly name: string; readonly kind: 'failed'; readonly error: unknown }
  | { readonly name: string; readonly kind: 'timed-out'; readonly boundMs: number };

/** Why the program ends; `failure` is one that leaves nothing to go on with. */
export type StopCause = 'SIGTERM' | 'SIGINT' | 'failure';

/** What is told of an end as a whole: once at its beginning, and once right before the process ends. */
export type ShutdownNews =
  | {
      readonly kind: 'stopping';
      readonly cause: StopCause;
      /** The names of the steps, in the order in which they are waited for. */
      readonly waitsFor: readonly string[];
      /** The sum of their shares: it takes no longer. */
      readonly msMax: number;
    }
  | { readonly kind: 'stopped'; readonly exitCode: number }
  /** By a second signal, whatever has not ended. */
  | { readonly kind: 'cut_short'; readonly exitCode: number };

export interface LifecycleOptions {
  /** Ends the process. */
  readonly exit: (code: number) => void;
  readonly tell: (news: ShutdownNews) => void;
  /** Told after every step. */
  readonly observe: (result: StepResult) => void;
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
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
 * that fails or takes too long does not keep the others from their turn, nor takes time that is kept
 * for them: all together take no longer than the sum of the shares.
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
  shutdown(cause: StopCause): Promise<readonly StepResult[]> {
    this.#stopping ??= this.#runAll(cause);
    return this.#stopping;
  }

  /** Ends because of a failure that leaves nothing to go on with: in order, and with 1. */
  async abandon(): Promise<void> {
    await this.shutdown('failure');
    this.#end('stopped', 1);
  }

  /**
   * The first SIGTERM or SIGINT shuts down and exits with 0, or with 1 where a step did not end
   * well; the second one exits with 1 at once.
   */
  listen(source: SignalSource): void {
    let signalled = false;
    const onSignal = (signal: 'SIGTERM' | 'SIGINT'): void => {
      if (signalled) {
        this.#end('cut_short', 1);
        return;
      }
      signalled = true;
      void this.shutdown(signal).then((results) => {
        this.#end('stopped', results.every(({ kind }) => kind === 'done') ? 0 : 1);
      });
    };
    source.on('SIGTERM', () => onSignal('SIGTERM'));
    source.on('SIGINT', () => onSignal('SIGINT'));
  }

  #end(kind: 'stopped' | 'cut_short', exitCode: number): void {
    this.#options.tell({ kind, exitCode });
    this.#options.exit(exitCode);
  }

  async #runAll(cause: StopCause): Promise<readonly StepResult[]> {
    const steps = this.#steps.toReversed();
    const waitsFor = steps.map(({ name }) => name);
    const msMax = steps.reduce((sum, { shareMs }) => sum + shareMs, 0);
    this.#options.tell({ kind: 'stopping', cause, waitsFor, msMax });
    const results: StepResult[] = [];
    let endsAt = this.#options.now();
    for (const step of steps) {
      endsAt += step.shareMs;
      const result = await this.#run(step, Math.max(0, endsAt - this.#options.now()));
      results.push(result);
      this.#options.observe(result);
    }
    return results;
  }

  async #run(step: ShutdownStep, boundMs: number): Promise<StepResult> {
    const { name } = step;
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
