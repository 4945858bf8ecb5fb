import type { CloseRecord } from '../../../domain/close-record.ts';
import type { StoreCounts } from '../../../store/reads.ts';
import type { Calls, Method, Reading } from './messages.ts';
import { ListReader } from './list-reader.ts';
import type { Pace } from './pace.ts';
import { ReaderThread } from './reader-thread.ts';

/** Ends of a reader's thread that nobody asked for. */
type OnLost = (error: Error) => void;

type Asked<M extends Method> = (...args: Calls[M]['args']) => Promise<Calls[M]['answer']>;

/**
 * The reading side of a store on three threads, each with a connection of its own, so that no read
 * keeps the thread that takes webhooks.
 *
 * | thread | answers |
 * |---|---|
 * | `look` | what is found by a key or at the head of the feed |
 * | `work` | what sweeps, closes and `/metrics` read; unhurried |
 * | `lists` | what people look at; unhurried, bounded (`ListReader`) |
 *
 * So no list makes a consumer of the feed wait, or a deposit's verification.
 */
export class ThreadedReads implements Reading {
  readonly #look: ReaderThread;
  readonly #work: ReaderThread;
  readonly #lists: ListReader;
  readonly #path: string;
  readonly #passing = new Set<ReaderThread>();
  #counts: Promise<StoreCounts> | null = null;
  #isListing = true;

  constructor(path: string, onLost: OnLost) {
    this.#path = path;
    const lost: OnLost = (error) => {
      this.#isListing = false;
      onLost(error);
    };
    const started = (pace: Pace): ReaderThread => new ReaderThread({ path, pace, onLost: lost });
    this.#look = started('prompt');
    this.#work = started('unhurried');
    this.#lists = new ListReader({ started: () => started('unhurried') });
  }

  readonly deposit = this.#looking('deposit');
  readonly credits = this.#looking('credits');
  readonly credit = this.#looking('credit');
  readonly feedHead = this.#looking('feedHead');
  readonly restoredAfter = this.#looking('restoredAfter');
  readonly break = this.#listing('break');
  readonly body = this.#listing('body');
  readonly movements = this.#listing('movements');
  readonly policy = this.#looking('policy');
  readonly configuredPolicy = this.#looking('configuredPolicy');
  readonly exemptions = this.#looking('exemptions');
  readonly pinnedDecimals = this.#looking('pinnedDecimals');
  readonly decimalsCorrections = this.#looking('decimalsCorrections');
  readonly reconciliation = this.#looking('reconciliation');

  readonly balances = this.#listing('balances');
  readonly deposits = this.#listing('deposits');
  readonly withdrawals = this.#listing('withdrawals');
  readonly notifications = this.#listing('notifications');
  readonly quarantine = this.#listing('quarantine');
  readonly breaks = this.#listing('breaks');
  readonly openBreaksOf = this.#working('openBreaksOf');
  readonly custodyWatermark = this.#working('custodyWatermark');
  readonly reconciliations = this.#listing('reconciliations');
  readonly policyHistory = this.#listing('policyHistory');
  readonly depositsToJudge = this.#working('depositsToJudge');
  readonly waitingDepositCount = this.#working('waitingDepositCount');
  readonly waitingDeposits = this.#working('waitingDeposits');
  readonly disputedDeposits = this.#working('disputedDeposits');
  readonly waitingWithdrawals = this.#working('waitingWithdrawals');
  readonly needsRunStep = this.#working('needsRunStep');
  readonly unsettledMovements = this.#working('unsettledMovements');
  readonly addressesOf = this.#working('addressesOf');
  readonly addressesChanged = this.#working('addressesChanged');
  readonly rotationCursor = this.#working('rotationCursor');
  readonly closes = this.#listing('closes');
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

  /**
   * Whoever asks while counts are read shares them: anybody may ask for `/metrics`, and the sweep waits
   * on this thread.
   */
  counts(): Promise<StoreCounts> {
    this.#counts ??= this.#work.ask('counts', []).finally(() => {
      this.#counts = null;
    });
    return this.#counts;
  }

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

  /** Whether the threads are there to be asked. */
  get alive(): boolean {
    return this.#look.alive && this.#work.alive && this.#isListing;
  }

  async close(): Promise<void> {
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
