import type { Config } from '../../ops/config/config.ts';
import { problem, type Diagnosis } from './diagnosis.ts';
import { checkIssuer } from './issuer-check.ts';
import { checkJournal } from './journal-check.ts';

/** A page that many people reload asks the servers once in this time. */
const CACHED_MS = 30_000;

type Checks = () => Promise<readonly Diagnosis[]>;

/**
 * Checks that ask other servers, made at most once in thirty seconds. People who ask meanwhile get
 * the same answer. A check that fails itself is a problem, and is made again at the next call. `now`:
 * Unix milliseconds.
 */
export function cachedChecks(make: Checks, now: () => number): Checks {
  let last: { readonly at: number; readonly found: ReturnType<Checks> } | undefined;
  return async () => {
    const at = now();
    if (last === undefined || Math.abs(at - last.at) >= CACHED_MS) last = { at, found: make() };
    try {
      return await last.found;
    } catch (error) {
      last = undefined;
      return [problem('other servers', `a check could not be made: ${String(error)}`)];
    }
  };
}

/** Checks of servers that others run; none costs a request to the custody API. */
export function cachedServerChecks({ store, console }: Config): Checks {
  const make = async (): Promise<readonly Diagnosis[]> =>
    (await Promise.all([checkJournal(store, Date.now), checkIssuer(console.oidc)])).flat();
  return cachedChecks(make, () => Date.now());
}
