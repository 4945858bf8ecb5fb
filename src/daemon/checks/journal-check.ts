import type { StoreConfig } from '../../ops/config/shared-store.ts';
import { AddressRefused, journalAddress } from '../../store/postgres/address.ts';
import { journalFindings } from '../../store/postgres/journal-findings.ts';
import { problem, type Diagnosis } from './diagnosis.ts';

/**
 * Checks the servers of a shared journal: reachable, synchronous, durable, and the schema's version
 * and rights. A store in a SQLite file has none of it. `nowMs`: this machine's clock.
 */
export async function checkJournal(store: StoreConfig, nowMs: () => number): Promise<Diagnosis[]> {
  if (store.kind === 'sqlite') return [];
  try {
    return await journalFindings(journalAddress(store.url), nowMs);
  } catch (error) {
    if (error instanceof AddressRefused) return [problem('store', error.message)];
    throw error;
  }
}
