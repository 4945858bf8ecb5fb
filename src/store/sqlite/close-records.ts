import type { Database } from 'better-sqlite3';
import { storedAmount } from '../../domain/amount.ts';
import type { Break, BreakState } from '../../domain/break.ts';
import type { SignatureRole } from '../../domain/close-record.ts';
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
  CloseSource,
  CustodyEffectRow,
  DailyCloseRow,
  JournalRow,
  SignatureRow,
} from '../records.ts';
import { breakOf } from './break-row.ts';
import type { KeyIndex } from './key-index.ts';
import type {
  CloseSignatureRow,
  CustodyEffectTableRow,
  DailyCloseTableRow,
} from './close-tables.ts';
import type { BreakRow, JournalTableRow } from './tables.ts';

/** One position line of a hash; all but the hash is null where it has none. */
interface LineRow {
  readonly network: string;
  readonly blockchain_hash: string;
  readonly entry_id: number | null;
  readonly seq: number;
  readonly view: string;
  readonly cause: string;
  readonly reverses: number | null;
  readonly posted_at: number;
  readonly vault_id: string;
  readonly change_kind: string;
  readonly amount: string;
  readonly asset: string;
}

/**
 * The hashes asked for with all their lines. CROSS JOIN keeps SQLite from starting with the
 * postings: from the hashes, every step goes through an index.
 */
const LINES = `
  WITH asked AS (
    SELECT network, blockchain_hash, hash_id FROM entries WHERE entry_id >= ? AND entry_id < ?
    UNION
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
    FROM json_each(?)
  ), lines AS (
    SELECT e.network, e.blockchain_hash, e.entry_id, e.seq, e.view, e.cause, e.reverses,
      e.posted_at, e.vault_id, p.line, p.change_kind, p.amount, a.asset
    FROM asked CROSS JOIN entries e ON e.hash_id = asked.hash_id
      CROSS JOIN postings p ON p.entry_id = e.entry_id
      CROSS JOIN ledger_accounts a ON a.ledger_account = p.ledger_account
    WHERE a.kind = 'position'
  )
  SELECT asked.network, asked.blockchain_hash, entry_id, seq, view, cause, reverses, posted_at,
    vault_id, change_kind, amount, asset
  FROM asked LEFT JOIN lines USING (network, blockchain_hash)
  ORDER BY asked.blockchain_hash, asked.network, entry_id, line`;

/** An event of a break that moves its state. */
const MOVES = "action IN ('opened', 'investigating', 'resolved')";

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
    journalRow: db.prepare<[number], JournalTableRow>('SELECT * FROM journal WHERE seq = ?'),
    recordedAt: db
      .prepare<[number], number>('SELECT recorded_at FROM journal WHERE seq = ?')
      .pluck(),
    lines: db.prepare<[number, number, string], LineRow>(LINES),
    isOwn: db
      .prepare<[number, number], number>(
        `SELECT 1 FROM withdrawals WHERE hash_id = ?
         UNION ALL
         SELECT 1 FROM sightings WHERE hash_id = ? AND stream = 'outgoing'
         LIMIT 1`,
      )
      .pluck(),
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

export function dailyCloseOf(row: DailyCloseTableRow): DailyCloseRow {
  return {
    day: row.day,
    seq: row.seq,
    timezone: row.timezone,
    cutOffAt: row.cut_off_at,
    closedAt: row.closed_at,
    throughSeq: row.through_seq,
    commitNumber: row.commit_number,
    sealHash: row.seal_hash,
    status: row.status as DailyCloseRow['status'],
    custodyCompared: row.custody_compared === 1,
    report: row.report,
    reportHash: row.report_hash,
    previousReportHash: row.previous_report_hash,
  };
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
  };
}

function lineOf(row: LineRow & { readonly entry_id: number }): PositionLine {
  return {
    entryId: row.entry_id,
    seq: row.seq,
    view: row.view as View,
    cause: row.cause as EntryCause,
    reverses: row.reverses,
    postedAt: row.posted_at,
    vaultId: VaultId(row.vault_id),
    asset: AssetId(row.asset),
    change: row.change_kind as ChangeKind,
    amount: storedAmount(row.amount),
  };
}

/** Answers what closing a day asks, with statements compiled once. */
export class SqliteCloseRecords implements CloseSource {
  readonly #ask: ReturnType<typeof statementsOf>;
  readonly #keys: KeyIndex;

  constructor(db: Database, keys: KeyIndex) {
    this.#keys = keys;
    this.#ask = statementsOf(db);
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
    const row = this.#ask.journalRow.get(seq);
    if (row === undefined) return undefined;
    const { kind, recorded_at: recordedAt, detail, body } = row;
    return { seq, kind: kind as JournalRow['kind'], recordedAt, detail, body };
  }

  recordedAt(seq: number): number | undefined {
    return this.#ask.recordedAt.get(seq);
  }

  *hashes(query: {
    afterSeq: number;
    throughSeq: number;
    also: readonly HashKey[];
  }): Generator<HashKey & { readonly lines: readonly PositionLine[] }> {
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
    let open: (HashKey & { readonly lines: PositionLine[] }) | undefined;
    for (const row of this.#ask.lines.all(from, to, also)) {
      const network = NetworkKey(row.network);
      const blockchainHash = BlockchainHash(row.blockchain_hash);
      if (open?.blockchainHash !== blockchainHash || open.network !== network) {
        if (open !== undefined) yield open;
        open = { network, blockchainHash, lines: [] };
      }
      const { entry_id: entryId } = row;
      if (entryId !== null) open.lines.push(lineOf({ ...row, entry_id: entryId }));
    }
    if (open !== undefined) yield open;
  }

  isOwnHash(hash: HashKey): boolean {
    const hashId = this.#keys.hashId(hash);
    return hashId !== undefined && this.#ask.isOwn.get(hashId, hashId) !== undefined;
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
