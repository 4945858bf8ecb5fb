/** A receiver as the shared journal knows it. */
export interface JournalReceiver {
  /** Its `receiver.name`. */
  readonly name: string;
  /** `lapsed`: it was the owner last, and its lease has ended. */
  readonly role: 'owner' | 'follower' | 'lapsed';
  /** Since its last report, or since the lease of a `lapsed` one ended; milliseconds. Null for an owner. */
  readonly silentMs: number | null;
  /** The last journal position that it has reported; the journal's end for an owner. */
  readonly position: number;
}

/** The state of the shared journal, as a receiver has read it from the primary. */
export interface JournalState {
  /**
   * `waits`: a synchronous standby confirms each write. `missing`: none does, so a failure of the
   * primary loses what it alone has. `hidden`: standbys follow, and this role may not see how.
   */
  readonly standby: 'waits' | 'missing' | 'hidden';
  /** Bytes of the log that the synchronous standby lacks; null without one, or when hidden. */
  readonly standbyLagBytes: number | null;
  /** This machine's clock minus the database's, milliseconds. */
  readonly clockAheadMs: number;
  /** Until the owner's lease ends, milliseconds; negative when it has ended. Null without an owner. */
  readonly leaseLeftMs: number | null;
  /** The URL of another live process under this receiver's name; null without one. */
  readonly namesakeUrl: string | null;
  /** The owner, then every receiver that reported lately, the newest report first. */
  readonly receivers: readonly JournalReceiver[];
}

/** Most that clocks may differ. Times in the journal come from each receiver's clock. */
export const CLOCK_DIFFERENCE_MS_MAX = 30_000;

/** That two clocks differ, and what to do. `aheadMs`: this machine's minus the other one. */
export function clockText(aheadMs: number, other: string): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const is = aheadMs > 0 ? 'ahead of' : 'behind';
  return `this receiver's clock is ${seconds} s ${is} ${other}: set both clocks by NTP`;
}

/**
 * Why a receiver must not own the journal, and what to do; null when it may. `clockAheadMs`: its
 * clock minus the database's.
 */
export function clockBar(clockAheadMs: number): string | null {
  if (Math.abs(clockAheadMs) <= CLOCK_DIFFERENCE_MS_MAX) return null;
  return clockText(clockAheadMs, "the database's");
}
