import { deflateSync, inflateSync } from 'node:zlib';
import { blocksOf, bodyIn, packedBodies, unpackedBodies } from '../codec/body-block.ts';
import type { JournalRow } from '../records.ts';
import type { SealedCommit } from '../replicated/shared-journal.ts';

/**
 * The values of `APPEND` that follow the fence's: the seal's, then the commit's rows. Throws for a
 * commit without facts.
 */
export function valuesOf(commit: SealedCommit): unknown[] {
  const { commitNumber, sealedAt, previousHash, hash, rows } = commit;
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a commit has at least one fact');
  const seal: unknown[] = [commitNumber, first.seq, last.seq, sealedAt, previousHash, hash];
  return seal.concat(columnsOf(commit));
}

/**
 * A commit's rows as arrays, one for each column, in the order of `APPEND`: of the facts, the blocks
 * of bodies, the computed days. PostgreSQL's `unnest` makes rows of them.
 */
function columnsOf({ rows, computedDays }: SealedCommit): (readonly unknown[])[] {
  const blocks = [...blocksOf(rows)].map((facts) => {
    const bodies = Buffer.concat(facts.map(({ body }) => body));
    return { facts, bytes: bodies.length, content: packedBodies(bodies) };
  });
  return [
    rows.map(({ kind }) => kind),
    rows.map(({ recordedAt }) => recordedAt),
    rows.map(({ detail }) => (detail === null ? null : Buffer.from(detail))),
    blocks.flatMap(({ facts }) => startsOf(facts)),
    rows.map(({ body }) => body.length),
    blocks.map(({ facts }) => facts[0].seq),
    blocks.map(({ facts }) => facts[0].seq + facts.length - 1),
    blocks.map(({ bytes }) => bytes),
    blocks.map(({ content }) => content),
    computedDays.map(({ seq }) => seq),
    computedDays.map(({ packed }) => deflateSync(packed)),
  ];
}

/** Where each fact's body begins in its block. */
function startsOf(facts: readonly JournalRow[]): number[] {
  let end = 0;
  return facts.map(({ body }) => {
    const start = end;
    end += body.length;
    return start;
  });
}

export interface SealColumns {
  readonly commitNumber: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly sealedAt: number;
  readonly previousHash: Uint8Array;
  readonly hash: Uint8Array;
}

export interface FactColumns {
  readonly seq: number;
  readonly kind: string;
  readonly recordedAt: number;
  readonly detail: Uint8Array | null;
  readonly bodyStart: number;
  readonly bodyBytes: number;
}

export interface BlockColumns {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: number;
  readonly content: Uint8Array;
}

export interface DayColumns {
  readonly seq: number;
  readonly packed: Uint8Array;
}

/** What a span of the journal holds, each in the order of its positions. */
export interface JournalSpan {
  readonly seals: readonly SealColumns[];
  readonly facts: readonly FactColumns[];
  readonly blocks: readonly BlockColumns[];
  readonly days: readonly DayColumns[];
}

/**
 * The commits of a span. A damaged or missing block gives empty bodies: the follower finds by the
 * seal that they are not the sealed ones. Throws for a seal without all of its facts.
 */
export function commitsOf({ seals, facts, blocks, days }: JournalSpan): SealedCommit[] {
  const bodies = new BodyCursor(blocks);
  const rows = facts.map((fact) => rowOf(fact, bodies));
  const [first] = rows;
  return seals.map(({ commitNumber, firstSeq, lastSeq, sealedAt, previousHash, hash }) => {
    const from = firstSeq - (first?.seq ?? 0);
    const sealed = rows.slice(from, from + lastSeq - firstSeq + 1);
    if (sealed[0]?.seq !== firstSeq || sealed.at(-1)?.seq !== lastSeq) {
      throw new Error(`commit ${commitNumber} lacks some of the facts ${firstSeq} to ${lastSeq}`);
    }
    const computedDays = days
      .filter(({ seq }) => seq >= firstSeq && seq <= lastSeq)
      .map(({ seq, packed }) => ({ seq, packed: inflateSync(packed).toString() }));
    return { commitNumber, sealedAt, previousHash, hash, rows: sealed, computedDays };
  });
}

function rowOf(fact: FactColumns, bodies: BodyCursor): JournalRow {
  const { seq, recordedAt, detail, bodyStart: start, bodyBytes: length } = fact;
  return {
    seq,
    // The table's CHECK holds the kinds.
    kind: fact.kind as JournalRow['kind'],
    recordedAt,
    detail: detail === null ? null : Buffer.from(detail).toString(),
    body: bodyIn(bodies.at(seq), { start, length }),
  };
}

const NO_BYTES = new Uint8Array();

/** Inflated blocks, for positions that only grow. */
class BodyCursor {
  readonly #blocks: readonly BlockColumns[];
  #next = 0;
  #lastSeq = 0;
  #bytes: Uint8Array = NO_BYTES;

  constructor(blocks: readonly BlockColumns[]) {
    this.#blocks = blocks;
  }

  /** The inflated block of a position; empty when there is none. */
  at(seq: number): Uint8Array {
    while (seq > this.#lastSeq) {
      const block = this.#blocks[this.#next];
      if (block === undefined || seq < block.firstSeq) return NO_BYTES;
      this.#next += 1;
      this.#lastSeq = block.lastSeq;
      if (seq <= block.lastSeq) this.#bytes = unpackedBodies(block);
    }
    return this.#bytes;
  }
}
