import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { DepositLife, LifeFact } from '../../answers.ts';
import type { JournalReader } from '../journal/journal-reader.ts';
import { breakEventOf, breakOf, type BreakRow } from '../table/rows/break-row.ts';
import type { Tables } from '../table/tables.ts';

/** Most notifications, entries and breaks of one life: anyone may invent notifications. */
export const ROWS_MAX = 60;
/** Longest body that is shown within the page, bytes. */
const BODY_BYTES_MAX = 64 * 1024;

/** A span of the journal in which custody records and decisions are looked for. */
interface RecordSpan {
  /** Exclusive. */
  readonly afterSeq: number;
  /** Inclusive. */
  readonly throughSeq: number;
  /** A further condition. */
  readonly that: RawBuilder<boolean>;
  /** Most records that are read. */
  readonly limit: number;
}

/** Positions of custody records and decisions in a span, the oldest first. */
export function recordRows(span: RecordSpan): RawBuilder<{ readonly seq: number }> {
  const { afterSeq, throughSeq, that, limit } = span;
  // The first condition is that of the index.
  return sql`select seq from journal indexed by journal_records
    where (kind = 'custody-record' or kind = 'decision')
      and seq > ${afterSeq} and seq <= ${throughSeq} and ${that} order by seq limit ${limit}`;
}

/** Positions of custody records and decisions in several spans, each once, in order. */
export async function recordsIn(
  at: Kysely<Tables>,
  spans: readonly RecordSpan[],
): Promise<number[]> {
  const found = new Set<number>();
  for (const span of spans) {
    const { rows } = await recordRows(span).execute(at);
    for (const { seq } of rows) found.add(seq);
  }
  return [...found].toSorted((left, right) => left - right);
}

/** The fact at a journal position, as a person reads it; undefined for a position without one. */
function factAt(journal: JournalReader, seq: number): LifeFact | undefined {
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
function namesAny({ body }: LifeFact, ids: readonly (string | null)[]): boolean {
  if (body === null) return false;
  const text = decoder.decode(body);
  return ids.some((id) => id !== null && text.includes(JSON.stringify(id)));
}

/** The known facts, and of the candidates those that name one of the ids; by journal position. */
export function lifeFacts(
  journal: JournalReader,
  known: readonly number[],
  also: { readonly candidates: readonly number[]; readonly ids: readonly (string | null)[] },
): Map<number, LifeFact> {
  const isKnown = new Set(known);
  const facts = new Map<number, LifeFact>();
  for (const seq of new Set([...known, ...also.candidates])) {
    const fact = factAt(journal, seq);
    if (fact !== undefined && (isKnown.has(seq) || namesAny(fact, also.ids))) facts.set(seq, fact);
  }
  return facts;
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
