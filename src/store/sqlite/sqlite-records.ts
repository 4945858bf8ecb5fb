import type { Database } from 'better-sqlite3';
import type { Break, BreakType, Severity } from '../../domain/break.ts';
import type { Deposit } from '../../domain/deposit.ts';
import { EMPTY_DOSSIER } from '../../domain/dossier.ts';
import type { ExemptDifference } from '../../domain/exemption.ts';
import type {
  AssetId,
  BlockchainHash,
  BreakId,
  CreditId,
  NetworkKey,
  TransactionId,
} from '../../domain/ids.ts';
import { DepositId } from '../../domain/ids.ts';
import type { Movement, MovementKey, MovementStanding } from '../../domain/movement.ts';
import type { OwnHash } from '../../domain/own-hash.ts';
import type { Withdrawal } from '../../domain/withdrawal.ts';
import type {
  CloseSource,
  ExemptionRulesRow,
  Idle,
  PolicyRow,
  QuarantineRow,
  RecordSource,
  StoredDossier,
  Touched,
} from '../records.ts';
import { breakOf } from './break-row.ts';
import { SqliteCloseRecords } from './close-records.ts';
import { ExemptionRecords } from './exemption-records.ts';
import { JournalReader } from './journal-reader.ts';
import type { KeyIndex } from './key-index.ts';
import { policyOf } from './policy-row.ts';
import { depositOf, hourOf, movementOf, ownHashOf, sightingOf, withdrawalOf } from './row.ts';
import type {
  BreakRow,
  DepositRow,
  MovementRow,
  OwnHashRow,
  PolicyTableRow,
  QuarantineTableRow,
  SightingRow,
  WithdrawalRow,
} from './tables.ts';
import type { TouchedHashes } from './touched-hashes.ts';

/** Word for word the condition of the index `deposits_idle`: the planner compares text. */
const IDLE_DEPOSIT = `(state = 'detected' OR state = 'confirming' OR state = 'verifying'
  OR (state = 'held' AND (verified_at IS NULL OR reason = 'approval_required')))`;
/** The same for `withdrawals_idle`. */
const IDLE_WITHDRAWAL = `(status IS NULL
  OR status <> 'mined' AND status <> 'failed' AND status <> 'cancelled' AND status <> 'replaced'
     AND status <> 'rolledback')`;

/**
 * Lists are ordered by ids, which grow with the journal, and never by rowid: rowids depend on how
 * facts were batched, and a replay must read every list in the same order.
 */
function statementsOf(db: Database) {
  return {
    hasId: db
      .prepare<[number, string], number>('SELECT 1 FROM notifications WHERE seq = ? AND id = ?')
      .pluck(),
    keptAside: db
      .prepare<[string, string], number>(
        'SELECT 1 FROM quarantine WHERE notification_id = ? AND digest = ?',
      )
      .pluck(),
    quarantine: db.prepare<[string], QuarantineTableRow>(
      'SELECT * FROM quarantine WHERE quarantine_id = ?',
    ),
    sightings: db.prepare<[number], SightingRow>('SELECT * FROM sightings WHERE hash_id = ?'),
    depositsByHash: db.prepare<[number], DepositRow>(
      'SELECT * FROM deposits WHERE hash_id = ? ORDER BY deposit_id',
    ),
    withdrawalsByHash: db.prepare<[number], WithdrawalRow>(
      'SELECT * FROM withdrawals WHERE hash_id = ? ORDER BY transaction_id',
    ),
    withdrawal: db.prepare<[string], WithdrawalRow>(
      'SELECT * FROM withdrawals WHERE transaction_id = ?',
    ),
    deposit: db.prepare<[number, string], DepositRow>(
      'SELECT * FROM deposits WHERE hash_id = ? AND deposit_id = ?',
    ),
    feedLength: db.prepare<[], number>('SELECT coalesce(max(feed_seq), 0) FROM credits').pluck(),
    depositOfCredit: db
      .prepare<[string], string>('SELECT deposit_id FROM credits WHERE credit_id = ?')
      .pluck(),
    acknowledgedAs: db
      .prepare<[string], string>('SELECT reference FROM acknowledgements WHERE credit_id = ?')
      .pluck(),
    depositsToJudge: db.prepare<[number], DepositRow>(
      `SELECT * FROM deposits
       WHERE credit_id IS NULL AND evidence <> 'none' AND change = 0
       ORDER BY hash_id, deposit_id LIMIT ?`,
    ),
    movement: db.prepare<[number, string, string], MovementRow>(
      'SELECT * FROM movements WHERE hash_id = ? AND vault_id = ? AND asset = ?',
    ),
    movementsAtOdds: db.prepare<[], MovementRow>(
      `SELECT * FROM movements WHERE standing IN ('differs', 'chain_only')
       ORDER BY changed_at, blockchain_hash, vault_id, asset`,
    ),
    movementCounts: db.prepare<[], { standing: MovementStanding; count: number }>(
      'SELECT standing, count FROM movement_counts',
    ),
    unresolvedBreak: db.prepare<[string], BreakRow>(
      "SELECT * FROM breaks WHERE key = ? AND state <> 'resolved'",
    ),
    unresolvedBreaks: db.prepare<[string], BreakRow>(
      `SELECT * FROM breaks WHERE type = ? AND state <> 'resolved'
       ORDER BY length(break_id), break_id`,
    ),
    break: db.prepare<[string], BreakRow>('SELECT * FROM breaks WHERE break_id = ?'),
    decimals: db.prepare<[string], number>('SELECT decimals FROM assets WHERE asset = ?').pluck(),
    policy: db.prepare<[], PolicyTableRow>('SELECT * FROM policies ORDER BY seq DESC LIMIT 1'),
  };
}

function ownHashStatementsOf(db: Database) {
  return {
    byHash: db.prepare<[number], OwnHashRow>(
      'SELECT * FROM own_hashes WHERE hash_id = ? ORDER BY transaction_id',
    ),
    byTransaction: db.prepare<[string], OwnHashRow>(
      'SELECT * FROM own_hashes WHERE transaction_id = ? ORDER BY network, blockchain_hash',
    ),
  };
}

/** What has grown old; each by an index of its own. */
function ageStatementsOf(db: Database) {
  return {
    breaksOpenedUntil: db.prepare<[string, string, number, number], BreakRow>(
      `SELECT * FROM breaks WHERE state <> 'resolved' AND severity = ? AND original_severity = ?
         AND opened_at <= ? ORDER BY opened_at, length(break_id), break_id LIMIT ?`,
    ),
    idleDeposits: db.prepare<[number, number, number], DepositRow>(
      `SELECT * FROM deposits WHERE ${IDLE_DEPOSIT} AND updated_hour <= ? AND updated_at <= ?
       ORDER BY updated_hour, hash_id, deposit_id LIMIT ?`,
    ),
    idleDepositCount: db
      .prepare<[number, number, number], number>(
        `SELECT (SELECT count(*) FROM deposits WHERE ${IDLE_DEPOSIT} AND updated_hour < ?)
           + (SELECT count(*) FROM deposits
              WHERE ${IDLE_DEPOSIT} AND updated_hour = ? AND updated_at <= ?)`,
      )
      .pluck(),
    idleWithdrawals: db.prepare<[number, number], WithdrawalRow>(
      `SELECT * FROM withdrawals WHERE ${IDLE_WITHDRAWAL} AND updated_at <= ?
       ORDER BY updated_at, transaction_id LIMIT ?`,
    ),
    idleWithdrawalCount: db
      .prepare<[number], number>(
        `SELECT count(*) FROM withdrawals WHERE ${IDLE_WITHDRAWAL} AND updated_at <= ?`,
      )
      .pluck(),
  };
}

/** Answers the bookkeeper's questions with statements compiled once. */
export class SqliteRecords implements RecordSource {
  readonly closes: CloseSource;
  readonly #journal: JournalReader;
  readonly #ask: ReturnType<typeof statementsOf>;
  readonly #own: ReturnType<typeof ownHashStatementsOf>;
  readonly #age: ReturnType<typeof ageStatementsOf>;
  readonly #exemptions: ExemptionRecords;
  readonly #keys: KeyIndex;
  readonly #touched: TouchedHashes;

  constructor(db: Database, keys: KeyIndex, touched: TouchedHashes) {
    this.#keys = keys;
    this.#touched = touched;
    this.#journal = new JournalReader(db);
    this.#exemptions = new ExemptionRecords(db);
    this.closes = new SqliteCloseRecords(db, keys, this.#journal);
    this.#ask = statementsOf(db);
    this.#own = ownHashStatementsOf(db);
    this.#age = ageStatementsOf(db);
  }

  touchedAfter(seq: number): Touched | undefined {
    return this.#touched.after(seq);
  }

  seen(id: string): number | undefined {
    return this.#keys
      .candidates('notification', id)
      .find((seq) => this.#ask.hasId.get(seq, id) !== undefined);
  }

  /** Forgets what a transaction that did not commit may have put in memory. */
  forget(): void {
    this.#journal.forget();
  }

  body(seq: number): Uint8Array | undefined {
    return this.#journal.at(seq)?.body;
  }

  keptAside(id: string, digest: string): boolean {
    return this.#ask.keptAside.get(id, digest) !== undefined;
  }

  quarantine(quarantineId: string): (QuarantineRow & { readonly body: Uint8Array }) | undefined {
    const row = this.#ask.quarantine.get(quarantineId);
    const body = row && this.body(row.seq);
    if (row === undefined || body === undefined) return undefined;
    return {
      quarantineId: row.quarantine_id,
      seq: row.seq,
      notificationId: row.notification_id,
      digest: row.digest,
      defect: row.defect,
      state: row.state as QuarantineRow['state'],
      receivedAt: row.received_at,
      retriedAt: row.retried_at,
      body,
    };
  }

  dossier(network: NetworkKey, hash: BlockchainHash): StoredDossier {
    const hashId = this.#keys.hashId({ network, blockchainHash: hash });
    if (hashId === undefined) return { ...EMPTY_DOSSIER, hashId };
    const named = { network, blockchain_hash: hash };
    return {
      hashId,
      sightings: this.#ask.sightings.all(hashId).map((row) => sightingOf({ ...row, ...named })),
      deposits: this.#ask.depositsByHash.all(hashId).map(depositOf),
      withdrawals: this.#ask.withdrawalsByHash.all(hashId).map(withdrawalOf),
      ownHashes: this.#own.byHash.all(hashId).map(ownHashOf),
    };
  }

  ownHashesOf(transactionId: TransactionId): readonly OwnHash[] {
    return this.#own.byTransaction.all(transactionId).map(ownHashOf);
  }

  withdrawal(transactionId: TransactionId): Withdrawal | undefined {
    const row = this.#ask.withdrawal.get(transactionId);
    return row && withdrawalOf(row);
  }

  deposit(depositId: DepositId): Deposit | undefined {
    for (const hashId of this.#keys.candidates('deposit', depositId)) {
      const row = this.#ask.deposit.get(hashId, depositId);
      if (row !== undefined) return depositOf(row);
    }
    return undefined;
  }

  feedLength(): number {
    return this.#ask.feedLength.get() ?? 0;
  }

  depositOfCredit(creditId: CreditId): DepositId | undefined {
    const id = this.#ask.depositOfCredit.get(creditId);
    return id === undefined ? undefined : DepositId(id);
  }

  acknowledgedAs(creditId: CreditId): string | undefined {
    return this.#ask.acknowledgedAs.get(creditId);
  }

  depositsToJudge(limit: number): readonly Deposit[] {
    return this.#ask.depositsToJudge.all(limit).map(depositOf);
  }

  movement(key: MovementKey): Movement | undefined {
    const hashId = this.#keys.hashId(key);
    if (hashId === undefined) return undefined;
    const row = this.#ask.movement.get(hashId, key.vaultId, key.asset);
    return row && movementOf(row);
  }

  movementsAtOdds(): readonly Movement[] {
    return this.#ask.movementsAtOdds.all().map(movementOf);
  }

  movementCounts(): Readonly<Record<MovementStanding, number>> {
    const counts = { agrees: 0, custody_agrees: 0, differs: 0, chain_only: 0, books_only: 0 };
    for (const { standing, count } of this.#ask.movementCounts.all()) counts[standing] = count;
    return counts;
  }

  unresolvedBreak(key: string): Break | undefined {
    const row = this.#ask.unresolvedBreak.get(key);
    return row && breakOf(row);
  }

  unresolvedBreaks(types: readonly BreakType[]): readonly Break[] {
    return types.flatMap((type) => this.#ask.unresolvedBreaks.all(type).map(breakOf));
  }

  breaksOpenedUntil(due: {
    readonly severity: Severity;
    readonly originalSeverity: Severity;
    readonly openedUntil: number;
    readonly limit: number;
  }): readonly Break[] {
    const { severity, originalSeverity, openedUntil, limit } = due;
    return this.#age.breaksOpenedUntil
      .all(severity, originalSeverity, openedUntil, limit)
      .map(breakOf);
  }

  idleDeposits(until: number, limit: number): Idle<Deposit> {
    const hour = hourOf(until);
    const oldest = this.#age.idleDeposits.all(hour, until, limit).map(depositOf);
    if (oldest.length < limit) return { oldest, total: oldest.length };
    return { oldest, total: this.#age.idleDepositCount.get(hour, hour, until) ?? 0 };
  }

  idleWithdrawals(until: number, limit: number): Idle<Withdrawal> {
    const oldest = this.#age.idleWithdrawals.all(until, limit).map(withdrawalOf);
    const total =
      oldest.length < limit ? oldest.length : (this.#age.idleWithdrawalCount.get(until) ?? 0);
    return { oldest, total };
  }

  break(breakId: BreakId): Break | undefined {
    const row = this.#ask.break.get(breakId);
    return row && breakOf(row);
  }

  pinnedDecimals(asset: AssetId): number | undefined {
    return this.#ask.decimals.get(asset);
  }

  exemptionRules(): ExemptionRulesRow | undefined {
    return this.#exemptions.rules();
  }

  exemptDifference(key: string): ExemptDifference | undefined {
    return this.#exemptions.difference(key);
  }

  exemptDifferences(): readonly ExemptDifference[] {
    return this.#exemptions.differences();
  }

  policy(): PolicyRow | undefined {
    const row = this.#ask.policy.get();
    if (row === undefined) return undefined;
    return policyOf(row);
  }
}
