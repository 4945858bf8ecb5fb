import type { CloseRecord } from '../../../domain/close-record.ts';
import type { Calls, Method, Reading } from './messages.ts';
import type { Pace } from './pace.ts';
import { ReaderThread } from './reader-thread.ts';

/** Ends of a reader's thread that nobody asked for. */
type OnLost = (error: Error) => void;

type Asked<M extends Method> = (...args: Calls[M]['args']) => Promise<Calls[M]['answer']>;

/**
 * The reading side of a store on two threads, each with a connection of its own, so that no read
 * keeps the thread that takes webhooks. `look` answers what is found by a key or at the head of the
 * feed; `scan` what takes as long as the store is large, and is unhurried. A report does not make a
 * consumer wait.
 */
export class ThreadedReads implements Reading {
  readonly #look: ReaderThread;
  readonly #scan: ReaderThread;
  readonly #path: string;
  readonly #passing = new Set<ReaderThread>();

  constructor(path: string, onLost: OnLost) {
    this.#path = path;
    const started = (pace: Pace): ReaderThread => new ReaderThread({ path, pace, onLost });
    this.#look = started('prompt');
    this.#scan = started('unhurried');
  }

  readonly deposit = this.#looking('deposit');
  readonly credits = this.#looking('credits');
  readonly credit = this.#looking('credit');
  readonly feedHead = this.#looking('feedHead');
  readonly restoredAfter = this.#looking('restoredAfter');
  readonly break = this.#looking('break');
  readonly body = this.#looking('body');
  readonly movements = this.#looking('movements');
  readonly policy = this.#looking('policy');
  readonly configuredPolicy = this.#looking('configuredPolicy');
  readonly exemptions = this.#looking('exemptions');
  readonly pinnedDecimals = this.#looking('pinnedDecimals');
  readonly decimalsCorrections = this.#looking('decimalsCorrections');
  readonly reconciliation = this.#looking('reconciliation');

  readonly balances = this.#scanning('balances');
  readonly deposits = this.#scanning('deposits');
  readonly withdrawals = this.#scanning('withdrawals');
  readonly notifications = this.#scanning('notifications');
  readonly quarantine = this.#scanning('quarantine');
  readonly breaks = this.#scanning('breaks');
  readonly openBreaksOf = this.#scanning('openBreaksOf');
  readonly custodyWatermark = this.#scanning('custodyWatermark');
  readonly reconciliations = this.#scanning('reconciliations');
  readonly counts = this.#scanning('counts');
  readonly policyHistory = this.#scanning('policyHistory');
  readonly depositsToJudge = this.#scanning('depositsToJudge');
  readonly waitingDepositCount = this.#scanning('waitingDepositCount');
  readonly waitingDeposits = this.#scanning('waitingDeposits');
  readonly disputedDeposits = this.#scanning('disputedDeposits');
  readonly waitingWithdrawals = this.#scanning('waitingWithdrawals');
  readonly needsRunStep = this.#scanning('needsRunStep');
  readonly unsettledMovements = this.#scanning('unsettledMovements');
  readonly addressesOf = this.#scanning('addressesOf');
  readonly addressesChanged = this.#scanning('addressesChanged');
  readonly rotationCursor = this.#scanning('rotationCursor');
  readonly closes = this.#scanning('closes');
  readonly closedDay = this.#scanning('closedDay');
  readonly dayMovements = this.#scanning('dayMovements');
  readonly lastClose = this.#scanning('lastClose');
  readonly firstRecordedAt = this.#scanning('firstRecordedAt');
  readonly newestRecordedAt = this.#scanning('newestRecordedAt');
  readonly journalMark = this.#scanning('journalMark');
  readonly custodyReadThrough = this.#scanning('custodyReadThrough');
  readonly custodyEffects = this.#scanning('custodyEffects');
  readonly reconcilerView = this.#scanning('reconcilerView');
  readonly document = this.#scanning('document');

  /**
   * On a thread that ends with it: lists and counts need not wait until a long day is worked out.
   * Rejects when the thread does not start or ends by itself (no memory, no file descriptors):
   * nobody else needs it, and the close is tried again.
   */
  async prepareClose(record: CloseRecord): Promise<string> {
    const onLost = (): void => undefined;
    const thread = new ReaderThread({ path: this.#path, pace: 'unhurried', onLost });
    this.#passing.add(thread);
    try {
      return await thread.ask('prepareClose', [record]);
    } finally {
      this.#passing.delete(thread);
      await thread.close();
    }
  }

  /** Whether both threads are there to be asked. */
  get alive(): boolean {
    return this.#look.alive && this.#scan.alive;
  }

  async close(): Promise<void> {
    const threads = [this.#look, this.#scan, ...this.#passing];
    await Promise.all(threads.map((thread) => thread.close()));
  }

  #looking<M extends Method>(method: M): Asked<M> {
    return (...args) => this.#look.ask(method, args);
  }

  #scanning<M extends Method>(method: M): Asked<M> {
    return (...args) => this.#scan.ask(method, args);
  }
}
