import { inflateSync } from 'node:zlib';
import type pg from 'pg';
import type { JournalRow } from '../../../src/store/records.ts';
import { GENESIS_HASH, sealHash } from '../../../src/store/seal.ts';
import { digestOf } from '../scene/senders.ts';

/** Most commits of one read. */
const COMMITS_MAX = 5_000;

interface SealRow {
  readonly number: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly sealedAt: number;
  readonly previousHash: Buffer;
  readonly hash: Buffer;
}

interface FactRow {
  readonly seq: number;
  readonly copy: number;
  readonly kind: JournalRow['kind'];
  readonly recordedAt: number;
  readonly detail: string | null;
  readonly bodyStart: number;
  readonly bodyBytes: number;
}

interface BlockRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly copy: number;
  readonly content: Buffer;
}

// A damaged journal may hold a position twice: `copy` counts the rows of a position.
const SEALS = `SELECT commit_number::int AS number, first_seq::int AS "firstSeq",
    last_seq::int AS "lastSeq", sealed_at::float8 AS "sealedAt", previous_hash AS "previousHash", hash
  FROM counterfoil.seals WHERE commit_number > $1 AND commit_number <= $1 + ${COMMITS_MAX}
  ORDER BY commit_number, ctid`;
const FACTS = `SELECT seq::int, row_number() OVER (PARTITION BY seq ORDER BY ctid)::int AS copy, kind,
    recorded_at::float8 AS "recordedAt", convert_from(detail, 'UTF8') AS detail,
    body_start AS "bodyStart", body_bytes AS "bodyBytes"
  FROM counterfoil.journal WHERE seq BETWEEN $1 AND $2 ORDER BY seq`;
const BLOCKS = `SELECT first_seq::int AS "firstSeq", last_seq::int AS "lastSeq", content,
    row_number() OVER (PARTITION BY first_seq ORDER BY ctid)::int AS copy
  FROM counterfoil.bodies WHERE first_seq BETWEEN $1 AND $2 ORDER BY first_seq`;

/**
 * The judge's own reading of the journal, by SQL: which notifications it holds, and whether the seals
 * are one unbroken chain. It continues where it ended.
 */
export class JournalReading {
  /** Digests of the notifications that the journal holds, by their ids. */
  readonly kept = new Map<string, string[]>();
  readonly problems: string[] = [];
  #head: { number: number; lastSeq: number; hash: Uint8Array } = {
    number: 0,
    lastSeq: 0,
    hash: GENESIS_HASH,
  };

  /** Facts read so far. */
  get facts(): number {
    return this.#head.lastSeq;
  }

  async readOn(client: pg.Client): Promise<void> {
    for (;;) {
      const seals = (await client.query<SealRow>(SEALS, [this.#head.number])).rows;
      const last = seals.at(-1);
      if (last === undefined) return;
      const span = [this.#head.lastSeq + 1, last.lastSeq];
      const facts = (await client.query<FactRow>(FACTS, span)).rows;
      const blocks = (await client.query<BlockRow>(BLOCKS, span)).rows;
      const rows = rowsOf(facts, blocks);
      for (const row of rows) this.#note(row);
      this.#checkChain(seals, rows);
    }
  }

  #note({ kind, body }: JournalRow): void {
    if (kind !== 'notification' && kind !== 'quarantined') return;
    const text = Buffer.from(body).toString();
    const { id } = JSON.parse(text) as { id: string };
    this.kept.set(id, [...(this.kept.get(id) ?? []), digestOf(text)]);
  }

  #checkChain(seals: readonly SealRow[], rows: readonly JournalRow[]): void {
    const firstSeq = this.#head.lastSeq + 1;
    if (rows.some(({ seq }, index) => seq !== firstSeq + index)) {
      this.problems.push(`positions from ${firstSeq} on have gaps or occur twice`);
    }
    for (const seal of seals) {
      const { number, lastSeq, sealedAt, previousHash, hash } = seal;
      const sealed = rows.filter(({ seq }) => seq >= seal.firstSeq && seq <= lastSeq);
      const isNext = number === this.#head.number + 1 && seal.firstSeq === this.#head.lastSeq + 1;
      const isLinked = Buffer.compare(previousHash, this.#head.hash) === 0;
      const isTrue = Buffer.compare(sealHash(previousHash, { sealedAt, rows: sealed }), hash) === 0;
      if (!isNext || !isLinked || !isTrue) this.problems.push(`commit ${number} breaks the chain`);
      this.#head = { number, lastSeq, hash };
    }
  }
}

function rowsOf(facts: readonly FactRow[], blocks: readonly BlockRow[]): JournalRow[] {
  const bodies = blocks.map((block) => ({ ...block, bytes: inflateSync(block.content) }));
  let at = 0;
  return facts.map(({ bodyStart, bodyBytes, copy, ...fact }) => {
    while ((bodies[at]?.lastSeq ?? Infinity) < fact.seq) at += 1;
    const block = bodies
      .slice(at, at + 4)
      .find((one) => one.copy === copy && one.firstSeq <= fact.seq && fact.seq <= one.lastSeq);
    const body = block?.bytes.subarray(bodyStart, bodyStart + bodyBytes) ?? Buffer.from('{}');
    return { ...fact, body };
  });
}
