import type { Instruments } from './instruments.ts';

/** Why an owner refuses another receiver. */
const REFUSALS = ['secret', 'protocol', 'clock', 'epoch'] as const;
export type ReceiverRefusal = (typeof REFUSALS)[number];

const ROLES = ['owner', 'follower', 'cut_off', 'diverged'] as const;

/** Figures of the shared journal. */
interface JournalFigures {
  readonly standby: string;
  readonly standbyLagBytes: number | null;
  readonly leaseLeftMs: number | null;
  readonly clockAheadMs: number;
}

/** Metrics of a receiver that shares its journal with others. */
export class ReceiverMetrics {
  readonly #role;
  readonly #epoch;
  readonly #position;
  readonly #forwarded;
  readonly #refusals;
  readonly #shutOut;
  readonly #standbyMissing;
  readonly #standbyLag;
  readonly #leaseLeft;
  readonly #clockAhead;

  constructor(instruments: Instruments) {
    this.#role = instruments.gauge(
      'counterfoil_receiver_role',
      'The role of this receiver of a shared journal: 1 for the present one.',
      ['role'],
    );
    this.#epoch = instruments.gauge(
      'counterfoil_receiver_epoch',
      'The newest epoch of the journal that this receiver knows; each change of owner raises it.',
    );
    this.#position = instruments.gauge(
      'counterfoil_replica_position',
      'The last journal position in this replica; the difference between two receivers is the lag.',
    );
    this.#forwarded = instruments.counter(
      'counterfoil_forwarded_facts_total',
      'Facts that this receiver handed to the owner, or that found no owner.',
      ['result'],
    );
    this.#refusals = instruments.counter(
      'counterfoil_receiver_refusals_total',
      'Calls of other receivers that this receiver refused, by reason.',
      ['reason'],
    );
    this.#shutOut = instruments.gauge(
      'counterfoil_receiver_shut_out',
      'Whether the owner takes nothing from this follower: 1 when it refuses it or does not answer.',
    );
    this.#standbyMissing = instruments.gauge(
      'counterfoil_journal_standby_missing',
      'Whether no synchronous standby follows the primary of the shared journal: 1 if none does.',
    );
    this.#standbyLag = instruments.gauge(
      'counterfoil_journal_standby_lag_bytes',
      'Bytes of its log that the synchronous standby lacks; NaN when unknown.',
    );
    this.#leaseLeft = instruments.gauge(
      'counterfoil_journal_lease_left_seconds',
      'Time until the lease of the owner ends; negative after its end; NaN when unknown.',
    );
    this.#clockAhead = instruments.gauge(
      'counterfoil_journal_clock_ahead_seconds',
      "How far this machine's clock is ahead of the database's; NaN when unknown.",
    );
  }

  /** The counters begin at zero; without a shared journal they are absent. */
  begin(): void {
    for (const result of ['forwarded', 'refused']) this.#forwarded.inc({ result }, 0);
    for (const reason of REFUSALS) this.#refusals.inc({ reason }, 0);
    for (const role of ROLES) this.#role.set({ role }, 0);
  }

  role(present: (typeof ROLES)[number]): void {
    for (const role of ROLES) this.#role.set({ role }, role === present ? 1 : 0);
  }

  epoch(epoch: number): void {
    this.#epoch.set(epoch);
  }

  position(position: number): void {
    this.#position.set(position);
  }

  forwarded(result: 'forwarded' | 'refused'): void {
    this.#forwarded.inc({ result });
  }

  shutOut(isShutOut: boolean): void {
    this.#shutOut.set(isShutOut ? 1 : 0);
  }

  /** What a look at the journal has found; null when it cannot be reached. */
  journal(state: JournalFigures | null): void {
    if (state !== null) this.#standbyMissing.set(state.standby === 'missing' ? 1 : 0);
    this.#standbyLag.set(state?.standbyLagBytes ?? NaN);
    this.#leaseLeft.set(seconds(state?.leaseLeftMs));
    this.#clockAhead.set(seconds(state?.clockAheadMs));
  }

  refusal(reason: ReceiverRefusal): void {
    this.#refusals.inc({ reason });
  }
}

function seconds(ms: number | null | undefined): number {
  return (ms ?? NaN) / 1_000;
}
