import type { Clock } from '../../../../src/custody/clock.ts';
import type { VirtualClock } from '../../../../src/simulator/clock.ts';

/**
 * Time for several actors at once: it stands still while any of them works, and goes on to the next
 * alarm when all of them sleep. So hours pass in minutes, and no actor waits for another's pause.
 */
export class VirtualTime {
  readonly #clock: VirtualClock;
  #actors = 0;
  #asleep = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  /** For an actor's own pauses. */
  readonly pauses: Clock = {
    now: () => this.now(),
    sleep: (ms, signal) => this.sleep(ms, signal),
  };

  /** For the client: a sleep with a signal is the timer of a request, and never rings. */
  readonly requests: Clock = {
    now: () => this.now(),
    sleep: (ms, signal) => {
      if (signal === undefined) return this.sleep(ms);
      return new Promise((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
    },
  };

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    this.#asleep += 1;
    await new Promise<void>((resolve) => {
      const alarm = this.#clock.at(this.now() + Math.max(0, Math.ceil(ms)), () => {
        wake();
        return this.allAsleep();
      });
      const wake = (): void => {
        signal?.removeEventListener('abort', end);
        this.#asleep -= 1;
        resolve();
      };
      const end = (): void => {
        this.#clock.cancel(alarm);
        wake();
      };
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  /** One more actor: between its sleeps time stands still. */
  enter(): void {
    this.#actors += 1;
  }

  /** Whether every actor sleeps: then nothing but an event from outside can wake one. */
  get areAllAsleep(): boolean {
    return this.#asleep >= this.#actors;
  }

  /** Resolves when every actor sleeps. */
  async allAsleep(): Promise<void> {
    // Two quiet turns: whoever was woken sleeps again only after its promises have run.
    for (let quiet = 0; quiet < 2;) {
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.areAllAsleep ? quiet + 1 : 0;
    }
  }

  /** Lets this much time pass. */
  async pass(ms: number): Promise<void> {
    await this.allAsleep();
    await this.#clock.advance(ms);
  }
}
