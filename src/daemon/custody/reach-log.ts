import type { Attempt } from '../../custody/call/caller.ts';
import type { CustodyConfig } from '../../ops/config/config.ts';
import { failureText } from './failure-text.ts';

/** This many failed attempts in a row are logged: one request with its retries makes as many. */
const FAILURES_TO_LOG = 3;

/**
 * Returns what to call after every attempt. It logs once that the custody API does not answer, with
 * the address and advice, and once that it answers again.
 */
export function reachLog(
  log: { error: (text: string) => void; info: (text: string) => void },
  config: CustodyConfig,
): (attempt: Pick<Attempt, 'failure'>) => void {
  let failures = 0;
  return ({ failure }) => {
    if (failure?.kind === 'unavailable' || failure?.kind === 'malformed') {
      // The caller ended this attempt: that says nothing about the service.
      if (failure.kind === 'unavailable' && failure.cause.kind === 'deadline') return;
      failures += 1;
      if (failures === FAILURES_TO_LOG) {
        log.error(
          `custody API: ${failureText(failure, config)}; nothing is verified until it answers`,
        );
      }
      return;
    }
    if (failures >= FAILURES_TO_LOG) log.info('the custody API answers again');
    failures = 0;
  };
}
