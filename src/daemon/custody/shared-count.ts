import { REQUESTS_MAX, WINDOWS } from '../../custody/budget/lane.ts';
import { UNDER_WAY_MS_MAX } from '../../custody/budget/request-log.ts';
import type { CustodyConfig } from '../../ops/config/config.ts';
import type { PostgresStoreConfig } from '../../ops/config/shared-store.ts';
import { AddressRefused, journalAddress } from '../../store/postgres/address.ts';
import { CustodyRequests } from '../../store/postgres/custody-requests.ts';
import { CommandFailed } from '../process/terminal.ts';

/**
 * The count of requests that all receivers and commands share, in the journal's database. It connects
 * when it is first asked. Throws `CommandFailed` for an address that cannot be used.
 */
export function sharedCount(
  store: PostgresStoreConfig,
  { clientId }: CustodyConfig,
): CustodyRequests {
  const limit = (window: keyof typeof WINDOWS) => {
    return { requests: REQUESTS_MAX[window], seconds: WINDOWS[window].spanMs / 1_000 };
  };
  try {
    return new CustodyRequests({
      address: journalAddress(store.url),
      clientId,
      limits: { minute: limit('minute'), hour: limit('hour') },
      underWaySecondsMax: UNDER_WAY_MS_MAX / 1_000,
      standby: store.standby,
    });
  } catch (error) {
    if (error instanceof AddressRefused) throw new CommandFailed(`store: ${error.message}`, 2);
    throw error;
  }
}
