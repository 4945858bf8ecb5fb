import type { Writes } from '../port.ts';

/** Tables that are only appended to. */
const APPENDED = [
  'journal',
  'notifications',
  'entries',
  'feed',
  'acknowledgements',
  'reconciliations',
  'policies',
  'decimalsCorrections',
  'tokenChanges',
  'restores',
  'closes',
  'custodyEffects',
  'signatures',
] as const;

/** Their rows between two flushes. */
export type AppendedRows = {
  readonly [Table in (typeof APPENDED)[number]]: Writes[Table][number][];
};

/** New, empty lists of appended rows. */
export function noAppendedRows(): AppendedRows {
  // Each table has its list.
  return Object.fromEntries(APPENDED.map((table) => [table, []])) as unknown as AppendedRows;
}
