import type { CallOptions } from '../../custody/call/caller.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import { isDue, type Deposit } from '../../domain/deposit/deposit.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import type { Submitted } from '../../store/port.ts';
import type { Reads } from '../../store/reads.ts';
import { transactionOf } from '../../translation/transaction.ts';
import {
  compareAll,
  NOTHING_ABSENT,
  NOTHING_UNCONFIRMED,
  takeSnapshot,
} from '../comparing/batch-comparison.ts';
import { FirstReadings } from '../comparing/first-readings.ts';
import { mayPrecedeRollback } from '../comparing/older-row.ts';
import { submitInOrder } from '../comparing/evidence-order.ts';
import type { CreditLatency } from './credit-latency.ts';
import type { CustodyChanges } from './custody-changes.ts';
import { DueDeposits, type Due } from './due-deposits.ts';

/** Time limit of a round, with the wait for the API and its budget. */
const ROUND_MS_MAX = 30_000;

/** Waits after consecutive failed readings. */
const PAUSE_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;

/** Most single look-ups per round, for deposits that the list of changes no longer holds. */
const LOOK_UPS_MAX = 3;

/**
 * After this many consecutive rounds that verified nothing, deposits that the API has never shown
 * count as possibly forged. Their rounds then leave a part of the budget's burst to the others.
 */
const EMPTY_ROUNDS_MAX = 3;

/** Delay after which ended withdrawals are read together. */
const GATHER_MS = 1_000;

/** Overlap at start: rows that changed this long before the sweep's watermark are read again. */
const START_OVERLAP_MS = 300_000;

export interface VerifierOptions {
  readonly reads: Reads;
  readonly custody: CustodyClient;
  readonly changes: CustodyChanges;
  readonly latency: CreditLatency;
  /** Submits facts to the writer; resolves when they are durable. */
  readonly submit: (facts: readonly Fact[]) => Promise<readonly Submitted[]>;
  /** Requests a sweep: only a sweep reads the list for the first time. */
  readonly wantSweep: () => void;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
}

/** Why due deposits are not verified yet. */
export type WaitReason =
  /** The request was sent, or the budget allows it soon. */
  | 'asking'
  /** The last reading failed: the API or the store was unavailable, or the budget was used up. */
  | 'reading_failed'
  /** The API has not shown the deposit yet, or not with enough confirmations. */
  | 'not_shown'
  /** No sweep has read the whole list yet. */
  | 'no_history';

/**
 * Verifies deposits as soon as they are due. Commits report deposits that wait only for the custody
 * API. One request then reads what changed since the last one. Everything in the answer is compared
 * at once: own outgoing transactions first, then deposits.
 *
 * Safety: an incomplete reading verifies nothing. Own outgoing transactions are durable before any
 * deposit of the same reading is compared. Only the sweep draws conclusions from missing rows.
 */
export class Verifier {
  readonly #options: VerifierOptions;
  readonly #due = new DueDeposits();
  readonly #firstReadings = new FirstReadings();
  #endedAtMs = Infinity;
  /**
   * Whether a reading from the stored watermark was tried. If that list is too long, the sweep must
   * read it.
   */
  #hasTriedWatermark = false;
  /** When the budget allows the next request, as last computed; Unix milliseconds. */
  readonly #roomAtMs = { verification: 0, 'first-sight': 0 };
  #emptyRounds = 0;
  #failures = 0;
  #notBeforeMs = 0;
  #reason: WaitReason = 'asking';

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Loads the deposits that were due when an earlier process ended. */
  async restore(): Promise<void> {
    const { reads, now } = this.#options;
    const deposits = await reads.waitingDeposits();
    for (const deposit of deposits.filter(isDue)) {
      this.#due.put(deposit, { isKnown: this.#isKnown(deposit), nowMs: now() });
    }
  }

  /** Receives the changes of a commit. */
  take({ due, fed, ended }: CommitNews): void {
    const { now, latency } = this.#options;
    const nowMs = now();
    for (const deposit of due) {
      this.#due.put(deposit, { isKnown: this.#isKnown(deposit), nowMs });
    }
    for (const { depositId, kind, at } of fed) {
      const known = this.#due.remove(depositId);
      if (kind === 'reversal') continue;
      latency.fed({ sinceMs: known?.sinceMs ?? at, asked: known?.asked ?? null, fedMs: nowMs });
    }
    if (ended.length > 0) this.#endedAtMs = Math.min(this.#endedAtMs, nowMs + GATHER_MS);
  }

  /** The start of the next round, Unix milliseconds; null: nothing is due. */
  nextRoundAtMs(): number | null {
    const { known, unknown } = this.#due.nextAtMs();
    const next = Math.min(
      Math.max(known, this.#roomAtMs.verification),
      Math.max(Math.min(unknown, this.#endedAtMs), this.#roomAtMs[this.#laneOfUnknown()]),
    );
    return next === Infinity ? null : Math.max(next, this.#notBeforeMs);
  }

  /** The deposit that has waited longest, and why. */
  oldest(): { readonly due: Due; readonly reason: WaitReason } | null {
    const due = this.#due.oldest();
    if (due === null) return null;
    return {
      due,
      reason: due.misses > 0 && this.#reason === 'asking' ? 'not_shown' : this.#reason,
    };
  }

  /** Reads once for all due deposits. API failures are handled and never thrown. */
  async round(): Promise<void> {
    const { now, changes, custody, reads } = this.#options;
    const ready = this.#due.ready(now());
    const hasKnown = ready.some(({ isKnown }) => isKnown);
    const priority = hasKnown ? 'verification' : this.#laneOfUnknown();
    // Wait for the budget between rounds: a known deposit need not wait for an unknown one.
    this.#roomAtMs[priority] = custody.roomAtMs(priority, changes.requestsExpected());
    if (this.#roomAtMs[priority] > now()) return;
    this.#endedAtMs = Infinity;
    if (!(await this.#isAttached())) {
      this.#options.wantSweep();
      this.#fail(ready, 'no_history');
      return;
    }
    const askedMs = now();
    const deadlineMs = askedMs + ROUND_MS_MAX;
    const continuation = 'continuation' as const;
    const askedAfter = await reads.journalHead();
    const list = await changes.read({ priority, continuation, deadlineMs, askedAfter });
    if (list.incomplete !== null) {
      this.#fail(ready, 'reading_failed');
      return;
    }
    const late = await this.#lookUp(ready, list.transactions, {
      priority: continuation,
      deadlineMs,
      askedAfter,
    });
    this.#due.asked(ready, { askedMs, answeredMs: now() });
    const rows = changes.take(changes.unverified);
    // A row may have been in the queue for days: a sweep has compared it, and it proves nothing now.
    for (const { type, transactionId } of rows.values()) {
      const isFresh = changes.shown.get(transactionId) !== undefined;
      if (type === 'incoming' && !isFresh) rows.delete(transactionId);
    }
    // A row may have been read and compared before the webhook of its deposit arrived.
    const deposits = ready.map(({ deposit }) => deposit);
    for (const row of [...changes.shown.about(deposits), ...late]) {
      rows.set(row.transactionId, row);
    }
    if (!(await this.#compare(rows))) {
      changes.unverified.put(rows.values());
      this.#fail(ready, 'reading_failed');
      return;
    }
    this.#failures = 0;
    this.#reason = 'asking';
    this.#countEmptyRounds(ready.filter(({ isKnown }) => !isKnown));
    this.#due.missed(ready, now());
  }

  /** Counts rounds in which no unknown deposit proved real. */
  #countEmptyRounds(asked: readonly Due[]): void {
    const isTrue = asked.some(({ deposit }) => !this.#due.has(deposit.depositId));
    if (isTrue) this.#emptyRounds = 0;
    else if (asked.length > 0) this.#emptyRounds += 1;
  }

  #laneOfUnknown(): 'verification' | 'first-sight' {
    return this.#emptyRounds < EMPTY_ROUNDS_MAX ? 'verification' : 'first-sight';
  }

  /** Whether the read position is known. After a start it comes from the last sweep's watermark. */
  async #isAttached(): Promise<boolean> {
    const { changes, reads, graceMs } = this.#options;
    if (changes.floor !== null) return true;
    if (this.#hasTriedWatermark) return false;
    const watermark = await reads.custodyWatermark();
    if (watermark === null) return false;
    this.#hasTriedWatermark = true;
    changes.attach(watermark - graceMs - START_OVERLAP_MS);
    return true;
  }

  /** Whether the API has shown the deposit before. Forged webhooks cannot cause that. */
  #isKnown(deposit: Deposit): boolean {
    if (deposit.credit !== null) return false;
    return deposit.verifiedAt !== null || this.#options.changes.shown.shows(deposit);
  }

  #fail(ready: readonly Due[], reason: WaitReason): void {
    const pauseMs = PAUSE_MS[Math.min(this.#failures, PAUSE_MS.length - 1)] ?? 0;
    this.#failures += 1;
    this.#reason = reason;
    this.#notBeforeMs = this.#options.now() + pauseMs;
    this.#due.postpone(ready, this.#notBeforeMs);
  }

  /**
   * Compares rows with our records and submits the resulting facts. False: the store did not accept
   * all.
   */
  async #compare(rows: ReadonlyMap<TransactionId, CustodyTransaction>): Promise<boolean> {
    if (rows.size === 0) return true;
    const { changes } = this.#options;
    const firstReadings = this.#firstReadings;
    const context = { ...this.#options, firstReadings, others: [], withdrawals: [] };
    const snapshot = await takeSnapshot([...rows.values()], context);
    const compared = await compareAll({
      transactions: rows,
      absent: NOTHING_ABSENT,
      unconfirmed: NOTHING_UNCONFIRMED,
      snapshot,
    });
    for (const row of rows.values()) {
      if (mayPrecedeRollback(row, snapshot)) changes.readAgain(row);
    }
    const records = compared.flatMap((one) => one.record ?? []);
    const current = changes.currentOf(records, changes.unverified);
    return (await submitInOrder(current, this.#options)) === null;
  }

  /**
   * Looks up known deposits whose row has not changed since, for example after an approval. Never
   * looks up unknown deposits: anybody can forge them.
   */
  async #lookUp(
    ready: readonly Due[],
    listed: ReadonlyMap<TransactionId, CustodyTransaction>,
    { askedAfter, ...options }: CallOptions & { askedAfter: number },
  ): Promise<CustodyTransaction[]> {
    const { custody, changes } = this.#options;
    const asked = ready.flatMap(({ isKnown, deposit }) => {
      const { transactionId, requiredConfirmations } = deposit;
      if (!isKnown || transactionId === null || listed.has(transactionId)) return [];
      const depth = changes.shown.get(transactionId)?.confirmations ?? 0;
      return depth < requiredConfirmations ? [transactionId] : [];
    });
    const found: CustodyTransaction[] = [];
    for (const transactionId of asked.slice(0, LOOK_UPS_MAX)) {
      const answer = await custody.transaction(transactionId, options);
      // A transaction that the API does not know, or fails at, must not keep the others waiting.
      if (answer.kind === 'rate-budget') break;
      if (answer.kind !== 'ok') continue;
      const row = { ...transactionOf(answer.value), askedAfter };
      changes.shown.see([row]);
      found.push(row);
    }
    return found;
  }
}
