import type { Config } from '../../ops/config/config.ts';
import { problem, type Diagnosis } from './diagnosis.ts';
import { checkIssuer } from './issuer-check.ts';
import { checkJournal } from './journal-check.ts';

/** A page that many people reload asks the servers once in this time. */
const CACHED_MS = 30_000;

/**
 * Checks that ask other servers, made at most once in thirty seconds. People who ask meanwhile get
 * the same answer. A check that fails itself is a problem, and is made again at the next call.
 */
export class CachedChecks {
  readonly #make: () => Promise<readonly Diagnosis[]>;
  readonly #now: () => number;
  #last: { readonly at: number; readonly found: Promise<readonly Diagnosis[]> } | undefined;

  /** `now`: Unix milliseconds. */
  constructor(options: { make: () => Promise<readonly Diagnosis[]>; now: () => number }) {
    this.#make = options.make;
    this.#now = options.now;
  }

  async found(): Promise<readonly Diagnosis[]> {
    const at = this.#now();
    const isFresh = this.#last !== undefined && Math.abs(at - this.#last.at) < CACHED_MS;
    if (!isFresh) this.#last = { at, found: this.#make() };
    try {
      return (await this.#last?.found) ?? [];
    } catch (error) {
      this.#last = undefined;
      return [problem('other servers', `a check could not be made: ${String(error)}`)];
    }
  }
}

/** Checks of servers that others run; none costs a request to the custody API. */
export function cachedServerChecks({ store, console }: Config): CachedChecks {
  return new CachedChecks({
    now: () => Date.now(),
    make: async () =>
      (await Promise.all([checkJournal(store, Date.now), checkIssuer(console.oidc)])).flat(),
  });
}
