import type { DepositState, HoldReason } from '../../domain/deposit/deposit.ts';
import type { Instruments } from './instruments.ts';

/** Figures of deposits for `/metrics`; times in Unix milliseconds. */
export interface DepositFigures {
  readonly deposits: Readonly<Partial<Record<DepositState, number>>>;
  readonly held: readonly { readonly reason: HoldReason; readonly oldestAt: number }[];
  readonly credits: { readonly oldestUnacknowledgedAt: number | null };
}

/** Every state has a figure from the start; name a new state here. */
const NO_DEPOSITS: Readonly<Record<DepositState, number>> = {
  detected: 0,
  confirming: 0,
  verifying: 0,
  credited: 0,
  settled: 0,
  internal: 0,
  held: 0,
  rolled_back: 0,
  reversed: 0,
};

const CREDIT_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 300, 3_600];

/** Metrics of deposits and of their credits. */
export class DepositMetrics {
  readonly #instruments: Instruments;
  readonly #creditSeconds;
  readonly #creditPartSeconds;
  readonly #oldestDue;
  readonly #deposits;
  readonly #waitingDeposits;
  readonly #oldestHeld;
  readonly #unacknowledged;
  readonly #oldestUnacknowledged;

  constructor(instruments: Instruments) {
    this.#instruments = instruments;
    this.#creditSeconds = instruments.histogram(
      'counterfoil_credit_latency_seconds',
      'Time from depth reached (or approved, or released) until the credit is in the feed.',
      CREDIT_SECONDS,
    );
    this.#creditPartSeconds = instruments.histogram(
      'counterfoil_credit_latency_part_seconds',
      'Parts of the credit latency: until the request to the custody API, its answer, and the commit.',
      CREDIT_SECONDS,
      ['part'],
    );
    this.#oldestDue = instruments.gauge(
      'counterfoil_oldest_due_deposit_age_seconds',
      'Time since the oldest deposit that only waits for the custody API became due, by reason; absent without one.',
      ['reason'],
    );
    this.#deposits = instruments.gauge('counterfoil_deposits', 'Deposits by state.', ['state']);
    this.#waitingDeposits = instruments.gauge(
      'counterfoil_waiting_deposits',
      'Deposits at their required depth that wait for the custody API.',
    );
    this.#oldestHeld = instruments.gauge(
      'counterfoil_oldest_held_deposit_age_seconds',
      'Time since the oldest held deposit was first seen, by reason; absent without one.',
      ['reason'],
    );
    this.#unacknowledged = instruments.gauge(
      'counterfoil_unacknowledged_credits',
      'Credits that are neither reversed nor acknowledged.',
    );
    this.#oldestUnacknowledged = instruments.gauge(
      'counterfoil_oldest_unacknowledged_credit_age_seconds',
      'Age of the oldest unacknowledged credit; 0 without one.',
    );
  }

  /** Records one part of a credit's latency, or the total, in milliseconds. */
  creditLatency(part: 'asked' | 'answered' | 'committed' | 'total', ms: number): void {
    if (part === 'total') this.#creditSeconds.observe(ms / 1000);
    else this.#creditPartSeconds.observe({ part }, ms / 1000);
  }

  /**
   * Records the deposit that has waited longest for the custody API, and why; Unix milliseconds.
   */
  oldestDue(oldest: { readonly sinceMs: number; readonly reason: string } | null): void {
    this.#oldestDue.reset();
    if (oldest === null) return;
    const { reason, sinceMs } = oldest;
    this.#oldestDue.set({ reason }, this.#instruments.secondsSince(sinceMs));
  }

  /** Records deposits by state, and the oldest that wait for a person or the consumer. */
  figures({ deposits, held, credits }: DepositFigures): void {
    const counts = { ...NO_DEPOSITS, ...deposits };
    for (const [state, count] of Object.entries(counts)) this.#deposits.set({ state }, count);
    this.#waitingDeposits.set(counts.verifying);
    this.#unacknowledged.set(counts.credited);
    this.#oldestHeld.reset();
    for (const { reason, oldestAt } of held) {
      this.#oldestHeld.set({ reason }, this.#instruments.secondsSince(oldestAt));
    }
    const { oldestUnacknowledgedAt: at } = credits;
    this.#oldestUnacknowledged.set(at === null ? 0 : this.#instruments.secondsSince(at));
  }
}
