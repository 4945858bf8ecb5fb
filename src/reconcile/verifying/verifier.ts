import type { CallOptions } from '../../custody/caller.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyRecord, CustodyTransaction } from '../../domain/custody.ts';
import { isDue, type Deposit } from '../../domain/deposit.ts';
import type { Fact } from '../../domain/fact.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import type { Submitted } from '../../store/port.ts';
import type { Reads } from '../../store/reads.ts';
import { transactionOf } from '../../translation/transaction.ts';
import { compareAll, NOTHING_ABSENT, NOTHING_WAITING, takeSnapshot } from '../all-rows.ts';
import { submitInOrder } from '../evidence-order.ts';
import type { CreditLatency } from './credit-latency.ts';
import type { CustodyChanges } from './custody-changes.ts';
import { DueDeposits, type Due } from './due-deposits.ts';

/** A round waits for the API and its budget no longer than this. */
const ROUND_MS_MAX = 30_000;

/** Waits after readings that failed, one after the other. */
const PAUSE_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;

/** Single requests per round, for deposits that the list of changes does not hold any more. */
const LOOK_UPS_MAX = 3;

/**
 * After so many rounds in a row that verified nothing, deposits that the API has never shown count as
 * made up: their rounds leave a part of the budget's burst to the others.
 */
const EMPTY_ROUNDS_MAX = 3;

/** Withdrawals that ended are asked for together. */
const GATHER_MS = 1_000;

/** Rows that changed this much before a sweep's watermark are read again when the verifier starts. */
const START_OVERLAP_MS = 300_000;

export interface VerifierOptions {
  readonly reads: Reads;
  readonly custody: CustodyClient;
  readonly changes: CustodyChanges;
  readonly latency: CreditLatency;
  /** Hands facts to the one writer; resolves when they are durable. */
  readonly submit: (facts: readonly Fact[]) => Promise<readonly Submitted[]>;
  /** Asks for a sweep: only a sweep reads a list that nobody has read before. */
  readonly wantSweep: () => void;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly graceMs: number;
}

/** Why the deposits that are due have not been verified yet. */
export type WaitReason =
  /** The request is on its way, or its turn in the budget comes soon. */
  | 'asking'
  /** The last reading brought nothing: the API or the store was away, or the budget was used up. */
  | 'reading_failed'
  /** The API did not show it yet, or not deep enough. */
  | 'not_shown'
  /** No sweep has read the list to its end yet. */
  | 'no_history';

/**
 * Verifies deposits as soon as they are due. Commits tell which deposits wait for nothing but the
 * custody API. One request then reads what changed since the last one, and everything in the answer
 * is judged at once: own outgoing transactions first, then deposits.
 *
 * Safety: a reading that is not complete verifies nothing. Own outgoing transactions are durable
 * before any deposit of the same reading is judged. Only the sweep concludes anything from what a
 * list does not hold.
 */
export class Verifier {
  readonly #options: VerifierOptions;
  readonly #due = new DueDeposits();
  #endedAtMs = Infinity;
  /** Whether the stored watermark was tried: a list too long from there is the sweep's. */
  #hasTriedWatermark = false;
  /** When the budget has room again, as far as that was found out. */
  readonly #roomAtMs = { verification: 0, 'first-sight': 0 };
  #emptyRounds = 0;
  #failures = 0;
  #notBeforeMs = 0;
  #reason: WaitReason = 'asking';

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Deposits that were due when an earlier process ended. */
  async restore(): Promise<void> {
    const { reads, now } = this.#options;
    const waiting = await reads.waitingDeposits();
    for (const deposit of waiting.filter(isDue)) {
      this.#due.put(deposit, { isKnown: this.#isKnown(deposit), nowMs: now() });
    }
  }

  /** Takes note of a commit. */
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

  /** When the next round is to begin, Unix milliseconds; null: nothing is due. */
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

  /** Asks once for whatever is due. Never throws for what the API does. */
  async round(): Promise<void> {
    const { now, changes, custody } = this.#options;
    const ready = this.#due.ready(now());
    const hasKnown = ready.some(({ isKnown }) => isKnown);
    const priority = hasKnown ? 'verification' : this.#laneOfUnknown();
    // The pace is waited for between rounds: a known deposit need not wait for an unknown one's turn.
    this.#roomAtMs[priority] = custody.roomAtMs(priority);
    if (this.#roomAtMs[priority] > now()) return;
    this.#endedAtMs = Infinity;
    if (!(await this.#isAttached())) {
      this.#options.wantSweep();
      this.#fail(ready, 'no_history');
      return;
    }
    const askedMs = now();
    const deadlineMs = askedMs + ROUND_MS_MAX;
    const list = await changes.read({ priority, deadlineMs });
    if (list.incomplete !== null) {
      this.#fail(ready, 'reading_failed');
      return;
    }
    const late = await this.#lookUp(ready, list.transactions, { priority, deadlineMs });
    this.#due.asked(ready, { askedMs, answeredMs: now() });
    const rows = changes.unverified.take();
    // A row may have been read, and judged, before the webhook of its deposit came.
    for (const row of [...changes.shown.about(subjectsOf(ready)), ...late]) {
      rows.set(row.transactionId, row);
    }
    if (!(await this.#judge(rows))) {
      changes.unverified.put(rows.values());
      this.#fail(ready, 'reading_failed');
      return;
    }
    this.#failures = 0;
    this.#reason = 'asking';
    this.#judgeUnknown(ready.filter(({ isKnown }) => !isKnown));
    this.#due.missed(ready, now());
  }

  /** Whether what the API had never shown turned out to be true. */
  #judgeUnknown(asked: readonly Due[]): void {
    const isTrue = asked.some(({ deposit }) => !this.#due.has(deposit.depositId));
    if (isTrue) this.#emptyRounds = 0;
    else if (asked.length > 0) this.#emptyRounds += 1;
  }

  #laneOfUnknown(): 'verification' | 'first-sight' {
    return this.#emptyRounds < EMPTY_ROUNDS_MAX ? 'verification' : 'first-sight';
  }

  /** Whether it is known from where to read on. At the start the last sweep's watermark says so. */
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

  /** Whether the API has shown it before: nobody who forges webhooks can make that up. */
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

  /** Compares rows with our side, and makes what follows durable. False: the store did not take all. */
  async #judge(rows: ReadonlyMap<TransactionId, CustodyTransaction>): Promise<boolean> {
    if (rows.size === 0) return true;
    const { changes } = this.#options;
    const context = { ...this.#options, others: [], withdrawals: [] };
    const snapshot = await takeSnapshot([...rows.values()], context);
    const compared = await compareAll({
      transactions: rows,
      absent: NOTHING_ABSENT,
      waiting: NOTHING_WAITING,
      snapshot,
    });
    const records = compared.flatMap((one) => one.record ?? []);
    const refusal = await submitInOrder(
      records.filter((record) => changes.shown.isCurrent(record)),
      (part) => this.#submit(part),
    );
    return refusal === null;
  }

  #submit(records: readonly CustodyRecord[]): Promise<readonly Submitted[]> {
    const at = this.#options.now();
    return this.#options.submit(
      records.map((record) => ({ kind: 'custody-record', at, record }) as const),
    );
  }

  /**
   * Asks singly for deposits that the API has shown before and whose row has not changed since, as
   * after an approval. What it never showed is not asked for: anybody can make such deposits up.
   */
  async #lookUp(
    ready: readonly Due[],
    listed: ReadonlyMap<TransactionId, CustodyTransaction>,
    options: CallOptions,
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
      if (answer.kind !== 'ok') break;
      const row = transactionOf(answer.value);
      changes.shown.see([row]);
      found.push(row);
    }
    return found;
  }
}

/** The transactions that deposits name, and the hashes of those that name none. */
function subjectsOf(ready: readonly Due[]) {
  const deposits = ready.map(({ deposit }) => deposit);
  return {
    transactionIds: new Set(deposits.flatMap(({ transactionId }) => transactionId ?? [])),
    hashes: new Set(
      deposits.flatMap((one) => (one.transactionId === null ? one.blockchainHash : [])),
    ),
  };
}
