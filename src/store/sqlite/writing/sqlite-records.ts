import type { Database } from 'better-sqlite3';
import type { Break, BreakType } from '../../../domain/break/break.ts';
import type { Deposit } from '../../../domain/deposit/deposit.ts';
import { EMPTY_HASH_STATE } from '../../../domain/hash/hash-state.ts';
import type {
  AssetId,
  BlockchainHash,
  BreakId,
  CreditId,
  NetworkKey,
  TransactionId,
} from '../../../domain/ids.ts';
import { DepositId } from '../../../domain/ids.ts';
import type { Movement, MovementKey } from '../../../domain/money/movement.ts';
import type { SuspenseEntry } from '../../../domain/money/suspense.ts';
import type { OwnHash } from '../../../domain/withdrawal/own-hash.ts';
import type { Withdrawal } from '../../../domain/withdrawal/withdrawal.ts';
import type { CloseSource, RecordSource, StoredHashState } from '../../port.ts';
import type { PolicyRow, QuarantineRow, TokenChangeRow } from '../../records.ts';
import { AgeRecords } from '../breaks/age-records.ts';
import { SqliteCloseRecords } from '../close/close-records.ts';
import { ExemptionRecords } from '../breaks/exemption-records.ts';
import { JournalReader } from '../journal/journal-reader.ts';
import type { HashNumbers } from '../keys/hash-numbers.ts';
import type { KeyIndex } from '../keys/key-index.ts';
import { policyOf, type PolicyTableRow } from '../table/rows/policy-row.ts';
import { tokenChangeOf, type TokenChangeTableRow } from '../table/rows/token-row.ts';
import { RunRecords } from '../breaks/run-records.ts';
import { SuspenseRecords } from '../breaks/suspense-records.ts';
import { type DepositRow, depositOf } from '../table/rows/deposit-row.ts';
import { type MovementRow, movementOf } from '../table/rows/movement-row.ts';
import { type QuarantineTableRow, quarantineOf } from '../table/rows/quarantine-row.ts';
import { sightingOf } from '../table/rows/sighting-row.ts';
import {
  type OwnHashRow,
  type WithdrawalRow,
  ownHashOf,
  withdrawalOf,
} from '../table/rows/withdrawal-row.ts';
import { type BreakRow, breakOf } from '../table/rows/break-row.ts';
import type { SightingRow } from '../table/tables.ts';

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
    feedHistory: db.prepare<[], number>('SELECT coalesce(max(history), 0) FROM restores').pluck(),
    depositOfCredit: db
      .prepare<[string], string>('SELECT deposit_id FROM credits WHERE credit_id = ?')
      .pluck(),
    acknowledgedAs: db
      .prepare<[string], string>('SELECT reference FROM acknowledgements WHERE credit_id = ?')
      .pluck(),
    depositsToReevaluate: db.prepare<[number], DepositRow>(
      `SELECT * FROM deposits
       WHERE credit_id IS NULL AND evidence <> 'none' AND change = 0
       ORDER BY hash_id, deposit_id LIMIT ?`,
    ),
    movement: db.prepare<[number, string, string], MovementRow>(
      'SELECT * FROM movements WHERE hash_id = ? AND vault_id = ? AND asset = ?',
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
    tokenChange: db.prepare<[string], TokenChangeTableRow>(
      'SELECT * FROM token_changes WHERE name = ? ORDER BY seq DESC LIMIT 1',
    ),
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

/** Answers the bookkeeper's questions with statements compiled once. */
export class SqliteRecords implements RecordSource {
  readonly run: RunRecords;
  readonly ages: AgeRecords;
  readonly exemptions: ExemptionRecords;
  readonly closes: CloseSource;
  readonly #journal: JournalReader;
  readonly #ask: ReturnType<typeof statementsOf>;
  readonly #own: ReturnType<typeof ownHashStatementsOf>;
  readonly #suspense: SuspenseRecords;
  readonly #keys: KeyIndex;
  readonly #hashes: HashNumbers;

  constructor(db: Database, keys: KeyIndex, hashes: HashNumbers) {
    this.#keys = keys;
    this.#hashes = hashes;
    this.#journal = new JournalReader(db);
    this.exemptions = new ExemptionRecords(db);
    this.run = new RunRecords(db);
    this.#suspense = new SuspenseRecords(db);
    this.closes = new SqliteCloseRecords(db, keys, this.#journal);
    this.#ask = statementsOf(db);
    this.#own = ownHashStatementsOf(db);
    this.ages = new AgeRecords(db);
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
    return { ...quarantineOf(row), body };
  }

  hashState(network: NetworkKey, hash: BlockchainHash): StoredHashState {
    const hashId = this.#hashes.find({ network, blockchainHash: hash });
    if (hashId === undefined) return { ...EMPTY_HASH_STATE, isStored: false };
    const named = { network, blockchain_hash: hash };
    return {
      isStored: true,
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

  feedHistory(): number {
    return this.#ask.feedHistory.get() ?? 0;
  }

  depositOfCredit(creditId: CreditId): DepositId | undefined {
    const id = this.#ask.depositOfCredit.get(creditId);
    return id === undefined ? undefined : DepositId(id);
  }

  acknowledgedAs(creditId: CreditId): string | undefined {
    return this.#ask.acknowledgedAs.get(creditId);
  }

  depositsToReevaluate(limit: number): readonly Deposit[] {
    return this.#ask.depositsToReevaluate.all(limit).map(depositOf);
  }

  movement(key: MovementKey): Movement | undefined {
    const hashId = this.#hashes.find(key);
    if (hashId === undefined) return undefined;
    const row = this.#ask.movement.get(hashId, key.vaultId, key.asset);
    return row && movementOf(row);
  }

  suspenseEntriesOf(key: MovementKey): readonly SuspenseEntry[] {
    const hashId = this.#hashes.find(key);
    return hashId === undefined ? [] : this.#suspense.entriesOf(hashId, key);
  }

  unresolvedBreak(key: string): Break | undefined {
    const row = this.#ask.unresolvedBreak.get(key);
    return row && breakOf(row);
  }

  unresolvedBreaks(types: readonly BreakType[]): readonly Break[] {
    return types.flatMap((type) => this.#ask.unresolvedBreaks.all(type).map(breakOf));
  }

  break(breakId: BreakId): Break | undefined {
    const row = this.#ask.break.get(breakId);
    return row && breakOf(row);
  }

  tokenChange(name: string): TokenChangeRow | undefined {
    const row = this.#ask.tokenChange.get(name);
    return row && tokenChangeOf(row);
  }

  pinnedDecimals(asset: AssetId): number | undefined {
    return this.#ask.decimals.get(asset);
  }

  policy(): PolicyRow | undefined {
    const row = this.#ask.policy.get();
    return row && policyOf(row);
  }
}
