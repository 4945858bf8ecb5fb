import { AddressRefused, journalAddress } from '../../store/postgres/address.ts';
import { PostgresJournal } from '../../store/postgres/postgres-journal.ts';
import { StoreRefused } from '../../store/refusal.ts';
import type { SharedJournalOptions } from './messages.ts';

/**
 * The journal in PostgreSQL. It connects when it is first asked. Throws `StoreRefused` for an address
 * that cannot be used.
 */
export function openSharedJournal(options: SharedJournalOptions): PostgresJournal {
  const { databaseUrl, name, url, version, leaseSeconds, standby } = options;
  try {
    const address = journalAddress(databaseUrl);
    return new PostgresJournal({
      address,
      receiver: { name, url, version },
      leaseSeconds,
      standby,
    });
  } catch (error) {
    if (error instanceof AddressRefused) throw new StoreRefused(`store: ${error.message}`);
    throw error;
  }
}
