import type { Deposit } from '../../domain/deposit.ts';
import type { DepositId } from '../../domain/ids.ts';

/**
 * A deposit becomes due together with its neighbours: their webhooks arrive within this time, and one
 * request serves all.
 */
const GATHER_MS = 150;

/** Waits before a deposit that is still due is asked for again. After the last one the sweep has it. */
const RETRY_MS = [2_000, 8_000, 30_000] as const;

/** Deposits that may be due at once; the sweep verifies those beyond. */
const DUE_MAX = 100_000;

/** A deposit that waits for the custody API's word. Times are Unix milliseconds. */
export interface Due {
  readonly deposit: Deposit;
  /** The API has shown it before, so nobody has made it up. */
  readonly isKnown: boolean;
  /** When nothing but the API's word was missing any more. */
  readonly sinceMs: number;
  readonly askAtMs: number;
  /** How many readings have left it due. */
  readonly misses: number;
  /** The last reading that was to show it. */
  readonly asked: { readonly askedMs: number; readonly answeredMs: number } | null;
}

/** The deposits that are due, and when each is to be asked for. */
export class DueDeposits {
  readonly #due = new Map<DepositId, Due>();

  has(depositId: DepositId): boolean {
    return this.#due.has(depositId);
  }

  /** A deposit that is due already keeps its turn, but for what it says by now. */
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

  /** Takes a deposit out: its credit or its reversal is in the feed. */
  remove(depositId: DepositId): Due | undefined {
    const due = this.#due.get(depositId);
    this.#due.delete(depositId);
    return due;
  }

  /** Those whose turn has come. */
  ready(nowMs: number): Due[] {
    return [...this.#due.values()].filter((one) => one.askAtMs <= nowMs);
  }

  /** When the next turn comes of those that the API has shown, and of the others; Infinity for never. */
  nextAtMs(): { known: number; unknown: number } {
    const next = { known: Infinity, unknown: Infinity };
    for (const { askAtMs, isKnown } of this.#due.values()) {
      const kind = isKnown ? 'known' : 'unknown';
      next[kind] = Math.min(next[kind], askAtMs);
    }
    return next;
  }

  /** A reading that was to show these deposits has ended; what it brought is known by its commits. */
  asked(ready: readonly Due[], reading: { askedMs: number; answeredMs: number }): void {
    for (const { deposit } of ready) {
      const due = this.#due.get(deposit.depositId);
      if (due !== undefined) this.#due.set(deposit.depositId, { ...due, asked: reading });
    }
  }

  /** These were asked for, and are still due. */
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

  /** Nothing could be asked: all of these wait until then. */
  postpone(ready: readonly Due[], untilMs: number): void {
    for (const { deposit } of ready) {
      const due = this.#due.get(deposit.depositId);
      if (due !== undefined) this.#due.set(deposit.depositId, { ...due, askAtMs: untilMs });
    }
  }

  /** The one that has waited longest. */
  oldest(): Due | null {
    let oldest: Due | null = null;
    for (const due of this.#due.values()) {
      if (oldest === null || due.sinceMs < oldest.sinceMs) oldest = due;
    }
    return oldest;
  }
}
