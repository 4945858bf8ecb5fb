import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BreakType, Severity } from '../domain/break/break.ts';
import type { DepositState, HoldReason } from '../domain/deposit/deposit.ts';

/** Outcomes of a delivery answered 2xx, and `malformed`. */
const NOTIFICATION_OUTCOMES = ['accepted', 'duplicate', 'quarantined', 'malformed'] as const;
export type NotificationOutcome = (typeof NOTIFICATION_OUTCOMES)[number];

/** Other statuses of deliveries. 500 is our defect. */
const REFUSAL_STATUSES = [403, 404, 405, 413, 500, 503] as const;
export type RefusalStatus = (typeof REFUSAL_STATUSES)[number];

/** Label values known at the start: `increase()` misses the step from none to one. */
export interface KnownLabels {
  readonly operations: readonly string[];
  readonly results: readonly string[];
  readonly skipCauses: readonly string[];
  readonly exemptionRules: readonly string[];
}

/** The outcome of one comparison. */
export type ComparisonKind = 'matched' | 'break' | 'exempt' | 'skipped';

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

const CIRCUIT_LEVELS = { closed: 0, 'half-open': 1, open: 2 } as const;

/** From a bare fsync to a stall that needs attention. */
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const BATCH_FACTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const CREDIT_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 300, 3_600];
const REQUEST_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The program's metrics on its own registry. Names end in their unit. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #now: () => number;
  #sweptAtMs: number;
  #sweptWholeAtMs: number;
  readonly #notifications = this.#counter(
    'counterfoil_notifications_total',
    'Deliveries by outcome.',
    ['outcome'],
  );
  readonly #refusals = this.#counter(
    'counterfoil_http_refusals_total',
    'Deliveries answered with 4xx or 5xx, except 400.',
    ['status'],
  );
  readonly #commits = this.#counter('counterfoil_commits_total', 'Transactions of the writer.', [
    'result',
  ]);
  readonly #batchFacts = this.#histogram(
    'counterfoil_commit_batch_facts',
    'Facts per commit.',
    BATCH_FACTS,
  );
  readonly #commitSeconds = this.#histogram(
    'counterfoil_commit_duration_seconds',
    'Duration of one commit, including its fsync.',
    COMMIT_SECONDS,
  );
  readonly #closedUntil = this.#gauge(
    'counterfoil_closed_until_timestamp_seconds',
    'Cut-off of the last closed day; without one, the start of the program.',
  );
  readonly #queueDepth = this.#gauge(
    'counterfoil_queue_depth',
    'Facts that wait for their commit.',
  );
  readonly #comparisons = this.#counter(
    'counterfoil_sweep_outcomes_total',
    'Comparisons of the reconciler by outcome, with rule or cause.',
    ['kind', 'cause'],
  );
  readonly #repairs = this.#counter(
    'counterfoil_sweep_repairs_total',
    'Repairs of missing notifications by sweeps.',
    ['kind'],
  );
  readonly #breaks = this.#gauge(
    'counterfoil_breaks_open',
    'Breaks that are open or under investigation.',
    ['type', 'severity'],
  );
  readonly #oldestBreak = this.#gauge(
    'counterfoil_oldest_break_age_seconds',
    'Age of the oldest unresolved break by severity; absent without one.',
    ['severity'],
  );
  readonly #requests = this.#counter(
    'counterfoil_custody_requests_total',
    'Attempts at the custody API by operation and result.',
    ['operation', 'result'],
  );
  readonly #requestSeconds = this.#histogram(
    'counterfoil_custody_request_duration_seconds',
    'Time of one attempt at the custody API.',
    REQUEST_SECONDS,
  );
  readonly #budget = this.#gauge(
    'counterfoil_custody_budget_used_requests',
    'Requests that currently count towards the custody API’s limits.',
    ['window'],
  );
  readonly #circuit = this.#gauge(
    'counterfoil_custody_circuit_state',
    'Circuit to the custody API: 0 closed, 1 half-open, 2 open.',
  );
  readonly #accessRefused = this.#gauge(
    'counterfoil_custody_access_refused',
    'Operations that the custody API refuses our key; absent without a refusal.',
    ['operation', 'status'],
  );
  readonly #creditSeconds = this.#histogram(
    'counterfoil_credit_latency_seconds',
    'Time from depth reached (or approved, or released) until the credit is in the feed.',
    CREDIT_SECONDS,
  );
  readonly #creditPartSeconds = this.#histogram(
    'counterfoil_credit_latency_part_seconds',
    'Parts of the credit latency: until the request to the custody API, its answer, and the commit.',
    CREDIT_SECONDS,
    ['part'],
  );
  readonly #oldestDue = this.#gauge(
    'counterfoil_oldest_due_deposit_age_seconds',
    'Time since the oldest deposit that only waits for the custody API became due, by reason; absent without one.',
    ['reason'],
  );
  readonly #head = this.#gauge(
    'counterfoil_journal_head_seq',
    'Sequence number of the newest fact of the journal.',
  );
  readonly #deposits = this.#gauge('counterfoil_deposits', 'Deposits by state.', ['state']);
  readonly #waitingDeposits = this.#gauge(
    'counterfoil_waiting_deposits',
    'Deposits at their required depth that wait for the custody API.',
  );
  readonly #oldestHeld = this.#gauge(
    'counterfoil_oldest_held_deposit_age_seconds',
    'Time since the oldest held deposit was first seen, by reason; absent without one.',
    ['reason'],
  );
  readonly #unacknowledged = this.#gauge(
    'counterfoil_unacknowledged_credits',
    'Credits that are neither reversed nor acknowledged.',
  );
  readonly #oldestUnacknowledged = this.#gauge(
    'counterfoil_oldest_unacknowledged_credit_age_seconds',
    'Age of the oldest unacknowledged credit; 0 without one.',
  );

  readonly #unjudgedMovements = this.#gauge(
    'counterfoil_unjudged_movements',
    'Differences between books and chain view that no run has compared yet.',
  );

  /** `now` in Unix milliseconds; `process` adds memory, CPU and event loop of this process. */
  constructor(options: { now: () => number; process?: boolean; known?: KnownLabels }) {
    this.#now = options.now;
    this.#sweptAtMs = options.now();
    this.#sweptWholeAtMs = options.now();
    this.closedUntil(options.now());
    this.#age(
      'counterfoil_last_sweep_age_seconds',
      'Time since the last sweep ended; before the first, since the start.',
      () => this.#sweptAtMs,
    );
    this.#age(
      'counterfoil_last_complete_sweep_age_seconds',
      'Time since the last complete sweep; before the first, since the start.',
      () => this.#sweptWholeAtMs,
    );
    this.#beginAtZero(options.known);
    if (options.process === true) {
      collectDefaultMetrics({ register: this.#registry, prefix: 'counterfoil_' });
    }
  }

  #beginAtZero(known: KnownLabels | undefined): void {
    for (const outcome of NOTIFICATION_OUTCOMES) this.#notifications.inc({ outcome }, 0);
    for (const status of REFUSAL_STATUSES) this.#refusals.inc({ status }, 0);
    for (const result of ['ok', 'failed']) this.#commits.inc({ result }, 0);
    this.comparisons({ kind: 'matched', count: 0 });
    this.comparisons({ kind: 'break', count: 0 });
    this.repairs({ replayed: 0, pulledForward: 0, backfilled: 0 });
    if (known === undefined) return;
    for (const cause of known.exemptionRules) this.comparisons({ kind: 'exempt', cause, count: 0 });
    for (const cause of known.skipCauses) this.comparisons({ kind: 'skipped', cause, count: 0 });
    for (const operation of known.operations) {
      for (const result of known.results) this.#requests.inc({ operation, result }, 0);
    }
  }

  notification(outcome: NotificationOutcome): void {
    this.#notifications.inc({ outcome });
  }

  refusal(status: RefusalStatus): void {
    this.#refusals.inc({ status });
  }

  /** Records a commit of `facts`, or its failure. */
  commit(commit: { facts: number; durationMs: number; failed: boolean }): void {
    this.#commits.inc({ result: commit.failed ? 'failed' : 'ok' });
    if (commit.failed) return;
    this.#batchFacts.observe(commit.facts);
    this.#commitSeconds.observe(commit.durationMs / 1000);
  }

  queueDepth(facts: number): void {
    this.#queueDepth.set(facts);
  }

  /** `cause` is an exemption's rule, a skip's cause, or a break's type. */
  comparisons(outcome: { kind: ComparisonKind; cause?: string; count?: number }): void {
    this.#comparisons.inc({ kind: outcome.kind, cause: outcome.cause ?? '' }, outcome.count ?? 1);
  }

  /** Records a sweep's repairs. */
  repairs(done: { replayed: number; pulledForward: number; backfilled: number }): void {
    this.#repairs.inc({ kind: 'replayed' }, done.replayed);
    this.#repairs.inc({ kind: 'pulled_forward' }, done.pulledForward);
    this.#repairs.inc({ kind: 'backfilled' }, done.backfilled);
  }

  /** Records the end of a sweep. Complete: it read everything it had to. */
  sweepEnded({ isComplete }: { readonly isComplete: boolean }): void {
    this.#sweptAtMs = this.#now();
    if (isComplete) this.#sweptWholeAtMs = this.#sweptAtMs;
  }

  /**
   * Records unresolved breaks; the oldest of each kind with its opening time, Unix milliseconds.
   */
  breaksOpen(
    open: readonly { type: BreakType; severity: Severity; open: number; oldestAt: number }[],
  ): void {
    this.#breaks.reset();
    this.#oldestBreak.reset();
    const oldest = new Map<Severity, number>();
    for (const { type, severity, open: count, oldestAt } of open) {
      this.#breaks.inc({ type, severity }, count);
      oldest.set(severity, Math.min(oldest.get(severity) ?? oldestAt, oldestAt));
    }
    for (const [severity, at] of oldest) {
      this.#oldestBreak.set({ severity }, (this.#now() - at) / 1000);
    }
  }

  custodyAttempt(attempt: { operation: string; result: string; durationMs: number }): void {
    this.#requests.inc({ operation: attempt.operation, result: attempt.result });
    this.#requestSeconds.observe(attempt.durationMs / 1000);
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
    this.#oldestDue.set({ reason: oldest.reason }, (this.#now() - oldest.sinceMs) / 1000);
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

  closedUntil(cutOffAtMs: number): void {
    this.#closedUntil.set(cutOffAtMs / 1000);
  }

  journalHead(seq: number): void {
    this.#head.set(seq);
  }

  /** Records deposits by state, and the oldest that wait for a person or the consumer. */
  deposits({ deposits, held, credits }: DepositFigures): void {
    const counts = { ...NO_DEPOSITS, ...deposits };
    for (const [state, count] of Object.entries(counts)) this.#deposits.set({ state }, count);
    this.#waitingDeposits.set(counts.verifying);
    this.#unacknowledged.set(counts.credited);
    this.#oldestHeld.reset();
    for (const { reason, oldestAt } of held) {
      this.#oldestHeld.set({ reason }, (this.#now() - oldestAt) / 1000);
    }
    const { oldestUnacknowledgedAt: at } = credits;
    this.#oldestUnacknowledged.set(at === null ? 0 : (this.#now() - at) / 1000);
  }

  unjudgedMovements(count: number): void {
    this.#unjudgedMovements.set(count);
  }

  /** The page for `GET /metrics`. */
  async page(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  /** Seconds since `fromMs`, at each scrape. */
  #age(name: string, help: string, fromMs: () => number): void {
    const age: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: () => {
        age.set((this.#now() - fromMs()) / 1000);
      },
    });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] });
  }
}
