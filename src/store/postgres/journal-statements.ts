import type { BlockColumns, DayColumns, FactColumns, SealColumns } from './commit-rows.ts';
import type { Statement } from './connection/session.ts';
import { NO_PROOF, type NoProof } from './connection/standby-proof.ts';

// The statements of the shared journal. Each is prepared once per session. The lease follows
// clock_timestamp(): now() would be the time before a wait for the row's lock.

/**
 * No program asks for a longer lease: receivers for 1 to 60 seconds, commands for 30. One that ends
 * later was written by a primary whose clock was ahead of the present one's.
 */
export const LEASE_SECONDS_MAX = 60;

/**
 * Whether the owner's lease is valid. A lease beyond the longest is not: otherwise nobody could own the
 * journal until the new primary's clock has caught up. The epoch fences the owner whose lease it was.
 */
export const IS_LEASED = `lease_until > clock_timestamp()
  AND lease_until <= clock_timestamp() + interval '${LEASE_SECONDS_MAX} seconds'`;

/**
 * $1 name, $2 URL, $3 process, $4 seconds of the lease, $5 standby required. No row: another
 * receiver's lease is valid, or an append would be refused. An owner that cannot append would only
 * keep others waiting. An owner reports nothing while it owns, so its lease's end becomes its last
 * sign of life when another receiver takes over.
 */
export const ACQUIRE: Statement<{ epoch: number }> = {
  name: 'acquire',
  text: `WITH before AS (
      SELECT owner, least(lease_until, clock_timestamp()) AS until, commit_number, last_seq
      FROM ownership
    ), acquired AS (
      UPDATE ownership SET owner = $1, url = $2, process = $3, epoch = epoch + 1,
        lease_until = clock_timestamp() + make_interval(secs => $4)
      WHERE (process = $3 OR NOT (${IS_LEASED})) AND (NOT $5::boolean OR (${NO_PROOF}) IS NULL)
      RETURNING epoch
    ), former AS (
      UPDATE receivers SET seen_at = until, commit_number = before.commit_number,
        last_seq = before.last_seq
      FROM before, acquired
      WHERE name = before.owner AND name <> $1 AND seen_at < until
    ) SELECT epoch FROM acquired`,
};

/**
 * $1 process, $2 epoch, $3 seconds of the lease; $4 commit and $5 hash of the owner's head. No row:
 * another receiver has taken the ownership, or a failover has lost the head.
 */
export const RENEW: Statement<{ epoch: number }> = {
  name: 'renew',
  text: `UPDATE ownership SET lease_until = clock_timestamp() + make_interval(secs => $3)
    WHERE process = $1 AND epoch = $2 AND commit_number = $4 AND head_hash = $5 RETURNING epoch`,
};

/** $1 process, $2 epoch; NULL: whichever the process has. */
export const RELEASE: Statement<object> = {
  name: 'release',
  text: `UPDATE ownership SET lease_until = clock_timestamp()
    WHERE process = $1 AND ($2::bigint IS NULL OR epoch = $2)`,
};

export const OWNER: Statement<{
  name: string | null;
  url: string | null;
  epoch: number;
  isLeased: boolean;
}> = {
  name: 'owner',
  text: `SELECT owner AS name, url, epoch, ${IS_LEASED} AS "isLeased" FROM ownership`,
};

/** What an append has done. `noProof`: why no standby could prove it. */
export interface AppendRow {
  readonly fenced: number;
  readonly facts: number;
  readonly noProof: NoProof | null;
}

/** What holds for the row of an owner who may append: $1 process, $2 epoch, $3 standby required. */
const MAY_APPEND = `process = $1 AND epoch = $2
  AND (NOT $3::boolean OR (${NO_PROOF}) IS NULL)`;

/**
 * Appends one commit: the fence, then everything else joined with it, so that nothing is written
 * unless the fence holds. $4 seconds of the lease; $5 commit, $6 first and $7 last position, $8 time,
 * $9 previous hash and $10 hash of the seal; then arrays: $11 to $15 of the facts, $16 to $19 of the
 * blocks, $20 and $21 of the computed days.
 */
export const APPEND: Statement<AppendRow> = {
  name: 'append',
  text: `WITH fence AS (
      UPDATE ownership SET commit_number = $5, last_seq = $7, head_hash = $10,
        lease_until = clock_timestamp() + make_interval(secs => $4)
      WHERE ${MAY_APPEND} AND commit_number = $5 - 1 AND last_seq = $6 - 1 AND head_hash = $9
      RETURNING commit_number
    ), facts AS (
      INSERT INTO journal (seq, kind, recorded_at, detail, body_start, body_bytes)
      SELECT $6 - 1 + fact.ordinal, fact.kind, fact.recorded_at, fact.detail, fact.start, fact.bytes
      FROM fence, unnest($11::text[], $12::bigint[], $13::bytea[], $14::int[], $15::int[])
        WITH ORDINALITY AS fact (kind, recorded_at, detail, start, bytes, ordinal)
      RETURNING 1
    ), blocks AS (
      INSERT INTO bodies (first_seq, last_seq, bytes, content)
      SELECT block.* FROM fence, unnest($16::bigint[], $17::bigint[], $18::int[], $19::bytea[])
        AS block (first_seq, last_seq, bytes, content)
    ), days AS (
      INSERT INTO computed_days (seq, packed)
      SELECT day.* FROM fence, unnest($20::bigint[], $21::bytea[]) AS day (seq, packed)
    ), seal AS (
      INSERT INTO seals (commit_number, first_seq, last_seq, sealed_at, previous_hash, hash)
      SELECT $5, $6, $7, $8, $9, $10 FROM fence
    )
    SELECT (SELECT count(*) FROM fence)::int AS fenced, (SELECT count(*) FROM facts)::int AS facts,
      ${NO_PROOF} AS "noProof"`,
};

/** Confirms repeats with a write. $4 seconds of the lease; $5 commit and $6 hash of the owner's head. */
export const CONFIRM_REPEATS: Statement<AppendRow> = {
  name: 'confirm-repeats',
  text: `WITH fence AS (
      UPDATE ownership SET confirmations = confirmations + 1,
        lease_until = clock_timestamp() + make_interval(secs => $4)
      WHERE ${MAY_APPEND} AND commit_number = $5 AND head_hash = $6 RETURNING 1
    )
    SELECT (SELECT count(*) FROM fence)::int AS fenced, 0 AS facts, ${NO_PROOF} AS "noProof"`,
};

/** The seal $1 and up to $2 that follow it, each with the unpacked size of its bodies. */
export const SEALS: Statement<SealColumns & { readonly bytes: number }> = {
  name: 'seals',
  text: `SELECT commit_number AS "commitNumber", first_seq AS "firstSeq", last_seq AS "lastSeq",
      sealed_at AS "sealedAt", previous_hash AS "previousHash", hash,
      (SELECT coalesce(sum(bytes), 0)::bigint FROM bodies
        WHERE bodies.first_seq BETWEEN seals.first_seq AND seals.last_seq) AS bytes
    FROM seals WHERE commit_number BETWEEN $1 AND $1 + $2::bigint ORDER BY commit_number`,
};

/** The newest commit. */
export const HEAD: Statement<{ commitNumber: number; lastSeq: number; hash: Uint8Array }> = {
  name: 'head',
  text: `SELECT commit_number AS "commitNumber", last_seq AS "lastSeq", head_hash AS hash
    FROM ownership`,
};

/** $1 first and $2 last position. */
export const FACTS: Statement<FactColumns> = {
  name: 'facts',
  text: `SELECT seq, kind, recorded_at AS "recordedAt", detail, body_start AS "bodyStart",
      body_bytes AS "bodyBytes"
    FROM journal WHERE seq BETWEEN $1 AND $2 ORDER BY seq`,
};

/** $1 first and $2 last position: a block never holds facts of two commits. */
export const BLOCKS: Statement<BlockColumns> = {
  name: 'blocks',
  text: `SELECT first_seq AS "firstSeq", last_seq AS "lastSeq", bytes, content
    FROM bodies WHERE first_seq BETWEEN $1 AND $2 ORDER BY first_seq`,
};

/** $1 first and $2 last position. */
export const DAYS: Statement<DayColumns> = {
  name: 'days',
  text: 'SELECT seq, packed FROM computed_days WHERE seq BETWEEN $1 AND $2 ORDER BY seq',
};

/** $1 name, $2 URL, $3 process, $4 version, $5 commit and $6 position of the replica's head. */
export const REPORT_RECEIVER: Statement<object> = {
  name: 'report-receiver',
  text: `INSERT INTO receivers (name, url, process, version, seen_at, commit_number, last_seq)
    VALUES ($1, $2, $3, $4, clock_timestamp(), $5, $6)
    ON CONFLICT (name) DO UPDATE SET url = excluded.url, process = excluded.process,
      version = excluded.version, seen_at = excluded.seen_at,
      commit_number = excluded.commit_number, last_seq = excluded.last_seq`,
};
