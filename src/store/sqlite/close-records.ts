import type { Database } from 'better-sqlite3';
import { storedAmount } from '../../domain/amount.ts';
import type { Break, BreakState } from '../../domain/break.ts';
import type { OwnBy } from '../../domain/close/own-word.ts';
import type { EffectKind, SignatureRole } from '../../domain/close-record.ts';
import type { EntryCause, View } from '../../domain/entry.ts';
import {
  AssetId,
  BlockchainHash,
  firstEntryIdOf,
  NetworkKey,
  TransactionId,
  VaultId,
  type HashKey,
} from '../../domain/ids.ts';
import type { ChangeKind } from '../../domain/notification.ts';
import type { PositionLine } from '../../domain/roll-forward.ts';
import type {
  ClosedDayRow,
  CloseSource,
  CustodyEffectRow,
  DailyCloseRow,
  JournalRow,
  SealedPositions,
  SignatureRow,
} from '../records.ts';
import { breakOf } from './break-row.ts';
import { ExemptionRecords } from './exemption-records.ts';
import { PositionTotals } from './position-totals.ts';
import type {
  CloseSignatureRow,
  CustodyEffectTableRow,
  DailyCloseTableRow,
} from './close-tables.ts';
import { JournalReader } from './journal-reader.ts';
import type { BreakRow } from './tables.ts';

/** One position line of a hash, column by column: rows of a long day are not made objects twice. */
type LineRow = readonly [
  entryId: number,
  seq: number,
  view: string,
  cause: string,
  reverses: number | null,
  postedAt: number,
  vaultId: string,
  changeKind: string,
  amount: string,
  asset: string,
];

/** CROSS JOIN keeps SQLite from starting with the postings: every step goes through an index. */
const LINES = `
  SELECT e.entry_id, e.seq, e.view, e.cause, e.reverses, e.posted_at, e.vault_id, p.change_kind,
    p.amount, a.asset
  FROM entries e CROSS JOIN postings p ON p.entry_id = e.entry_id
    CROSS JOIN ledger_accounts a ON a.ledger_account = p.ledger_account
  WHERE e.hash_id = ? AND a.kind = 'position'
  ORDER BY e.entry_id, p.line`;

/** The hashes asked for, those without a number too: no fact has told of them. */
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

/** An event of a break that moves its state. */
const MOVES = "action IN ('opened', 'investigating', 'resolved')";

/** Whether a hash is an own transaction's, by each who may say so. */
function ownStatements(db: Database) {
  const ask = (sql: string) => db.prepare<[{ hashId: number }], number>(sql).pluck();
  return {
    word: ask(
      `SELECT 1 FROM withdrawals WHERE hash_id = @hashId
       UNION ALL
       SELECT 1 FROM sightings WHERE hash_id = @hashId AND stream = 'outgoing'
       LIMIT 1`,
    ),
    heeded: ask(
      `SELECT 1 FROM own_hashes
       WHERE hash_id = @hashId AND (standing = 'told' OR standing = 'confirmed') LIMIT 1`,
    ),
    confirmed: ask(
      `SELECT 1 FROM own_hashes WHERE hash_id = @hashId AND standing = 'confirmed' LIMIT 1`,
    ),
  } satisfies Record<OwnBy, unknown>;
}

function statementsOf(db: Database) {
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
    recordedAt: db
      .prepare<[number], number>('SELECT recorded_at FROM journal WHERE seq = ?')
      .pluck(),
    headSeq: db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal').pluck(),
    hashes: db.prepare<[string, number, number], [number | null, string, string]>(HASHES).raw(),
    lines: db.prepare<[number], LineRow>(LINES).raw(),
    postedAfter: db
      .prepare<[number], [string, string]>(
        'SELECT DISTINCT network, blockchain_hash FROM entries WHERE entry_id >= ?',
      )
      .raw(),
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
    signatures: db.prepare<[string], CloseSignatureRow>(
      'SELECT * FROM close_signatures WHERE day = ? ORDER BY seq',
    ),
  };
}

export function closedDayOf(row: Omit<DailyCloseTableRow, 'report'>): ClosedDayRow {
  return {
    day: row.day,
    seq: row.seq,
    timezone: row.timezone,
    cutOffAt: row.cut_off_at,
    closedAt: row.closed_at,
    throughSeq: row.through_seq,
    commitNumber: row.commit_number,
    sealHash: row.seal_hash,
    status: row.status as ClosedDayRow['status'],
    custodyCompared: row.custody_compared === 1,
    reportHash: row.report_hash,
    previousReportHash: row.previous_report_hash,
  };
}

export function dailyCloseOf(row: DailyCloseTableRow): DailyCloseRow {
  return { ...closedDayOf(row), report: row.report };
}

export function signatureOf(row: CloseSignatureRow): SignatureRow {
  return {
    day: row.day,
    seq: row.seq,
    role: row.role as SignatureRole,
    person: row.person,
    reason: row.reason,
    reportHash: row.report_hash,
    signedAt: row.signed_at,
  };
}

function effectOf(row: CustodyEffectTableRow): CustodyEffectRow {
  return {
    transactionId: TransactionId(row.transaction_id),
    vaultId: VaultId(row.vault_id),
    network: NetworkKey(row.network),
    blockchainHash: BlockchainHash(row.blockchain_hash),
    asset: AssetId(row.asset),
    amount: storedAmount(row.amount),
    kind: row.kind as EffectKind | null,
  };
}

function lineOf(row: LineRow): PositionLine {
  const [entryId, seq, view, cause, reverses, postedAt, vaultId, change, amount, asset] = row;
  return {
    entryId,
    seq,
    view: view as View,
    cause: cause as EntryCause,
    reverses,
    postedAt,
    vaultId: VaultId(vaultId),
    asset: AssetId(asset),
    change: change as ChangeKind,
    amount: storedAmount(amount),
  };
}

/** Finds the number of a hash: the writer among its keys, a reader beside it. */
interface HashIds {
  hashId(hash: HashKey): number | undefined;
}

/** Answers what closing a day asks, with statements compiled once. */
export class SqliteCloseRecords implements CloseSource {
  readonly #ask: ReturnType<typeof statementsOf>;
  readonly #keys: HashIds;
  readonly #journal: JournalReader;
  readonly #exemptions: ExemptionRecords;
  readonly #positions: PositionTotals;

  constructor(db: Database, keys: HashIds, journal = new JournalReader(db)) {
    this.#keys = keys;
    this.#journal = journal;
    this.#exemptions = new ExemptionRecords(db);
    this.#ask = statementsOf(db);
    this.#positions = new PositionTotals(db);
  }

  last(compared?: 'compared'): DailyCloseRow | undefined {
    const row = (compared === undefined ? this.#ask.last : this.#ask.lastCompared).get();
    return row && dailyCloseOf(row);
  }

  of(day: string): DailyCloseRow | undefined {
    const row = this.#ask.of.get(day);
    return row && dailyCloseOf(row);
  }

  dayOf(at: number): string | undefined {
    return this.#ask.dayOf.get(at);
  }

  journalRow(seq: number): JournalRow | undefined {
    return this.#journal.at(seq);
  }

  recordedAt(seq: number): number | undefined {
    return this.#ask.recordedAt.get(seq);
  }

  headSeq(): number {
    return this.#ask.headSeq.get() ?? 0;
  }

  *hashes(
    query: Parameters<CloseSource['hashes']>[0],
  ): Generator<HashKey & { readonly lines: readonly PositionLine[]; readonly own: boolean }> {
    const also = JSON.stringify(
      query.also.map((hash) => [
        hash.network,
        hash.blockchainHash,
        this.#keys.hashId(hash) ?? null,
      ]),
    );
    const from = firstEntryIdOf(query.afterSeq + 1);
    const to = firstEntryIdOf(query.throughSeq + 1);
    // Read whole: other statements run on this connection while a hash is worked on.
    for (const [hashId, network, hash] of this.#ask.hashes.all(also, from, to)) {
      const key = { network: NetworkKey(network), blockchainHash: BlockchainHash(hash) };
      if (hashId === null) {
        yield { ...key, lines: [], own: false };
        continue;
      }
      const own = this.#ask.own[query.ownBy].get({ hashId }) !== undefined;
      yield { ...key, lines: this.#ask.lines.all(hashId).map(lineOf), own };
    }
  }

  postedAfter(seq: number): readonly HashKey[] {
    const rows = this.#ask.postedAfter.all(firstEntryIdOf(seq + 1));
    return rows.map(([network, hash]) => ({
      network: NetworkKey(network),
      blockchainHash: BlockchainHash(hash),
    }));
  }

  positionsAt(span: { afterSeq: number; throughSeq: number }): SealedPositions {
    return this.#positions.at(span);
  }

  effectsOfHash({ network, blockchainHash }: HashKey): readonly CustodyEffectRow[] {
    return this.#ask.effectsOfHash.all(blockchainHash, network).map(effectOf);
  }

  effectsOfTransaction(transactionId: TransactionId): readonly CustodyEffectRow[] {
    return this.#ask.effectsOfTransaction.all(transactionId).map(effectOf);
  }

  breaksOfHash(hash: BlockchainHash): readonly Break[] {
    return this.#ask.breaksOfHash.all(hash).map(breakOf);
  }

  exemptions(): ReturnType<CloseSource['exemptions']> {
    return {
      differences: this.#exemptions.differences(),
      rules: this.#exemptions.rules()?.rules ?? [],
    };
  }

  breaksOpenAt(seq: number): readonly Break[] {
    return this.#ask.breaksOpenAt.all(seq, seq).map((row) => {
      const state: BreakState = row.state_then === 'opened' ? 'open' : 'investigating';
      return { ...breakOf(row), state, resolvedAt: null, resolvedBy: null, resolution: null };
    });
  }

  signatures(day: string): readonly SignatureRow[] {
    return this.#ask.signatures.all(day).map(signatureOf);
  }
}
