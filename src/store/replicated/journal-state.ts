/** What a receiver's look at the shared journal's primary has found. */
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
}
