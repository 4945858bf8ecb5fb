import type { Readiness } from '../../api/health.ts';
import { Access, accessNotice } from '../../custody/access.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { Logger } from '../../ops/log.ts';

/** Tracks whether the custody API accepts our key, and logs each change. */
export function loggedAccess(log: Logger, now: () => number): Access {
  return new Access({
    now,
    onChange: (state) => {
      if (state.kind !== 'refused') log.info('the custody API accepts our key again');
      for (const notice of accessNotice(state)) log.error(notice);
    },
  });
}

/** The custody API's entry in `/readyz`. */
export function custodyReadiness(
  custody: CustodyClient,
  access: Access,
): NonNullable<Readiness['custody']> {
  const { kind: circuit, ...detail } = custody.circuit();
  const requests = custody.budgetUsed();
  const state = access.state();
  if (state.kind !== 'refused') return { circuit, ...detail, access: state.kind, requests };
  const refusals = state.refusals.map(({ operation, status, sinceMs }) => ({
    operation,
    status,
    since: new Date(sinceMs).toISOString(),
  }));
  const notices = accessNotice(state);
  return { circuit, ...detail, access: state.kind, refusals, notices, requests };
}
