import type { CloseRecord } from '../../domain/close/record.ts';
import type { ComputedClose, StoreCounts } from '../../store/answers.ts';
import type { Calls, Method, Reading } from './messages.ts';
import { ListReader } from './list-reader.ts';
import type { Pace } from './pace.ts';
import { ReaderThread } from './reader-thread.ts';

/** Called when a reader thread stops unexpectedly. */
type OnLost = (error: Error) => void;

type Asked<M extends Method> = (...args: Calls[M]['args']) => Promise<Calls[M]['answer']>;

/**
 * The reading port on three threads, each with its own connection, so that reads never block the
 * thread that receives webhooks.
 *
 * | thread | answers |
 * |---|---|
 * | `look` | reads by a key, and the head of the feed |
 * | `work` | reads of sweeps, closes and `/metrics`; unhurried |
 * | `lists` | lists for people; bounded (`ListReader`) |
 *
 * So a list never delays a consumer of the feed or the verification of a deposit.
 */
export class ThreadedReads implements Reading {
  readonly #look: ReaderThread;
  readonly #work: ReaderThread;
  readonly #lists: ListReader;
  readonly #path: string;
  readonly #passing = new Set<ReaderThread>();
  #counts: Promise<StoreCounts> | null = null;
  #isAlive = true;

  constructor(path: string, onLost: OnLost) {
    this.#path = path;
    const lost: OnLost = (error) => {
      this.#isAlive = false;
      onLost(error);
    };
    const started = (pace: Pace): ReaderThread => new ReaderThread({ path, pace, onLost: lost });
    this.#look = started('prompt');
    this.#work = started('unhurried');
    this.#lists = new ListReader({ started: () => started('prompt') });
  }

  readonly deposit = this.#looking('deposit');
  readonly credits = this.#looking('credits');
  readonly credit = this.#looking('credit');
  readonly feedHead = this.#looking('feedHead');
  readonly journalHead = this.#looking('journalHead');
  readonly feedRestores = this.#looking('feedRestores');
  readonly feedPage = this.#listing('feedPage');
  readonly unacknowledged = this.#listing('unacknowledged');
  readonly break = this.#listing('break');
  readonly body = this.#listing('body');
  readonly movements = this.#listing('movements');
  readonly tokenChanges = this.#looking('tokenChanges');
  readonly policy = this.#looking('policy');
  readonly configuredPolicy = this.#looking('configuredPolicy');
  readonly exemptions = this.#looking('exemptions');
  readonly pinnedDecimals = this.#looking('pinnedDecimals');
  readonly decimalsCorrections = this.#looking('decimalsCorrections');
  readonly reconciliation = this.#looking('reconciliation');

  readonly balances = this.#listing('balances');
  readonly statement = this.#listing('statement');
  readonly deposits = this.#listing('deposits');
  readonly findDeposits = this.#listing('findDeposits');
  readonly oldestHeld = this.#listing('oldestHeld');
  readonly depositLife = this.#listing('depositLife');
  readonly withdrawals = this.#listing('withdrawals');
  readonly mentions = this.#listing('mentions');
  readonly withdrawalLife = this.#listing('withdrawalLife');
  readonly notifications = this.#listing('notifications');
  readonly quarantine = this.#listing('quarantine');
  readonly quarantined = this.#looking('quarantined');
  readonly decisions = this.#listing('decisions');
  readonly breaks = this.#listing('breaks');
  readonly openBreaksOf = this.#working('openBreaksOf');
  readonly custodyWatermark = this.#working('custodyWatermark');
  readonly reconciliations = this.#listing('reconciliations');
  readonly policyHistory = this.#listing('policyHistory');
  readonly depositsToReevaluate = this.#working('depositsToReevaluate');
  readonly waitingDepositCount = this.#working('waitingDepositCount');
  readonly waitingDeposits = this.#working('waitingDeposits');
  readonly disputedDeposits = this.#working('disputedDeposits');
  readonly newestVerified = this.#working('newestVerified');
  readonly unconfirmedWithdrawals = this.#working('unconfirmedWithdrawals');
  readonly needsRunStep = this.#working('needsRunStep');
  readonly unconfirmedMovements = this.#working('unconfirmedMovements');
  readonly addressesOf = this.#working('addressesOf');
  readonly addressesChanged = this.#working('addressesChanged');
  readonly rotationCursor = this.#working('rotationCursor');
  readonly closes = this.#listing('closes');
  readonly unsignedCloses = this.#listing('unsignedCloses');
  readonly closedDay = this.#listing('closedDay');
  readonly dayMovements = this.#listing('dayMovements');
  readonly lastClose = this.#working('lastClose');
  readonly firstRecordedAt = this.#working('firstRecordedAt');
  readonly newestRecordedAt = this.#working('newestRecordedAt');
  readonly journalMark = this.#working('journalMark');
  readonly custodyReadThrough = this.#working('custodyReadThrough');
  readonly custodyEffects = this.#working('custodyEffects');
  readonly reconcilerView = this.#working('reconcilerView');
  readonly document = this.#listing('document');
  readonly table = this.#listing('table');

  /**
   * Concurrent callers share one read of the counts: anybody may request `/metrics`, and the sweep
   * uses the same thread.
   */
  counts(): Promise<StoreCounts> {
    this.#counts ??= this.#work.ask('counts', []).finally(() => {
      this.#counts = null;
    });
    return this.#counts;
  }

  /**
   * Computes a day's report on a temporary thread, so that lists and counts need not wait for it.
   * Rejects when the thread does not start or stops early (no memory, no file descriptors). No
   * other work is affected, and the close is retried.
   */
  async computeDay(record: CloseRecord, at: number): Promise<ComputedClose> {
    const onLost = (): void => undefined;
    const thread = new ReaderThread({ path: this.#path, pace: 'unhurried', onLost });
    this.#passing.add(thread);
    try {
      return await thread.ask('computeDay', [record, at]);
    } finally {
      this.#passing.delete(thread);
      await thread.close();
    }
  }

  /** Whether all threads run. */
  get alive(): boolean {
    return this.#isAlive;
  }

  async close(): Promise<void> {
    this.#isAlive = false;
    const threads = [this.#look, this.#work, this.#lists, ...this.#passing];
    await Promise.all(threads.map((thread) => thread.close()));
  }

  #looking<M extends Method>(method: M): Asked<M> {
    return (...args) => this.#look.ask(method, args);
  }

  #working<M extends Method>(method: M): Asked<M> {
    return (...args) => this.#work.ask(method, args);
  }

  #listing<M extends Method>(method: M): Asked<M> {
    return (...args) => this.#lists.ask(method, args);
  }
}
