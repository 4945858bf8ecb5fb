import type { Database } from 'better-sqlite3';
import type { OwnEvidence } from '../../../domain/close/hash-origin.ts';
import type {
  CloseSignatureRow,
  CustodyEffectTableRow,
  DailyCloseTableRow,
} from '../table/rows/close-row.ts';
import type { BreakRow } from '../table/rows/break-row.ts';

/** One position line of a hash as an array: a long day would cost an object per row otherwise. */
export type LineRow = readonly [
  entryId: number,
  seq: number,
  view: string,
  cause: string,
  reverses: number | null,
  transactionId: string | null,
  postedAt: number,
  vaultId: string,
  changeKind: string,
  amount: string,
  asset: string,
];

/** CROSS JOIN fixes the order of the tables, so that every step uses an index. */
const LINES = `
  SELECT e.entry_id, e.seq, e.view, e.cause, e.reverses, e.transaction_id, e.posted_at, e.vault_id,
    p.change_kind, p.amount, a.asset
  FROM entries e CROSS JOIN postings p ON p.entry_id = e.entry_id
    CROSS JOIN ledger_accounts a ON a.ledger_account = p.ledger_account
  WHERE e.hash_id = ? AND a.kind = 'position'
  ORDER BY e.entry_id, p.line`;

/** Hashes with an entry in a range, and the named ones; a hash without facts has no number. */
const HASHES = `
  WITH named AS (
    SELECT json_extract(value, '$[0]') AS network, json_extract(value, '$[1]') AS blockchain_hash,
      json_extract(value, '$[2]') AS hash_id
    FROM json_each(?)
  )
  SELECT hash_id, network, blockchain_hash FROM hashes WHERE hash_id IN (
    SELECT hash_id FROM entries WHERE entry_id >= ? AND entry_id < ?
    UNION SELECT hash_id FROM named WHERE hash_id IS NOT NULL
  )
  UNION SELECT hash_id, network, blockchain_hash FROM named WHERE hash_id IS NULL
  ORDER BY blockchain_hash, network`;

/** The actions that change a break's state. */
const MOVES = "action IN ('opened', 'investigating', 'resolved')";

/** Whether a hash is an own transaction's, by each kind of evidence. */
function ownStatements(db: Database) {
  const ask = (sql: string) => db.prepare<[{ hashId: number }], number>(sql).pluck();
  return {
    'any-webhook': ask(
      `SELECT 1 FROM withdrawals WHERE hash_id = @hashId
       UNION ALL
       SELECT 1 FROM sightings WHERE hash_id = @hashId AND stream = 'outgoing'
       LIMIT 1`,
    ),
    unrefuted: ask(
      `SELECT 1 FROM own_hashes
       WHERE hash_id = @hashId AND (certainty = 'claimed' OR certainty = 'confirmed') LIMIT 1`,
    ),
    confirmed: ask(
      `SELECT 1 FROM own_hashes WHERE hash_id = @hashId AND certainty = 'confirmed' LIMIT 1`,
    ),
  } satisfies Record<OwnEvidence, unknown>;
}

/** Which vaults have a chain view, and which hashes may differ from it. */
function chainStatements(db: Database) {
  return {
    chainVaults: db
      .prepare<[number, number], string>(
        `SELECT DISTINCT vault_id FROM entries
         WHERE entry_id >= ? AND entry_id < ? AND view = 'chain' ORDER BY vault_id`,
      )
      .pluck(),
    hasChainView: db
      .prepare<[string], number>(
        `SELECT 1 FROM ledger_accounts AS a
         WHERE a.vault_id = ? AND a.view = 'chain' AND a.kind = 'position'
           AND EXISTS (SELECT 1 FROM position_totals AS t WHERE t.ledger_account = a.ledger_account)
         LIMIT 1`,
      )
      .pluck(),
    apartHashes: db
      .prepare<[number], [string, string]>(
        `SELECT network, blockchain_hash FROM movements WHERE agreement <> 'agrees'
         UNION SELECT network, blockchain_hash FROM entries WHERE entry_id >= ?
         UNION SELECT network, blockchain_hash FROM withdrawals
           WHERE status = 'failed' AND blockchain_hash IS NOT NULL`,
      )
      .raw(),
  };
}

/** Compiles the statements of `SqliteCloseRecords`. */
export function statementsOf(db: Database) {
  return {
    last: db.prepare<[], DailyCloseTableRow>(
      'SELECT * FROM daily_closes ORDER BY cut_off_at DESC LIMIT 1',
    ),
    lastCompared: db.prepare<[], DailyCloseTableRow>(
      `SELECT * FROM daily_closes WHERE custody_compared = 1
       ORDER BY cut_off_at DESC LIMIT 1`,
    ),
    of: db.prepare<[string], DailyCloseTableRow>('SELECT * FROM daily_closes WHERE day = ?'),
    dayOf: db
      .prepare<[number], string>(
        'SELECT day FROM daily_closes WHERE cut_off_at > ? ORDER BY cut_off_at LIMIT 1',
      )
      .pluck(),
    hashes: db.prepare<[string, number, number], [number | null, string, string]>(HASHES).raw(),
    lines: db.prepare<[number], LineRow>(LINES).raw(),
    own: ownStatements(db),
    effectsOfHash: db.prepare<[string, string], CustodyEffectTableRow>(
      `SELECT * FROM custody_effects WHERE blockchain_hash = ? AND network = ?
       ORDER BY transaction_id, asset, vault_id`,
    ),
    effectsOfTransaction: db.prepare<[string], CustodyEffectTableRow>(
      'SELECT * FROM custody_effects WHERE transaction_id = ? ORDER BY asset, vault_id',
    ),
    breaksOfHash: db.prepare<[string], BreakRow>(
      `SELECT * FROM breaks WHERE blockchain_hash = ?
       ORDER BY length(break_id), break_id`,
    ),
    break: db.prepare<[string], BreakRow>('SELECT * FROM breaks WHERE break_id = ?'),
    decimals: db.prepare<[string], number>('SELECT decimals FROM assets WHERE asset = ?').pluck(),
    breaksOpenAt: db.prepare<[number, number], BreakRow & { state_then: string }>(
      `SELECT breaks.*, (
         SELECT action FROM break_events AS event
         WHERE event.break_id = breaks.break_id AND event.seq <= ? AND ${MOVES}
         ORDER BY event.seq DESC, event.rowid DESC LIMIT 1
       ) AS state_then
       FROM breaks
       WHERE (state <> 'resolved'
           OR break_id IN (SELECT break_id FROM break_events WHERE seq > ?))
         AND state_then IN ('opened', 'investigating')
       ORDER BY length(break_id), break_id`,
    ),
    ...chainStatements(db),
    signatures: db.prepare<[string], CloseSignatureRow>(
      'SELECT * FROM close_signatures WHERE day = ? ORDER BY seq',
    ),
  };
}
