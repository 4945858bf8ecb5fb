import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { DepositId } from '../../domain/ids.ts';

/**
 * Delay of the first request: webhooks of neighbouring deposits arrive within this time, and one
 * request answers for all.
 */
const GATHER_MS = 150;

/** Waits before further requests for one deposit. After the last one the sweep takes over. */
const RETRY_MS = [2_000, 8_000, 30_000] as const;

/** Most deposits due at a time; the sweep verifies the others. */
const DUE_MAX = 100_000;

/** A deposit that waits for the custody API's confirmation. Times are Unix milliseconds. */
export interface Due {
  readonly deposit: Deposit;
  /** The API has shown the deposit before, so it is not forged. */
  readonly isKnown: boolean;
  /** When only the API's confirmation was missing. */
  readonly sinceMs: number;
  readonly askAtMs: number;
  /** Number of readings that did not confirm the deposit. */
  readonly misses: number;
  /** The last reading made for this deposit. */
  readonly asked: { readonly askedMs: number; readonly answeredMs: number } | null;
}

/** The deposits that are due, with the time of each next request. */
export class DueDeposits {
  readonly #due = new Map<DepositId, Due>();

  has(depositId: DepositId): boolean {
    return this.#due.has(depositId);
  }

  /** Adds a deposit. One that is due already keeps its time and gets the new data. */
  put(deposit: Deposit, { isKnown, nowMs }: { isKnown: boolean; nowMs: number }): void {
    const before = this.#due.get(deposit.depositId);
    if (before !== undefined && before.deposit.epoch === deposit.epoch) {
      this.#due.set(deposit.depositId, { ...before, deposit, isKnown });
      return;
    }
    if (this.#due.size >= DUE_MAX) return;
    const askAtMs = nowMs + GATHER_MS;
    const due = { deposit, isKnown, sinceMs: nowMs, askAtMs, misses: 0, asked: null };
    this.#due.set(deposit.depositId, due);
  }

  /** Removes a deposit: its credit or its reversal is in the feed. */
  remove(depositId: DepositId): Due | undefined {
    const due = this.#due.get(depositId);
    this.#due.delete(depositId);
    return due;
  }

  /** Deposits whose request time has come. */
  ready(nowMs: number): Due[] {
    return [...this.#due.values()].filter((one) => one.askAtMs <= nowMs);
  }

  /** The next request times of known and of unknown deposits; Infinity for none. */
  nextAtMs(): { known: number; unknown: number } {
    const next = { known: Infinity, unknown: Infinity };
    for (const { askAtMs, isKnown } of this.#due.values()) {
      const kind = isKnown ? 'known' : 'unknown';
      next[kind] = Math.min(next[kind], askAtMs);
    }
    return next;
  }

  /** Records the reading that was made for these deposits. */
  asked(ready: readonly Due[], reading: { askedMs: number; answeredMs: number }): void {
    for (const { deposit } of ready) {
      const due = this.#due.get(deposit.depositId);
      if (due !== undefined) this.#due.set(deposit.depositId, { ...due, asked: reading });
    }
  }

  /** Schedules the next request for those of the deposits that are still due. */
  missed(ready: readonly Due[], nowMs: number): void {
    for (const { deposit } of ready) {
      const due = this.#due.get(deposit.depositId);
      if (due === undefined) continue;
      const waitMs = RETRY_MS[due.misses];
      if (waitMs === undefined) this.#due.delete(deposit.depositId);
      else {
        const askAtMs = nowMs + waitMs;
        this.#due.set(deposit.depositId, { ...due, misses: due.misses + 1, askAtMs });
      }
    }
  }

  /** Postpones deposits after a reading that failed or could not be made. */
  postpone(ready: readonly Due[], untilMs: number): void {
    for (const { deposit } of ready) {
      const due = this.#due.get(deposit.depositId);
      if (due !== undefined) this.#due.set(deposit.depositId, { ...due, askAtMs: untilMs });
    }
  }

  /** The deposit that has waited longest. */
  oldest(): Due | null {
    let oldest: Due | null = null;
    for (const due of this.#due.values()) {
      if (oldest === null || due.sinceMs < oldest.sinceMs) oldest = due;
    }
    return oldest;
  }
}
