import type { Database } from 'better-sqlite3';
import { sealHash } from '../../seal.ts';
import { JournalReader } from './journal-reader.ts';
import type { SealRow } from '../table/journal-tables.ts';

/** Newest commits that opening a large store checks, because a crash could have damaged them. */
const SEALS = 64;
/** Most facts that the check reads before it starts another commit. */
const FACTS = 4_096;

function follows(seal: SealRow, before: SealRow): boolean {
  return (
    seal.commit_number === before.commit_number + 1 &&
    seal.first_seq === before.last_seq + 1 &&
    Buffer.compare(seal.previous_hash, before.hash) === 0
  );
}

/** Checks the seals of a store's newest commits. The first problem found, or null. */
export function checkNewestSeals(db: Database): string | null {
  const seals = db
    .prepare<[number], SealRow>('SELECT * FROM seals ORDER BY commit_number DESC LIMIT ?')
    .all(SEALS);
  const journal = new JournalReader(db);
  if (journal.head() !== (seals[0]?.last_seq ?? 0)) return 'its newest facts are not sealed';
  let examined = 0;
  for (const [index, seal] of seals.entries()) {
    if (examined > FACTS) break;
    const before = seals[index + 1];
    if (before !== undefined && !follows(seal, before)) {
      return `commit ${seal.commit_number} does not follow ${before.commit_number}`;
    }
    const { first_seq: first, last_seq: last, previous_hash: previous } = seal;
    const rows = journal.between(first, last);
    examined += rows.length;
    const isWhole = rows.length === last - first + 1 && rows.length > 0;
    const hash = isWhole && sealHash(previous, { sealedAt: seal.sealed_at, rows });
    if (hash === false || Buffer.compare(hash, seal.hash) !== 0) {
      return `the facts ${first} to ${last} are not the sealed ones`;
    }
  }
  return null;
}
