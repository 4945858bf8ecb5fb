import type { Readiness, ReceiverState } from '../../api/health.ts';
import type { JournalReceiver } from '../../store/replicated/journal-state.ts';

/** Credit latency of the last hour, and the deposit that waits longest now. */
export interface CreditLatencyNow {
  /** When this daemon began to verify deposits, and so to count credits; Unix milliseconds. */
  readonly beganMs: number;
  readonly credits: number;
  /** Milliseconds from depth reached to the feed; null without a credit. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly oldest: {
    readonly depositId: string;
    /** When only the custody API's record was missing, Unix milliseconds. */
    readonly sinceMs: number;
    readonly reason: string;
  } | null;
}

/** The daemon's own state, besides its store. */
export interface DaemonStatus extends Pick<Readiness, 'store' | 'custody'> {
  /** Urgent notices, each with its remedy. */
  readonly notices: readonly string[];
  /** Null without a custody API. */
  readonly creditLatency: CreditLatencyNow | null;
  /** Null with SQLite: one receiver does everything. */
  readonly receiver: Omit<ReceiverState, 'warnings'> | null;
  /** The receivers that the last look at the shared journal found; empty with SQLite. */
  readonly receivers: readonly JournalReceiver[];
  /** Facts that wait for their commit. */
  readonly queue: { readonly queued: number; readonly limit: number };
  /** When this daemon began to count deliveries; Unix milliseconds. */
  readonly countedFromMs: number;
  /** Deliveries by minute, the last hour, oldest first. */
  readonly perMinute: readonly { readonly at: number; readonly count: number }[];
}
