import type { Database } from 'better-sqlite3';
import type { SealedCommit } from '../../replicated/shared-journal.ts';
import type { SealRow } from '../table/journal-tables.ts';
import { JournalReader } from './journal-reader.ts';

/**
 * The commits of a store's journal, oldest first. `computedDays`: the reports of closed days by the
 * positions of their facts, because the journal does not hold them.
 */
export function* sealedCommits(
  db: Database,
  computedDays: ReadonlyMap<number, string>,
): Generator<SealedCommit> {
  const journal = new JournalReader(db);
  const seals = db.prepare<[], SealRow>('SELECT * FROM seals ORDER BY commit_number');
  for (const seal of seals.iterate()) {
    const rows = journal.between(seal.first_seq, seal.last_seq);
    yield {
      commitNumber: seal.commit_number,
      sealedAt: seal.sealed_at,
      previousHash: seal.previous_hash,
      hash: seal.hash,
      rows,
      computedDays: rows.flatMap(({ seq }) => {
        const packed = computedDays.get(seq);
        return packed === undefined ? [] : [{ seq, packed }];
      }),
    };
  }
}
