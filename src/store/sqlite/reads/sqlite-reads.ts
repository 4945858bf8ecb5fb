import type { Database } from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { BreakType } from '../../../domain/break/break.ts';
import type { CloseRecord } from '../../../domain/close/record.ts';
import type { Deposit, HoldReason } from '../../../domain/deposit/deposit.ts';
import type { Movement } from '../../../domain/money/movement.ts';
import type { Withdrawal } from '../../../domain/withdrawal/withdrawal.ts';
import type { AssetId, DepositId, TransactionId } from '../../../domain/ids.ts';
import { computeDay, packDay } from '../../close/close-day.ts';
import type { DayMovementQuery } from '../../day-movement.ts';
import { pageWithin, type Page, type PageRequest } from '../../page.ts';
import type { PolicyRow, QuarantineRow, ReconciliationRow } from '../../records.ts';
import type { ComputedClose, Balance, KeptBody, StoredCredit } from '../../answers.ts';
import type {
  BalanceQuery,
  BreakQuery,
  DecisionQuery,
  DepositPageRequest,
  DepositQuery,
  DepositSearch,
  Mentioned,
  NotificationQuery,
  QuarantinePageRequest,
  WithdrawalQuery,
} from '../../queries.ts';
import type { Reads } from '../../reads.ts';
import type { StatementQuery } from '../../statement.ts';
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
  readUnsignedCloses,
} from './close/closes.ts';
import {
  readCredit,
  readCredits,
  readFeedHead,
  readFeedPage,
  readRestoredAfter,
} from './credits.ts';
import { readCounts } from './counts.ts';
import { readDecisions } from './decisions.ts';
import { readDepositLife } from './deposit-life.ts';
import { readFoundDeposits } from './deposit-search.ts';
import {
  countWaitingDeposits,
  readDeposit,
  readDeposits,
  readDepositsToJudge,
  readDisputedDeposits,
  readOldestHeld,
  readUnacknowledged,
  readWaitingDeposits,
} from './deposits.ts';
import { readDayMovements } from './close/day-movements.ts';
import { readHeldExemptions } from './breaks/exemptions.ts';
import { readTokenChanges } from './tokens.ts';
import { readPage } from './list.ts';
import { readMentions } from './mentions.ts';
import { readMovements, readUnsettledMovements } from './books/movements.ts';
import { readStatement } from './books/statement.ts';
import { readNotifications } from './notifications.ts';
import {
  readConfiguredPolicy,
  readDecimalsCorrections,
  readPinnedDecimals,
  readPolicy,
  readPolicyHistory,
} from './policy.ts';
import {
  readCustodyWatermark,
  readReconciliation,
  readReconciliations,
} from './reconciliations.ts';
import { readReconcilerView } from './breaks/reconciler-view.ts';
import { readWithdrawalLife } from './withdrawal-life.ts';
import { readWaitingWithdrawals, readWithdrawals } from './withdrawals.ts';
import { quarantineOf } from '../table/quarantine-row.ts';
import { RunRecords } from '../breaks/run-records.ts';
import type { Tables } from '../table/tables.ts';

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

  statement(query: StatementQuery, page: PageRequest) {
    return readStatement(this.#db, query, { page });
  }

  deposits(query: DepositQuery, page: PageRequest) {
    return readDeposits(this.#db, query, { ...page, keys: this.#keys });
  }

  deposit(depositId: string): Promise<Deposit | undefined> {
    return readDeposit(this.#db, depositId, this.#keys);
  }

  oldestHeld(reasons: readonly HoldReason[], limit: number) {
    return readOldestHeld(this.#db, { reasons, limit });
  }

  findDeposits(search: DepositSearch, page: DepositPageRequest) {
    return readFoundDeposits(this.#db, { search, page, keys: this.#keys });
  }

  depositLife(depositId: string) {
    return readDepositLife(this.#db, depositId, { keys: this.#keys, journal: this.#journal });
  }

  feedHead(): Promise<number> {
    return readFeedHead(this.#db);
  }

  restoredAfter(): Promise<readonly number[]> {
    return readRestoredAfter(this.#db);
  }

  credits(after: number, limit: number): Promise<readonly StoredCredit[]> {
    return readCredits(this.#db, { after, limit });
  }

  feedPage(page: PageRequest) {
    return readFeedPage(this.#db, page);
  }

  unacknowledged(limit: number) {
    return readUnacknowledged(this.#db, limit);
  }

  credit(creditId: string): Promise<StoredCredit | undefined> {
    return readCredit(this.#db, creditId);
  }

  withdrawals(query: WithdrawalQuery, page: PageRequest) {
    return readWithdrawals(this.#db, query, { ...page, keys: this.#keys });
  }

  mentions(mentioned: Mentioned, limit: number) {
    return readMentions(this.#db, mentioned, limit);
  }

  withdrawalLife(transactionId: string) {
    return readWithdrawalLife(this.#db, transactionId, this.#journal);
  }

  movements(blockchainHash: string) {
    return readMovements(this.#db, blockchainHash, this.#keys);
  }

  notifications(query: NotificationQuery, page: PageRequest) {
    return readNotifications(this.#db, query, { ...page, keys: this.#keys });
  }

  quarantine({ state, ...page }: QuarantinePageRequest) {
    const listing = { table: 'quarantine', equal: { state }, newestFirstBy: 'seq' } as const;
    return readPage(this.#db, listing, { ...page, itemOf: quarantineOf });
  }

  async quarantined(quarantineId: string): Promise<QuarantineRow | undefined> {
    const row = await this.#db
      .selectFrom('quarantine')
      .where('quarantine_id', '=', quarantineId)
      .selectAll()
      .executeTakeFirst();
    return row === undefined ? undefined : quarantineOf(row);
  }

  body(seq: number): Promise<KeptBody | undefined> {
    return this.#alone(() => this.#journal.bodyAt(seq));
  }

  decisions(query: DecisionQuery) {
    return this.#alone(() => readDecisions(this.#connection, this.#journal, query));
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

  custodyWatermark(): Promise<number | null> {
    return readCustodyWatermark(this.#db);
  }

  reconciliations(page: PageRequest) {
    return readReconciliations(this.#db, page);
  }

  reconciliation(seq: number): Promise<ReconciliationRow | undefined> {
    return readReconciliation(this.#db, seq);
  }

  closes(page: PageRequest) {
    return readCloses(this.#db, page);
  }

  unsignedCloses(limit: number) {
    return readUnsignedCloses(this.#db, limit);
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
    return readHeldExemptions(this.#db);
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

  tokenChanges() {
    return readTokenChanges(this.#db);
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
