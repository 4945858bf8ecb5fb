import { subjectOf } from '../../domain/fact/decision.ts';
import type { Table } from '../../report/tables/table.ts';
import { jsonBytes } from '../../store/codec/fact.ts';
import type { StoredDecision } from '../../store/answers.ts';
import type { DecisionQuery } from '../../store/queries.ts';
import type { Reads } from '../../store/reads.ts';
import { KIND_NAMES, reasonOf } from './decision-text.tsx';

/** Most decisions of one file: some seconds of reading. */
const ROWS_MAX = 10_000;
const PAGE_SIZE = 500;

/** Decisions with a row each; `decision` is the fact as the journal holds it. */
export function decisionsTable(rows: readonly StoredDecision[]): Table<StoredDecision> {
  return {
    name: 'Decisions',
    rows,
    columns: [
      { name: 'journalSeq', text: ({ seq }) => seq },
      { name: 'recordedAt', text: ({ at }) => new Date(at).toISOString() },
      { name: 'who', text: ({ actor }) => actor },
      { name: 'what', text: ({ decision }) => KIND_NAMES[decision.kind] },
      { name: 'about', text: ({ decision }) => subjectOf(decision) ?? null },
      { name: 'why', text: ({ decision }) => reasonOf(decision) },
      { name: 'decision', text: ({ decision }) => new TextDecoder().decode(jsonBytes(decision)) },
    ],
  };
}

/** The decisions of a query for one file, newest first. `isWhole`: none is missing. */
export async function readForTable(
  reads: Pick<Reads, 'decisions'>,
  query: DecisionQuery,
): Promise<{ readonly rows: readonly StoredDecision[]; readonly isWhole: boolean }> {
  const rows: StoredDecision[] = [];
  let asked: DecisionQuery = { ...query, limit: PAGE_SIZE };
  for (;;) {
    const { items, next, unread } = await reads.decisions(asked);
    rows.push(...items);
    if (next === null) return { rows, isWhole: unread.length === 0 };
    if (rows.length >= ROWS_MAX) return { rows, isWhole: false };
    asked = { ...asked, before: next };
  }
}
