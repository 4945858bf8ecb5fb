/** The answer of every part of the product once its process is dead or sleeps. */
export const DIED = 'died';

/** A promise of a process that is dead: nothing ever follows. */
export function never<Value>(): Promise<Value> {
  return new Promise<Value>(() => undefined);
}

interface Signal {
  readonly promise: Promise<typeof DIED>;
  readonly give: () => void;
}

function signal(): Signal {
  let give = (): void => undefined;
  const promise = new Promise<typeof DIED>((resolve) => {
    give = () => resolve(DIED);
  });
  return { promise, give };
}

/** Whether a process runs, sleeps (nothing in it goes on) or is dead. */
export class Life {
  #isDead = false;
  #stopped = signal();
  #woken: Signal | undefined;
  readonly #requests = new Set<Promise<unknown>>();

  get isAwake(): boolean {
    return !this.#isDead && this.#woken === undefined;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Resolves when the process falls asleep or dies: whoever waits for it gets no answer. */
  get stopped(): Promise<typeof DIED> {
    return this.#stopped.promise;
  }

  /** Resolves while the process is awake; never once it is dead. */
  async awake(): Promise<void> {
    while (!this.isAwake) {
      if (this.#isDead) return never();
      await this.#woken?.promise;
    }
  }

  fallAsleep(): void {
    if (!this.isAwake) return;
    this.#woken = signal();
    this.#stopped.give();
  }

  wake(): void {
    const woken = this.#woken;
    if (woken === undefined || this.#isDead) return;
    this.#woken = undefined;
    this.#stopped = signal();
    woken.give();
  }

  die(): void {
    this.#isDead = true;
    this.#stopped.give();
  }

  /**
   * The answer to a request that arrives, or `DIED` when the process stops before. A process that
   * sleeps works on it once it has woken.
   */
  answer<Value>(work: () => Promise<Value>): Promise<Value | typeof DIED> {
    const answer = this.isAwake ? work() : this.awake().then(work);
    const forget = (): void => void this.#requests.delete(answer);
    this.#requests.add(answer);
    answer.then(forget, forget);
    return this.whileAwake(answer);
  }

  /** Resolves when every request that has arrived is answered. */
  async answered(): Promise<void> {
    while (this.#requests.size > 0) await Promise.allSettled(this.#requests);
  }

  /** What work brings, or `DIED` when the process stops before. */
  whileAwake<Value>(work: Promise<Value>): Promise<Value | typeof DIED> {
    // The work of a process that sleeps may fail after it has woken.
    work.catch(() => undefined);
    return Promise.race([work, this.stopped]);
  }
}
