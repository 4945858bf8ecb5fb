import type { Database } from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { BreakType } from '../../../domain/break/break.ts';
import type { CloseRecord } from '../../../domain/close/record.ts';
import type { Deposit } from '../../../domain/deposit/deposit.ts';
import type { Movement } from '../../../domain/money/movement.ts';
import type { Withdrawal } from '../../../domain/withdrawal/withdrawal.ts';
import { CreditId, type AssetId, type DepositId, type TransactionId } from '../../../domain/ids.ts';
import { storedAmount } from '../../../domain/money/amount.ts';
import { computeDay, packDay } from '../../close/close-day.ts';
import type { DayMovementQuery } from '../../day-movement.ts';
import { unpackDeposit } from '../../codec/deposit.ts';
import { pageWithin, type Page, type PageRequest } from '../../page.ts';
import type { PolicyRow, ReconciliationRow } from '../../records.ts';
import type { ComputedClose, Balance, KeptBody, StoredCredit } from '../../answers.ts';
import type {
  BalanceQuery,
  BreakQuery,
  DepositQuery,
  NotificationQuery,
  WithdrawalQuery,
} from '../../queries.ts';
import type { Reads } from '../../reads.ts';
import { SqliteCloseRecords } from '../close/close-records.ts';
import { JournalReader } from '../journal/journal-reader.ts';
import { KeyLookup } from '../keys/key-lookup.ts';
import { readAddressesChanged, readAddressesOf, readRotationCursor } from './books/addresses.ts';
import { readBalances } from './books/balances.ts';
import { readBreak, readBreaks, readOpenBreaksOf } from './breaks/breaks.ts';
import {
  readClose,
  readCloses,
  readCustodyEffects,
  readCustodyReadThrough,
  readJournalMark,
  readLastClose,
  readRecordedAt,
} from './close/closes.ts';
import { readCounts } from './counts.ts';
import {
  countWaitingDeposits,
  readDeposit,
  readDeposits,
  readDepositsToJudge,
  readDisputedDeposits,
  readWaitingDeposits,
} from './deposits.ts';
import { readDayMovements } from './close/day-movements.ts';
import { readExemptions } from './breaks/exemptions.ts';
import { readPage } from './list.ts';
import { readMovements, readUnsettledMovements } from './books/movements.ts';
import { readNotifications } from './notifications.ts';
import {
  readConfiguredPolicy,
  readDecimalsCorrections,
  readPinnedDecimals,
  readPolicy,
  readPolicyHistory,
} from './policy.ts';
import { readReconcilerView } from './breaks/reconciler-view.ts';
import { readWaitingWithdrawals } from './withdrawals.ts';
import { quarantineOf, withdrawalOf } from '../table/row.ts';
import { RunRecords } from '../breaks/run-records.ts';
import type { CreditRow, ReconciliationTableRow, Tables } from '../table/tables.ts';

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
 * The reading side of a SQLite store, on its own read-only connection (`openForReading`). Amounts
 * leave the database as text and are summed as bigint.
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

  /** Closes the connection. */
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

  body(seq: number): Promise<KeptBody | undefined> {
    return this.#alone(() => this.#journal.bodyAt(seq));
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
    // A run never moves the watermark back. The newest row is near; the highest takes a whole scan.
    const newest = await this.#db
      .selectFrom('reconciliations')
      .where('watermark', 'is not', null)
      .select('watermark')
      .orderBy('seq', 'desc')
      .limit(1)
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
    return this.#alone(() => readDayMovements(this.#connection, this.#keys, { query, page }));
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

  computeDay(record: CloseRecord, at: number): Promise<ComputedClose> {
    return this.#alone(() => {
      const closes = new SqliteCloseRecords(this.#connection, this.#keys);
      const asOf = { seq: closes.headSeq(), at };
      return { asOf, computed: packDay(computeDay(record, closes, at)) };
    });
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

  needsRunStep(until: number): Promise<boolean> {
    return this.#alone(() => this.#run.needsStep(until));
  }

  unsettledMovements(limit: number): Promise<readonly Movement[]> {
    return readUnsettledMovements(this.#db, limit);
  }

  reconcilerView(about: Parameters<Reads['reconcilerView']>[0]) {
    return readReconcilerView(this.#db, about, this.#keys);
  }

  /**
   * Runs a synchronous read as one transaction, after the reads before it. Between the rows of a
   * running read, the transaction would fail or see that read's snapshot.
   */
  #alone<Result>(read: () => Result): Promise<Result> {
    const transaction = this.#connection.transaction(read);
    return this.#db.connection().execute(() => Promise.resolve(transaction()));
  }
}
