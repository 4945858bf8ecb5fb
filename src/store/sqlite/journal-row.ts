import type { JournalRow } from '../records.ts';
import type { JournalTableRow } from './tables.ts';

export function journalRowOf(row: JournalTableRow): JournalRow {
  return {
    seq: row.seq,
    kind: row.kind as JournalRow['kind'],
    recordedAt: row.recorded_at,
    detail: row.detail,
    body: row.body,
  };
}
