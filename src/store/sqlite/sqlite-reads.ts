import type { Database } from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { BreakType } from '../../domain/break.ts';
import type { CloseRecord } from '../../domain/close-record.ts';
import type { Deposit } from '../../domain/deposit.ts';
import type { Movement } from '../../domain/movement.ts';
import type { Withdrawal } from '../../domain/withdrawal.ts';
import { CreditId, type AssetId, type DepositId, type TransactionId } from '../../domain/ids.ts';
import { storedAmount } from '../../domain/amount.ts';
import { prepareClose } from '../close-preparation.ts';
import type { DayMovementQuery } from '../day-movement.ts';
import { unpackDeposit } from '../deposit-codec.ts';
import { pageWithin } from '../page-within.ts';
import type { PolicyRow, QuarantineRow, ReconciliationRow } from '../records.ts';
import type {
  Balance,
  BalanceQuery,
  BreakQuery,
  DepositQuery,
  KeptBody,
  NotificationQuery,
  Page,
  PageRequest,
  Reads,
  StoredCredit,
  WithdrawalQuery,
} from '../reads.ts';
import { SqliteCloseRecords } from './close-records.ts';
import { JournalReader } from './journal-reader.ts';
import { KeyLookup } from './key-lookup.ts';
import { readAddressesChanged, readAddressesOf, readRotationCursor } from './reads/addresses.ts';
import { readBalances } from './reads/balances.ts';
import { readBreak, readBreaks, readOpenBreaksOf } from './reads/breaks.ts';
import {
  readClose,
  readCloses,
  readCustodyEffects,
  readCustodyReadThrough,
  readJournalMark,
  readLastClose,
  readRecordedAt,
} from './reads/closes.ts';
import { readCounts } from './reads/counts.ts';
import {
  countWaitingDeposits,
  readDeposit,
  readDeposits,
  readDepositsToJudge,
  readDisputedDeposits,
  readWaitingDeposits,
} from './reads/deposits.ts';
import { readDayMovements } from './reads/day-movements.ts';
import { readExemptions } from './reads/exemptions.ts';
import { readPage } from './reads/list.ts';
import { readMovements, readUnsettledMovements } from './reads/movements.ts';
import { readNotifications } from './reads/notifications.ts';
import {
  readConfiguredPolicy,
  readDecimalsCorrections,
  readPinnedDecimals,
  readPolicy,
  readPolicyHistory,
} from './reads/policy.ts';
import { readReconcilerView } from './reads/reconciler-view.ts';
import { readWaitingWithdrawals } from './reads/withdrawals.ts';
import { withdrawalOf } from './row.ts';
import { RunRecords } from './run-records.ts';
import type { CreditRow, QuarantineTableRow, ReconciliationTableRow, Tables } from './tables.ts';

function creditOf(row: CreditRow): StoredCredit {
  return {
    feedSeq: row.feed_seq,
    createdAt: row.created_at,
    item: {
      creditId: CreditId(row.credit_id),
      kind: row.kind as StoredCredit['item']['kind'],
      amount: storedAmount(row.amount),
      reverses: row.reverses === null ? null : CreditId(row.reverses),
      deposit: unpackDeposit(row.deposit),
    },
  };
}

function quarantineOf(row: QuarantineTableRow): QuarantineRow {
  return {
    quarantineId: row.quarantine_id,
    seq: row.seq,
    notificationId: row.notification_id,
    digest: row.digest,
    defect: row.defect,
    state: row.state as QuarantineRow['state'],
    receivedAt: row.received_at,
    retriedAt: row.retried_at,
  };
}

function reconciliationOf(row: ReconciliationTableRow): ReconciliationRow {
  return {
    seq: row.seq,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    matched: row.matched,
    broken: row.broken,
    exempt: JSON.parse(row.exempt) as ReconciliationRow['exempt'],
    skipped: JSON.parse(row.skipped) as ReconciliationRow['skipped'],
    requests: row.requests,
    watermark: row.watermark,
    incomplete: row.incomplete,
    addresses:
      row.addresses === null ? null : (JSON.parse(row.addresses) as ReconciliationRow['addresses']),
    repairs: {
      replayed: row.replayed,
      pulledForward: row.pulled_forward,
      backfilled: row.backfilled,
    },
  };
}

/**
 * The reading side of a SQLite store, on a read-only connection of its own (`openForReading`).
 * Every call sees one snapshot; amounts leave the database as text and are summed as bigint.
 */
export class SqliteReads implements Reads {
  readonly #db: Kysely<Tables>;
  readonly #connection: Database;
  readonly #keys: KeyLookup;
  readonly #journal: JournalReader;
  readonly #run: RunRecords;

  constructor(connection: Database) {
    this.#connection = connection;
    this.#journal = new JournalReader(connection);
    this.#run = new RunRecords(connection);
    this.#keys = new KeyLookup(connection);
    this.#db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: connection }) });
  }

  close(): void {
    this.#connection.close();
  }

  async balances(query: BalanceQuery, request: PageRequest): Promise<Page<Balance>> {
    return pageWithin(await readBalances(this.#db, query), request);
  }

  deposits(query: DepositQuery, page: PageRequest) {
    return readDeposits(this.#db, query, { ...page, keys: this.#keys });
  }

  deposit(depositId: string): Promise<Deposit | undefined> {
    return readDeposit(this.#db, depositId, this.#keys);
  }

  async feedHead(): Promise<number> {
    const last = await this.#db
      .selectFrom('credits')
      .select((one) => one.fn.max('feed_seq').as('head'))
      .executeTakeFirst();
    return last?.head ?? 0;
  }

  async restoredAfter(): Promise<readonly number[]> {
    const rows = await this.#db
      .selectFrom('restores')
      .select('feed_length')
      .orderBy('seq')
      .execute();
    return rows.map((row) => row.feed_length);
  }

  async credits(after: number, limit: number): Promise<readonly StoredCredit[]> {
    const rows = await this.#db
      .selectFrom('credits')
      .where('feed_seq', '>', after)
      .selectAll()
      .orderBy('feed_seq')
      .limit(limit)
      .execute();
    return rows.map(creditOf);
  }

  /** One item of the feed by its own id, or undefined. */
  async credit(creditId: string): Promise<StoredCredit | undefined> {
    const row = await this.#db
      .selectFrom('credits')
      .where('credit_id', '=', creditId)
      .selectAll()
      .executeTakeFirst();
    return row && creditOf(row);
  }

  withdrawals(query: WithdrawalQuery, page: PageRequest) {
    const { status, vaultId, blockchainHash } = query;
    const equal = () => ({
      status,
      vault_id: vaultId,
      hash_id: this.#keys.filterOf(blockchainHash),
    });
    const listing = { table: 'withdrawals', equal, newestFirstBy: 'rowid' } as const;
    return readPage(this.#db, listing, { ...page, itemOf: withdrawalOf });
  }

  movements(blockchainHash: string) {
    return readMovements(this.#db, blockchainHash, this.#keys);
  }

  notifications(query: NotificationQuery, page: PageRequest) {
    return readNotifications(this.#db, query, { ...page, keys: this.#keys });
  }

  quarantine(page: PageRequest) {
    const listing = { table: 'quarantine', equal: {}, newestFirstBy: 'seq' } as const;
    return readPage(this.#db, listing, { ...page, itemOf: quarantineOf });
  }

  /** When no other read is under way: it would show the journal as it was when that began. */
  body(seq: number): Promise<KeptBody | undefined> {
    return this.#db.connection().execute(() => Promise.resolve(this.#journal.bodyAt(seq)));
  }

  breaks(query: BreakQuery, page: PageRequest) {
    return readBreaks(this.#db, query, page);
  }

  openBreaksOf(type: BreakType, limit: number) {
    return readOpenBreaksOf(this.#db, { type, limit });
  }

  break(breakId: string) {
    return readBreak(this.#db, breakId);
  }

  async custodyWatermark(): Promise<number | null> {
    const newest = await this.#db
      .selectFrom('reconciliations')
      .select((run) => run.fn.max('watermark').as('watermark'))
      .executeTakeFirst();
    return newest?.watermark ?? null;
  }

  reconciliations(page: PageRequest) {
    const listing = { table: 'reconciliations', equal: {}, newestFirstBy: 'seq' } as const;
    return readPage(this.#db, listing, { ...page, itemOf: reconciliationOf });
  }

  async reconciliation(seq: number): Promise<ReconciliationRow | undefined> {
    const row = await this.#db
      .selectFrom('reconciliations')
      .where('seq', '=', seq)
      .selectAll()
      .executeTakeFirst();
    return row && reconciliationOf(row);
  }

  closes(page: PageRequest) {
    return readCloses(this.#db, page);
  }

  closedDay(day: string) {
    return readClose(this.#db, day);
  }

  lastClose() {
    return readLastClose(this.#db);
  }

  dayMovements(query: DayMovementQuery, page: PageRequest) {
    const read = (): ReturnType<typeof readDayMovements> =>
      readDayMovements(this.#connection, this.#keys, { query, page });
    return Promise.resolve(this.#connection.transaction(read)());
  }

  firstRecordedAt() {
    return readRecordedAt(this.#db, 'first');
  }

  newestRecordedAt() {
    return readRecordedAt(this.#db, 'newest');
  }

  journalMark(moment: number, afterSeq: number) {
    return readJournalMark(this.#db, moment, afterSeq);
  }

  prepareClose(record: CloseRecord): Promise<string> {
    const closes = new SqliteCloseRecords(this.#connection, this.#keys);
    // One snapshot, in one go: nothing else uses the connection meanwhile.
    return Promise.resolve(this.#connection.transaction(() => prepareClose(record, closes))());
  }

  custodyReadThrough() {
    return readCustodyReadThrough(this.#db);
  }

  custodyEffects(transactionIds: readonly TransactionId[]) {
    return readCustodyEffects(this.#db, transactionIds);
  }

  counts() {
    return readCounts(this.#db);
  }

  policy(): Promise<PolicyRow | undefined> {
    return readPolicy(this.#db);
  }

  configuredPolicy() {
    return readConfiguredPolicy(this.#db);
  }

  exemptions() {
    return readExemptions(this.#db);
  }

  policyHistory(page: PageRequest) {
    return readPolicyHistory(this.#db, page);
  }

  depositsToJudge(after: DepositId | null, limit: number): Promise<readonly Deposit[]> {
    return readDepositsToJudge(this.#db, { after, limit }, this.#keys);
  }

  pinnedDecimals(): Promise<ReadonlyMap<AssetId, number>> {
    return readPinnedDecimals(this.#db);
  }

  decimalsCorrections(asset?: AssetId) {
    return readDecimalsCorrections(this.#db, asset);
  }

  waitingDepositCount(): Promise<number> {
    return countWaitingDeposits(this.#db);
  }

  waitingDeposits(): Promise<readonly Deposit[]> {
    return readWaitingDeposits(this.#db);
  }

  addressesOf(query: Parameters<Reads['addressesOf']>[0]) {
    return readAddressesOf(this.#db, query);
  }

  addressesChanged(query: Parameters<Reads['addressesChanged']>[0]) {
    return readAddressesChanged(this.#db, query);
  }

  rotationCursor() {
    return readRotationCursor(this.#db);
  }

  disputedDeposits(verifiedBy: number, limit: number): Promise<readonly Deposit[]> {
    return readDisputedDeposits(this.#db, { verifiedBy, limit });
  }

  waitingWithdrawals(limit: number): Promise<readonly Withdrawal[]> {
    return readWaitingWithdrawals(this.#db, limit);
  }

  /** When no other read is under way, as `body`. */
  needsRunStep(until: number): Promise<boolean> {
    return this.#db.connection().execute(() => Promise.resolve(this.#run.needsStep(until)));
  }

  unsettledMovements(limit: number): Promise<readonly Movement[]> {
    return readUnsettledMovements(this.#db, limit);
  }

  reconcilerView(about: Parameters<Reads['reconcilerView']>[0]) {
    return readReconcilerView(this.#db, about, this.#keys);
  }
}
