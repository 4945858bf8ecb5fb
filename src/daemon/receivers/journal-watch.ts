import type { Logger } from '../../ops/log.ts';
import type { ReceiverMetrics } from '../../ops/metrics/receiver-metrics.ts';
import {
  clockText,
  type JournalReceiver,
  type JournalState,
} from '../../store/replicated/journal-state.ts';

/** A larger difference of two clocks is no delay of the network. */
const CLOCK_MS_MAX = 5_000;

/** What a person must see to, although the receiver works. */
function journalWarnings(
  { standby, clockAheadMs, namesakeUrl }: JournalState,
  { name, isRequired }: { readonly name: string; readonly isRequired: boolean },
): string[] {
  const found: string[] = [];
  if (standby === 'missing') {
    found.push(
      isRequired
        ? 'no synchronous standby follows the primary, so nothing can be kept: start it, or name another one in synchronous_standby_names'
        : 'no synchronous standby follows the primary, and receiver.standby is optional: what is acknowledged now is lost if the primary is lost; start the standby',
    );
  }
  if (Math.abs(clockAheadMs) > CLOCK_MS_MAX) {
    const text = clockText(clockAheadMs, "the database's");
    found.push(
      `${text}. Leases follow the database's clock; times of notifications and days follow this one`,
    );
  }
  if (namesakeUrl !== null) {
    found.push(
      `another process has the receiver.name ${name} (${namesakeUrl}): give each receiver a name of its own`,
    );
  }
  return found;
}

/**
 * Publishes each look at the shared journal: its metrics, the list of receivers, and warnings, each of
 * which is logged once.
 */
export class JournalWatch {
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #metrics: Pick<ReceiverMetrics, 'journal'>;
  readonly #about: { readonly name: string; readonly isRequired: boolean };
  #warnings: readonly string[] = [];
  #receivers: readonly JournalReceiver[] = [];

  constructor(options: {
    readonly log: Pick<Logger, 'info' | 'warn'>;
    readonly metrics: Pick<ReceiverMetrics, 'journal'>;
    readonly name: string;
    /** Whether nothing is kept without a synchronous standby. */
    readonly isRequired: boolean;
  }) {
    this.#log = options.log;
    this.#metrics = options.metrics;
    this.#about = options;
  }

  /** Present warnings, each with what to do. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Every receiver, as the last look found it; none while the journal cannot be reached. */
  get receivers(): readonly JournalReceiver[] {
    return this.#receivers;
  }

  /** Null: the journal cannot be reached, so the warnings of the last look stay. */
  take(state: JournalState | null): void {
    this.#metrics.journal(state);
    this.#receivers = state?.receivers ?? [];
    if (state === null) return;
    const found = journalWarnings(state, this.#about);
    const subjects = new Set(this.#warnings.map(subjectOf));
    for (const text of found) if (!subjects.has(subjectOf(text))) this.#log.warn(text);
    if (found.length === 0 && subjects.size > 0) this.#log.info('the journal has no warnings left');
    this.#warnings = found;
  }
}

/** What a warning is about, without its figures: a clock that drifts warns once. */
function subjectOf(warning: string): string {
  return warning.replaceAll(/[0-9]+ s /g, '');
}
