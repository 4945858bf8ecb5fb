/** One step of a shutdown. */
export interface ShutdownStep {
  readonly name: string;
  /** Time budget in milliseconds; unused time carries over to later steps. */
  readonly shareMs: number;
  /** Nothing is lost when its time ends first: the next start does again what it has not committed. */
  readonly losesNothing?: boolean;
  readonly run: () => Promise<void> | void;
}

export type StepResult =
  | { readonly name: string; readonly kind: 'done' }
  | { readonly name: string; readonly kind: 'failed'; readonly error: unknown }
  /** `abandoned`: its time ended, and nothing is lost. */
  | { readonly name: string; readonly kind: 'timed-out' | 'abandoned'; readonly boundMs: number };

/** Why the program ends; `failure`: it cannot continue. */
export type StopCause = 'SIGTERM' | 'SIGINT' | 'failure';

/** News of a shutdown: once at its start, and once right before the process ends. */
export type ShutdownNews =
  | {
      readonly kind: 'stopping';
      readonly cause: StopCause;
      /** The names of the steps, in their order. */
      readonly waitsFor: readonly string[];
      /** The sum of their time budgets: the shutdown takes no longer. */
      readonly msMax: number;
    }
  | { readonly kind: 'stopped'; readonly exitCode: number }
  /** A second signal ended the process at once. */
  | { readonly kind: 'cut_short'; readonly exitCode: number };

export interface LifecycleOptions {
  /** Ends the process. */
  readonly exit: (code: number) => void;
  readonly report: (news: ShutdownNews) => void;
  /** Runs after every step. */
  readonly observe: (result: StepResult) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A source of signals, such as `process`. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP', listener: () => void): unknown;
}

/**
 * Runs shutdown steps in reverse order of their start, because later parts depend on earlier ones:
 * intake closes before its queue drains, and the queue before its store closes. A step that fails
 * or times out does not stop the others or use their time. Together they take at most the sum of
 * their budgets.
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

  /** Adds a step. It runs before all earlier ones. */
  onShutdown(step: ShutdownStep): void {
    if (this.#stopping !== undefined) throw new Error(`${step.name} was started while stopping`);
    this.#steps.push(step);
  }

  /** Whether the program is stopping. */
  get stopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Runs the steps once, even when called again; resolves after the last step. */
  shutdown(cause: StopCause): Promise<readonly StepResult[]> {
    this.#stopping ??= this.#runAll(cause);
    return this.#stopping;
  }

  /** Shuts down after a fatal failure, and exits with 1. */
  async abandon(): Promise<void> {
    await this.shutdown('failure');
    this.#end('stopped', 1);
  }

  /**
   * The first SIGTERM or SIGINT shuts down. The exit code is 0, or 1 when a step failed, or timed
   * out and may lose something. A second signal exits with 1 at once.
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
        const isGood = ({ kind }: StepResult): boolean => kind === 'done' || kind === 'abandoned';
        this.#end('stopped', results.every(isGood) ? 0 : 1);
      });
    };
    source.on('SIGTERM', () => onSignal('SIGTERM'));
    source.on('SIGINT', () => onSignal('SIGINT'));
  }

  #end(kind: 'stopped' | 'cut_short', exitCode: number): void {
    this.#options.report({ kind, exitCode });
    this.#options.exit(exitCode);
  }

  async #runAll(cause: StopCause): Promise<readonly StepResult[]> {
    const steps = this.#steps.toReversed();
    const waitsFor = steps.map(({ name }) => name);
    const msMax = steps.reduce((sum, { shareMs }) => sum + shareMs, 0);
    this.#options.report({ kind: 'stopping', cause, waitsFor, msMax });
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
    const { name, losesNothing = false } = step;
    const kind = losesNothing ? 'abandoned' : 'timed-out';
    const ended = new AbortController();
    const bound = this.#options
      .sleep(boundMs, ended.signal)
      .then((): StepResult => ({ name, kind, boundMs }));
    const work = Promise.resolve()
      .then(() => step.run())
      .then((): StepResult => ({ name, kind: 'done' }))
      .catch((error: unknown): StepResult => ({ name, kind: 'failed', error }));
    const result = await Promise.race([work, bound]);
    ended.abort();
    return result;
  }
}
