/** Most wrong tokens per address within `WINDOW_MS`. A person mistypes a few times. */
const WRONG_MAX = 10;
const WINDOW_MS = 60_000;

/** Most remembered addresses; evicts the oldest entry. */
const ADDRESSES_MAX = 1_000;

interface Tries {
  readonly beganAt: number;
  readonly wrong: number;
}

/** Limits wrong tokens per network address at the console's sign-in. */
export class SignInThrottle {
  readonly #now: () => number;
  readonly #tries = new Map<string, Tries>();

  /** `now`: Unix milliseconds. */
  constructor(options: { now: () => number }) {
    this.#now = options.now;
  }

  /** Milliseconds until this address may try again; 0 when it may try now. */
  waitMs(address: string): number {
    const tries = this.#current(address);
    if (tries === undefined || tries.wrong < WRONG_MAX) return 0;
    return tries.beganAt + WINDOW_MS - this.#now();
  }

  /** Counts a wrong token. */
  refused(address: string): void {
    const { beganAt, wrong } = this.#current(address) ?? { beganAt: this.#now(), wrong: 0 };
    this.#tries.delete(address);
    this.#tries.set(address, { beganAt, wrong: wrong + 1 });
    const [oldest] = this.#tries.keys();
    if (oldest !== undefined && this.#tries.size > ADDRESSES_MAX) this.#tries.delete(oldest);
  }

  #current(address: string): Tries | undefined {
    const tries = this.#tries.get(address);
    if (tries === undefined) return undefined;
    const age = this.#now() - tries.beganAt;
    // Negative after the clock was set back.
    return age >= 0 && age < WINDOW_MS ? tries : undefined;
  }
}
