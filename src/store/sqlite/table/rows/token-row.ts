import type { TokenChangeRow } from '../../../records.ts';
import type { TokenChangeTableRow } from '../asset-tables.ts';

/** Reads a change of a token from its row. */
export function tokenChangeOf({
  changed_at: changedAt,
  ...row
}: TokenChangeTableRow): TokenChangeRow {
  return { ...row, role: row.role as TokenChangeRow['role'], changedAt };
}

/** The table's row of a token change. `changedAt` is in Unix milliseconds. */
export function tokenChangeRow({ changedAt, ...row }: TokenChangeRow): TokenChangeTableRow {
  return { ...row, changed_at: changedAt };
}
