import type { Database } from 'better-sqlite3';
import { subjectOf } from '../../../domain/fact/decision.ts';
import type { DecisionPage, StoredDecision } from '../../answers.ts';
import { unpackDecision } from '../../codec/fact.ts';
import type { DecisionQuery } from '../../queries.ts';
import type { JournalReader } from '../journal/journal-reader.ts';

/**
 * Most decisions of one actor that an answer reads. A consumer acknowledges a million credits, and
 * the kind of a decision is in its body.
 */
export const READ_PER_ACTOR_MAX = 500;

/** Most actors of a list: tokens and the configuration. */
const ACTORS_MAX = 1_000;

/** Every actor of a decision, by steps of an index. */
export const ACTORS = `
  WITH RECURSIVE actors (actor) AS (
    SELECT min(detail) FROM journal WHERE kind = 'decision'
    UNION ALL
    SELECT (SELECT min(detail) FROM journal WHERE kind = 'decision' AND detail > actor)
      FROM actors WHERE actor IS NOT NULL
  )
  SELECT actor FROM actors WHERE actor IS NOT NULL LIMIT ${ACTORS_MAX}`;

/** The newest decisions of an actor before a position. */
export const DECISIONS_OF = `
  SELECT seq FROM journal WHERE kind = 'decision' AND detail = ? AND seq < ?
  ORDER BY seq DESC LIMIT ?`;

/** An actor's decisions that an answer may read, newest first. */
interface Stream {
  readonly actor: string;
  readonly seqs: readonly number[];
  /** How many were read. */
  read: number;
}

function newestOf(streams: readonly Stream[]): Stream | undefined {
  let newest: Stream | undefined;
  for (const stream of streams) {
    const seq = stream.seqs[stream.read];
    if (seq !== undefined && seq > (newest?.seqs[newest.read] ?? -1)) newest = stream;
  }
  return newest;
}

/** Decisions, newest first: the actors' own lists in the order of the journal. */
export function readDecisions(
  db: Database,
  journal: JournalReader,
  { actor: only, kinds, subject, from, until, before, limit }: DecisionQuery,
): DecisionPage {
  const actors = db.prepare<[], string>(ACTORS).pluck().all();
  const seqsOf = db.prepare<[string, number, number], number>(DECISIONS_OF).pluck();
  const through = Math.min(
    before ?? Number.MAX_SAFE_INTEGER,
    until === undefined ? Number.MAX_SAFE_INTEGER : journal.seqBefore(until) + 1,
  );
  const first = from === undefined ? 0 : journal.seqBefore(from) + 1;
  // One more than an answer reads: whether an actor has more.
  const streams = actors
    .filter((actor) => only === undefined || actor === only)
    .map((actor): Stream => ({
      actor,
      seqs: seqsOf.all(actor, through, READ_PER_ACTOR_MAX + 1).filter((seq) => seq >= first),
      read: 0,
    }));
  const items: StoredDecision[] = [];
  const unread: { actor: string; before: number }[] = [];
  let last = through;
  for (;;) {
    const stream = newestOf(streams.filter(({ read }) => read <= READ_PER_ACTOR_MAX));
    const seq = stream?.seqs[stream.read];
    if (stream === undefined || seq === undefined) break;
    if (items.length === limit) return { items, next: last, actors, unread };
    stream.read += 1;
    if (stream.read > READ_PER_ACTOR_MAX) {
      unread.push({ actor: stream.actor, before: seq + 1 });
      continue;
    }
    last = seq;
    const row = journal.at(seq);
    if (row === undefined) continue;
    const decision = unpackDecision(row.body);
    if (kinds !== undefined && !kinds.includes(decision.kind)) continue;
    if (subject !== undefined && subjectOf(decision) !== subject) continue;
    items.push({ seq, at: row.recordedAt, actor: stream.actor, decision });
  }
  // The list of one actor goes on where it stopped; that of everybody leads to it.
  const [rest] = streams.length === 1 ? unread : [];
  return { items, next: rest?.before ?? null, actors, unread };
}
