import type { Instruments } from './instruments.ts';

const CIRCUIT_LEVELS = { closed: 0, 'half-open': 1, open: 2 } as const;

const REQUEST_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of the requests to the custody API. */
export class CustodyMetrics {
  readonly #requests;
  readonly #requestSeconds;
  readonly #budget;
  readonly #circuit;
  readonly #accessRefused;

  constructor(
    instruments: Instruments,
    known: { readonly operations: readonly string[]; readonly results: readonly string[] },
  ) {
    this.#requests = instruments.counter(
      'counterfoil_custody_requests_total',
      'Attempts at the custody API by operation and result.',
      ['operation', 'result'],
    );
    this.#requestSeconds = instruments.histogram(
      'counterfoil_custody_request_duration_seconds',
      'Time of one attempt at the custody API.',
      REQUEST_SECONDS,
    );
    this.#budget = instruments.gauge(
      'counterfoil_custody_budget_used_requests',
      'Requests that currently count towards the custody API’s limits.',
      ['window'],
    );
    this.#circuit = instruments.gauge(
      'counterfoil_custody_circuit_state',
      'Circuit to the custody API: 0 closed, 1 half-open, 2 open.',
    );
    this.#accessRefused = instruments.gauge(
      'counterfoil_custody_access_refused',
      'Operations that the custody API refuses our key; absent without a refusal.',
      ['operation', 'status'],
    );
    for (const operation of known.operations) {
      for (const result of known.results) this.#requests.inc({ operation, result }, 0);
    }
  }

  attempt(attempt: { operation: string; result: string; durationMs: number }): void {
    this.#requests.inc({ operation: attempt.operation, result: attempt.result });
    this.#requestSeconds.observe(attempt.durationMs / 1000);
  }

  budgetUsed(used: { minute: number; hour: number }): void {
    this.#budget.set({ window: 'minute' }, used.minute);
    this.#budget.set({ window: 'hour' }, used.hour);
  }

  circuit(state: keyof typeof CIRCUIT_LEVELS): void {
    this.#circuit.set(CIRCUIT_LEVELS[state]);
  }

  /** Records the operations that the custody API refuses, with HTTP status. */
  accessRefused(refusals: readonly { operation: string; status: number }[]): void {
    this.#accessRefused.reset();
    for (const { operation, status } of refusals) this.#accessRefused.set({ operation, status }, 1);
  }
}
