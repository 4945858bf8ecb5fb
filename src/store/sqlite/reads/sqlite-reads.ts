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
  readJournalHead,
  readRecordedAt,
  readUnsignedCloses,
} from './close/closes.ts';
import {
  readCredit,
  readCredits,
  readFeedHead,
  readFeedPage,
  readFeedRestores,
} from './deposits/credits.ts';
import { readCounts } from './counts.ts';
import { readDecisions } from './decisions.ts';
import { readDepositLife } from './deposits/deposit-life.ts';
import { readFoundDeposits } from './deposits/deposit-search.ts';
import {
  countWaitingDeposits,
  readDeposit,
  readDeposits,
  readDepositsToReevaluate,
  readDisputedDeposits,
  readNewestVerified,
  readOldestHeld,
  readUnacknowledged,
  readWaitingDeposits,
} from './deposits/deposits.ts';
import { readComputedDay } from './close/computed-day.ts';
import { readDayMovements } from './close/day-movements.ts';
import { readHeldExemptions } from './breaks/exemptions.ts';
import { readTokenChanges } from './tokens.ts';
import { readMentions } from './mentions.ts';
import { readMovements, readUnconfirmedMovements } from './books/movements.ts';
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
import { readUnconfirmedWithdrawals, readWithdrawals } from './withdrawals/withdrawals.ts';
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

  readonly balances = (query: BalanceQuery, page: PageRequest) =>
    readBalances(this.#db, query, page);
  readonly statement = (query: StatementQuery, page: PageRequest) =>
    readStatement(this.#db, query, { page });
  readonly deposits = (query: DepositQuery, page: PageRequest) =>
    readDeposits(this.#db, query, { ...page, keys: this.#keys });
  readonly deposit = (depositId: string) => readDeposit(this.#db, depositId, this.#keys);
  readonly oldestHeld = (reasons: readonly HoldReason[], limit: number) =>
    readOldestHeld(this.#db, { reasons, limit });
  readonly findDeposits = (search: DepositSearch, page: DepositPageRequest) =>
    readFoundDeposits(this.#db, { search, page }, { keys: this.#keys, journal: this.#journal });
  readonly depositLife = (depositId: string) =>
    readDepositLife(this.#db, depositId, { keys: this.#keys, journal: this.#journal });
  readonly feedHead = () => readFeedHead(this.#db);
  readonly journalHead = () => readJournalHead(this.#db);
  readonly feedRestores = () => readFeedRestores(this.#db);
  readonly credits = (after: number, limit: number) => readCredits(this.#db, { after, limit });
  readonly feedPage = (page: PageRequest) => readFeedPage(this.#db, page);
  readonly unacknowledged = (limit: number) => readUnacknowledged(this.#db, limit);
  readonly credit = (creditId: string) => readCredit(this.#db, creditId);
  readonly withdrawals = (query: WithdrawalQuery, page: PageRequest) =>
    readWithdrawals(this.#db, query, { ...page, keys: this.#keys });
  readonly mentions = (mentioned: Mentioned, limit: number) =>
    readMentions(this.#db, mentioned, limit);
  readonly withdrawalLife = (transactionId: string) =>
    readWithdrawalLife(this.#db, transactionId, this.#journal);
  readonly movements = (blockchainHash: string) =>
    readMovements(this.#db, blockchainHash, this.#keys);
  readonly notifications = (query: NotificationQuery, page: PageRequest) =>
    readNotifications(this.#db, query, { ...page, keys: this.#keys });
  readonly quarantine = (page: QuarantinePageRequest) => readQuarantine(this.#db, page);
  readonly quarantined = (quarantineId: string) => readQuarantined(this.#db, quarantineId);
  readonly body = (seq: number) => this.#alone(() => this.#journal.bodyAt(seq));
  readonly decisions = (query: DecisionQuery) =>
    this.#alone(() => readDecisions(this.#connection, this.#journal, query));
  readonly breaks = (query: BreakQuery, page: PageRequest) => readBreaks(this.#db, query, page);
  readonly openBreaksOf = (type: BreakType, limit: number) =>
    readOpenBreaksOf(this.#db, { type, limit });
  readonly break = (breakId: string) => readBreak(this.#db, breakId);
  readonly custodyWatermark = () => readCustodyWatermark(this.#db);
  readonly reconciliations = (page: PageRequest) => readReconciliations(this.#db, page);
  readonly reconciliation = (seq: number) => readReconciliation(this.#db, seq);
  readonly closes = (page: PageRequest) => readCloses(this.#db, page);
  readonly unsignedCloses = (limit: number) => readUnsignedCloses(this.#db, limit);
  readonly closedDay = (day: string) => readClose(this.#db, day);
  readonly lastClose = () => readLastClose(this.#db);
  readonly dayMovements = (query: DayMovementQuery, page: PageRequest) =>
    this.#alone(() => readDayMovements(this.#connection, this.#keys, { query, page }));
  readonly firstRecordedAt = () => readRecordedAt(this.#db, 'first');
  readonly newestRecordedAt = () => readRecordedAt(this.#db, 'newest');
  readonly journalMark = (moment: number, afterSeq: number) =>
    readJournalMark(this.#db, this.#journal, { moment, afterSeq });
  readonly computeDay = (record: CloseRecord, at: number) =>
    this.#alone(() => {
      const from = { keys: this.#keys, journal: this.#journal };
      return readComputedDay(this.#connection, from, { record, at });
    });
  readonly custodyReadThrough = () => readCustodyReadThrough(this.#db);
  readonly custodyEffects = (transactionIds: readonly TransactionId[]) =>
    readCustodyEffects(this.#db, transactionIds);
  readonly counts = () => readCounts(this.#db);
  readonly policy = () => readPolicy(this.#db);
  readonly configuredPolicy = () => readConfiguredPolicy(this.#db);
  readonly exemptions = () => readHeldExemptions(this.#db);
  readonly policyHistory = (page: PageRequest) => readPolicyHistory(this.#db, page);
  readonly depositsToReevaluate = (after: DepositId | null, limit: number) =>
    readDepositsToReevaluate(this.#db, { after, limit }, this.#keys);
  readonly pinnedDecimals = () => readPinnedDecimals(this.#db);
  readonly tokenChanges = () => readTokenChanges(this.#db);
  readonly decimalsCorrections = (asset?: AssetId) => readDecimalsCorrections(this.#db, asset);
  readonly waitingDepositCount = () => countWaitingDeposits(this.#db);
  readonly waitingDeposits = () => readWaitingDeposits(this.#db);
  readonly addressesOf = (query: Parameters<Reads['addressesOf']>[0]) =>
    readAddressesOf(this.#db, query);
  readonly addressesChanged = (query: Parameters<Reads['addressesChanged']>[0]) =>
    readAddressesChanged(this.#db, query);
  readonly rotationCursor = () => readRotationCursor(this.#db);
  readonly disputedDeposits = (verifiedBy: number, limit: number) =>
    readDisputedDeposits(this.#db, { verifiedBy, limit });
  readonly newestVerified = (limit: number) => readNewestVerified(this.#db, limit);
  readonly unconfirmedWithdrawals = (limit: number) => readUnconfirmedWithdrawals(this.#db, limit);
  readonly needsRunStep = (until: number) => this.#alone(() => this.#run.needsStep(until));
  readonly unconfirmedMovements = (limit: number) => readUnconfirmedMovements(this.#db, limit);
  readonly reconcilerView = (about: Parameters<Reads['reconcilerView']>[0]) =>
    readReconcilerView(this.#db, about, this.#keys);
  /**
   * Runs a synchronous read as one transaction, after the reads before it. Between the rows of a
   * running read, the transaction would fail or see that read's snapshot.
   */
  #alone<Result>(read: () => Result): Promise<Result> {
    const transaction = this.#connection.transaction(read);
    return this.#db.connection().execute(() => Promise.resolve(transaction()));
  }
}
