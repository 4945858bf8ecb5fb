import type { Database } from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { BreakType } from '../../../domain/break/break.ts';
import type { CloseRecord } from '../../../domain/close/record.ts';
import type { HoldReason } from '../../../domain/deposit/deposit.ts';
import type { AssetId, DepositId, TransactionId } from '../../../domain/ids.ts';
import type { DayMovementQuery } from '../../day-movement.ts';
import type { PageRequest } from '../../page.ts';
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
} from './deposits/credits.ts';
import { readCounts } from './counts.ts';
import { readDecisions } from './decisions.ts';
import { readDepositLife } from './deposits/deposit-life.ts';
import { readFoundDeposits } from './deposits/deposit-search.ts';
import {
  countWaitingDeposits,
  readDeposit,
  readDeposits,
  readDepositsToJudge,
  readDisputedDeposits,
  readOldestHeld,
  readUnacknowledged,
  readWaitingDeposits,
} from './deposits/deposits.ts';
import { readComputedDay } from './close/computed-day.ts';
import { readDayMovements } from './close/day-movements.ts';
import { readHeldExemptions } from './breaks/exemptions.ts';
import { readTokenChanges } from './tokens.ts';
import { readMentions } from './mentions.ts';
import { readMovements, readUnsettledMovements } from './books/movements.ts';
import { readStatement } from './books/statement.ts';
import { readNotifications } from './notifications.ts';
import { readQuarantine, readQuarantined } from './quarantine.ts';
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
import { readWithdrawalLife } from './withdrawals/withdrawal-life.ts';
import { readWaitingWithdrawals, readWithdrawals } from './withdrawals/withdrawals.ts';
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

  constructor(connection: Database, keys = new KeyLookup(connection)) {
    this.#connection = connection;
    this.#journal = new JournalReader(connection);
    this.#run = new RunRecords(connection);
    this.#keys = keys;
    this.#db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: connection }) });
  }

  /** Closes the connection. */
  close(): void {
    this.#connection.close();
  }

  balances(query: BalanceQuery, page: PageRequest) {
    return readBalances(this.#db, query, page);
  }

  statement(query: StatementQuery, page: PageRequest) {
    return readStatement(this.#db, query, { page });
  }

  deposits(query: DepositQuery, page: PageRequest) {
    return readDeposits(this.#db, query, { ...page, keys: this.#keys });
  }

  deposit(depositId: string) {
    return readDeposit(this.#db, depositId, this.#keys);
  }

  oldestHeld(reasons: readonly HoldReason[], limit: number) {
    return readOldestHeld(this.#db, { reasons, limit });
  }

  findDeposits(search: DepositSearch, page: DepositPageRequest) {
    const sources = { keys: this.#keys, journal: this.#journal };
    return readFoundDeposits(this.#db, { search, page }, sources);
  }

  depositLife(depositId: string) {
    return readDepositLife(this.#db, depositId, { keys: this.#keys, journal: this.#journal });
  }

  feedHead() {
    return readFeedHead(this.#db);
  }

  restoredAfter() {
    return readRestoredAfter(this.#db);
  }

  credits(after: number, limit: number) {
    return readCredits(this.#db, { after, limit });
  }

  feedPage(page: PageRequest) {
    return readFeedPage(this.#db, page);
  }

  unacknowledged(limit: number) {
    return readUnacknowledged(this.#db, limit);
  }

  credit(creditId: string) {
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

  quarantine(page: QuarantinePageRequest) {
    return readQuarantine(this.#db, page);
  }

  quarantined(quarantineId: string) {
    return readQuarantined(this.#db, quarantineId);
  }

  body(seq: number) {
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

  custodyWatermark() {
    return readCustodyWatermark(this.#db);
  }

  reconciliations(page: PageRequest) {
    return readReconciliations(this.#db, page);
  }

  reconciliation(seq: number) {
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

  computeDay(record: CloseRecord, at: number) {
    return this.#alone(() => readComputedDay(this.#connection, this.#keys, { record, at }));
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

  policy() {
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

  depositsToJudge(after: DepositId | null, limit: number) {
    return readDepositsToJudge(this.#db, { after, limit }, this.#keys);
  }

  pinnedDecimals() {
    return readPinnedDecimals(this.#db);
  }

  tokenChanges() {
    return readTokenChanges(this.#db);
  }

  decimalsCorrections(asset?: AssetId) {
    return readDecimalsCorrections(this.#db, asset);
  }

  waitingDepositCount() {
    return countWaitingDeposits(this.#db);
  }

  waitingDeposits() {
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

  disputedDeposits(verifiedBy: number, limit: number) {
    return readDisputedDeposits(this.#db, { verifiedBy, limit });
  }

  waitingWithdrawals(limit: number) {
    return readWaitingWithdrawals(this.#db, limit);
  }

  needsRunStep(until: number) {
    return this.#alone(() => this.#run.needsStep(until));
  }

  unsettledMovements(limit: number) {
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
