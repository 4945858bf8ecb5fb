import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { DepositLife, LifeFact } from '../../answers.ts';
import { breakEventOf, breakOf } from '../breaks/break-row.ts';
import type { JournalReader } from '../journal/journal-reader.ts';
import type { BreakRow } from '../table/break-tables.ts';
import type { Tables } from '../table/tables.ts';

/** Most notifications, entries and breaks of one life: anyone may invent notifications. */
export const ROWS_MAX = 60;
/** Longest body that is shown within the page, bytes. */
const BODY_BYTES_MAX = 64 * 1024;

/** Custody records and decisions after one fact, up to another, which satisfy a condition. */
interface RecordsWanted {
  readonly afterSeq: number;
  readonly throughSeq: number;
  readonly that: RawBuilder<boolean>;
  readonly limit: number;
}

/** Positions of custody records and decisions, the oldest first. */
export function recordRows({
  afterSeq,
  throughSeq,
  that,
  limit,
}: RecordsWanted): RawBuilder<{ readonly seq: number }> {
  // The first condition is that of the index.
  return sql`select seq from journal indexed by journal_records
    where (kind = 'custody-record' or kind = 'decision')
      and seq > ${afterSeq} and seq <= ${throughSeq} and ${that} order by seq limit ${limit}`;
}

/** The fact at a journal position, as a person reads it; undefined for a position without one. */
export function factAt(journal: JournalReader, seq: number): LifeFact | undefined {
  const row = journal.at(seq);
  if (row === undefined) return undefined;
  const { kind, recordedAt, detail, body } = row;
  const isShown = body.length > 0 && body.length <= BODY_BYTES_MAX;
  return {
    seq,
    kind,
    recordedAt,
    actor: kind === 'decision' ? detail : null,
    body: isShown ? Uint8Array.from(body) : null,
  };
}

const decoder = new TextDecoder();

/** Whether a fact's body names one of these ids. */
export function namesAny({ body }: LifeFact, ids: readonly (string | null)[]): boolean {
  if (body === null) return false;
  const text = decoder.decode(body);
  return ids.some((id) => id !== null && text.includes(JSON.stringify(id)));
}

/** Breaks with the newest events of their histories. */
export async function withHistory(
  at: Kysely<Tables>,
  rows: readonly BreakRow[],
): Promise<DepositLife['breaks']> {
  const found = rows.map(breakOf);
  const events = await at
    .selectFrom('break_events')
    .where(
      'break_id',
      'in',
      found.map(({ breakId }) => breakId),
    )
    .selectAll()
    .orderBy(sql`rowid`)
    .execute();
  const history = events.map(breakEventOf);
  return found.map((one) => ({
    found: one,
    history: history.filter(({ breakId }) => breakId === one.breakId).slice(-ROWS_MAX),
  }));
}
