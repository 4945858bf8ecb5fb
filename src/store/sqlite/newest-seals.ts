import type { Database } from 'better-sqlite3';
import { sealHash } from '../seal.ts';
import { JournalReader } from './journal-reader.ts';
import type { SealRow } from './tables.ts';

/** Commits that are looked at when a large store is opened: what a crash could have cut short. */
const SEALS = 64;
/** However many facts a commit held, no more than these and the rest of one commit are read. */
const FACTS = 4_096;

function follows(seal: SealRow, before: SealRow): boolean {
  return (
    seal.commit_number === before.commit_number + 1 &&
    seal.first_seq === before.last_seq + 1 &&
    Buffer.compare(seal.previous_hash, before.hash) === 0
  );
}

/** What is wrong with the newest commits of a store, or null. */
export function checkNewestSeals(db: Database): string | null {
  const seals = db
    .prepare<[number], SealRow>('SELECT * FROM seals ORDER BY commit_number DESC LIMIT ?')
    .all(SEALS);
  const journal = new JournalReader(db);
  const head = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal').pluck().get();
  if (head !== (seals[0]?.last_seq ?? 0)) return 'its newest facts are not sealed';
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
    const is = isWhole && sealHash(previous, { sealedAt: seal.sealed_at, rows });
    if (is === false || Buffer.compare(is, seal.hash) !== 0) {
      return `the facts ${first} to ${last} are not what was sealed`;
    }
  }
  return null;
}
