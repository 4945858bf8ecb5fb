import { onTestFinished } from 'vitest';
import { journalAddress, type JournalAddress } from '../../../src/store/postgres/address.ts';
import { initJournal } from '../../../src/store/postgres/init.ts';
import { LEASE_SECONDS_MAX } from '../../../src/store/postgres/journal-statements.ts';
import {
  PostgresJournal,
  type PostgresJournalSettings,
} from '../../../src/store/postgres/postgres-journal.ts';
import type { JournalHead, SealedCommit } from '../../../src/store/replicated/shared-journal.ts';
import type { PostgresCluster } from '../../postgres/cluster.ts';

export const NOW_MS = Date.UTC(2026, 0, 1);
let schemas = 0;

/** A new journal in a schema of its own, with its address. */
export async function newJournal(cluster: PostgresCluster): Promise<JournalAddress> {
  schemas += 1;
  const address = journalAddress(cluster.url('postgres', `?schema=journal_${schemas}`));
  await initJournal(address, { nowMs: NOW_MS });
  return address;
}

/** A receiver's connection to the journal, closed after the test. */
export function receiver(
  address: JournalAddress,
  name: string,
  settings: Partial<PostgresJournalSettings> = {},
): PostgresJournal {
  const journal = new PostgresJournal({
    address,
    receiver: { name, url: `http://${name}.test`, version: '0.1.0' },
    // The longest lease: more than a busy machine takes for a test.
    leaseSeconds: LEASE_SECONDS_MAX,
    standby: 'optional',
    answerMsMax: 60_000,
    ...settings,
  });
  onTestFinished(() => journal.close());
  return journal;
}

/** The epoch of a receiver that becomes the owner. */
export async function owning(journal: PostgresJournal): Promise<number> {
  const acquired = await journal.acquire();
  if (acquired.kind !== 'acquired') throw new Error(`${acquired.by.name} is the owner`);
  return acquired.epoch;
}

/** What follows a head, to the end of the journal. */
export async function readAll(
  journal: PostgresJournal,
  after: JournalHead,
  factsMax = 1_000,
): Promise<SealedCommit[]> {
  const commits: SealedCommit[] = [];
  let head = after;
  for (;;) {
    const following = await journal.read(head, factsMax);
    if (following.kind === 'diverged') throw new Error(following.detail);
    const last = following.commits.at(-1);
    if (last === undefined) return commits;
    commits.push(...following.commits);
    const { commitNumber, hash, rows } = last;
    head = { commitNumber, hash, lastSeq: rows.at(-1)?.seq ?? 0 };
  }
}
