import type { Instruments } from './instruments.ts';
import { MinuteCounts } from './minute-counts.ts';

/** Outcomes of a delivery answered 2xx, and `malformed`. */
const NOTIFICATION_OUTCOMES = ['accepted', 'duplicate', 'quarantined', 'malformed'] as const;
export type NotificationOutcome = (typeof NOTIFICATION_OUTCOMES)[number];

/** Other statuses of deliveries. 500 is our defect. */
const REFUSAL_STATUSES = [403, 404, 405, 413, 500, 503] as const;
export type RefusalStatus = (typeof REFUSAL_STATUSES)[number];

/** From a bare fsync to a stall that needs attention. */
const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const BATCH_FACTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Metrics of deliveries, of the commit queue and of the journal. */
export class IntakeMetrics {
  readonly #notifications;
  readonly #refusals;
  readonly #certificateRefusals;
  readonly #commits;
  readonly #batchFacts;
  readonly #commitSeconds;
  readonly #queueDepth;
  readonly #head;
  /** Answered deliveries by minute, for people. */
  readonly minutes: MinuteCounts;

  constructor(
    instruments: Instruments,
    known: { readonly certificateRefusals: readonly string[] },
    now: () => number,
  ) {
    this.minutes = new MinuteCounts(now);
    this.#notifications = instruments.counter(
      'counterfoil_notifications_total',
      'Deliveries by outcome.',
      ['outcome'],
    );
    this.#refusals = instruments.counter(
      'counterfoil_http_refusals_total',
      'Deliveries answered with 4xx or 5xx, except 400.',
      ['status'],
    );
    this.#certificateRefusals = instruments.counter(
      'counterfoil_certificate_refusals_total',
      'Deliveries refused by their client certificate (403), by reason.',
      ['reason'],
    );
    this.#commits = instruments.counter(
      'counterfoil_commits_total',
      'Transactions of the writer.',
      ['result'],
    );
    this.#batchFacts = instruments.histogram(
      'counterfoil_commit_batch_facts',
      'Facts per commit.',
      BATCH_FACTS,
    );
    this.#commitSeconds = instruments.histogram(
      'counterfoil_commit_duration_seconds',
      'Duration of one commit, including its fsync.',
      COMMIT_SECONDS,
    );
    this.#queueDepth = instruments.gauge(
      'counterfoil_queue_depth',
      'Facts that wait for their commit.',
    );
    this.#head = instruments.gauge(
      'counterfoil_journal_head_seq',
      'Sequence number of the newest fact of the journal.',
    );
    for (const outcome of NOTIFICATION_OUTCOMES) this.#notifications.inc({ outcome }, 0);
    for (const status of REFUSAL_STATUSES) this.#refusals.inc({ status }, 0);
    for (const reason of known.certificateRefusals) this.#certificateRefusals.inc({ reason }, 0);
    for (const result of ['ok', 'failed']) this.#commits.inc({ result }, 0);
  }

  notification(outcome: NotificationOutcome): void {
    this.#notifications.inc({ outcome });
    this.minutes.count();
  }

  refusal(status: RefusalStatus): void {
    this.#refusals.inc({ status });
  }

  certificateRefusal(reason: string): void {
    this.#certificateRefusals.inc({ reason });
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

  journalHead(seq: number): void {
    this.#head.set(seq);
  }
}
