import type { BreakType, Severity } from '../../domain/break/break.ts';
import type { Instruments } from './instruments.ts';

/** The outcome of one comparison. */
export type ComparisonKind = 'matched' | 'break' | 'exempt' | 'skipped';

/** Metrics of sweeps, breaks and closes. */
export class ReconciliationMetrics {
  readonly #instruments: Instruments;
  /** Null where another receiver sweeps and closes, or nobody does yet. */
  #sweptAtMs: number | null = null;
  #sweptWholeAtMs: number | null = null;
  readonly #closedUntil;
  readonly #comparisons;
  readonly #repairs;
  readonly #breaks;
  readonly #oldestBreak;
  readonly #uncomparedMovements;

  constructor(
    instruments: Instruments,
    known: { readonly skipCauses: readonly string[]; readonly exemptionRules: readonly string[] },
  ) {
    this.#instruments = instruments;
    this.#closedUntil = instruments.gauge(
      'counterfoil_closed_until_timestamp_seconds',
      'Cut-off of the last closed day; without one, the start. Absent where another receiver closes.',
    );
    this.#comparisons = instruments.counter(
      'counterfoil_sweep_outcomes_total',
      'Comparisons of the reconciler by outcome, with rule or cause.',
      ['kind', 'cause'],
    );
    this.#repairs = instruments.counter(
      'counterfoil_sweep_repairs_total',
      'Repairs of missing notifications by sweeps.',
      ['kind'],
    );
    this.#breaks = instruments.gauge(
      'counterfoil_breaks_open',
      'Breaks that are open or under investigation.',
      ['type', 'severity'],
    );
    this.#oldestBreak = instruments.gauge(
      'counterfoil_oldest_break_age_seconds',
      'Age of the oldest unresolved break by severity; absent without one.',
      ['severity'],
    );
    this.#uncomparedMovements = instruments.gauge(
      'counterfoil_uncompared_movements',
      'Differences between books and chain view that no run has compared yet.',
    );
    instruments.age(
      'counterfoil_last_sweep_age_seconds',
      'Time since the last sweep ended; before the first, since the start. Absent where another receiver sweeps.',
      () => this.#sweptAtMs,
    );
    instruments.age(
      'counterfoil_last_complete_sweep_age_seconds',
      'Time since the last complete sweep; before the first, since the start. Absent where another receiver sweeps.',
      () => this.#sweptWholeAtMs,
    );
    this.ended();
    this.comparisons({ kind: 'matched', count: 0 });
    this.comparisons({ kind: 'break', count: 0 });
    for (const cause of known.exemptionRules) this.comparisons({ kind: 'exempt', cause, count: 0 });
    for (const cause of known.skipCauses) this.comparisons({ kind: 'skipped', cause, count: 0 });
    this.repairs({ replayed: 0, pulledForward: 0, backfilled: 0 });
  }

  /** This process sweeps and closes from now on: it is the owner. */
  began(): void {
    const now = this.#instruments.now();
    this.#sweptAtMs = now;
    this.#sweptWholeAtMs = now;
    this.closedUntil(now);
  }

  /** This process no longer sweeps and closes. A follower must not look like a late owner. */
  ended(): void {
    this.#sweptAtMs = null;
    this.#sweptWholeAtMs = null;
    this.#closedUntil.remove();
  }

  /** `cause` is an exemption's rule or a skip's cause; others have none. */
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
    // A run may end after this process handed its duties over.
    if (this.#sweptAtMs === null) return;
    this.#sweptAtMs = this.#instruments.now();
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
      this.#oldestBreak.set({ severity }, this.#instruments.secondsSince(at));
    }
  }

  closedUntil(cutOffAtMs: number): void {
    if (this.#sweptAtMs !== null) this.#closedUntil.set(cutOffAtMs / 1000);
  }

  uncomparedMovements(count: number): void {
    this.#uncomparedMovements.set(count);
  }
}
