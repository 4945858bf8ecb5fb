import type { JournalRow } from '../records.ts';

/**
 * The journal that several receivers share, for example in PostgreSQL.
 *
 * Every receiver keeps a **replica**: a SQLite store that holds the journal and everything computed
 * from it. One receiver **owns** the journal and appends to it. The others follow: they read its
 * commits and apply them to their replicas. So any receiver can become the owner.
 *
 * | promise | by |
 * |---|---|
 * | one owner writes | `append` names the owner's epoch; each acquisition raises the epoch |
 * | nothing acknowledged is lost | `appended` means: durable at the primary and at its synchronous standby |
 * | nobody acts on what may be lost | `read` returns only commits that a later synchronous write has confirmed |
 * | replicas agree | each commit carries its seal; a follower computes the same seal or stops |
 */
export interface SharedJournal {
  /**
   * Makes this receiver the owner, unless the lease of another owner has not expired. Raises the
   * epoch, also when this receiver is the owner already: so an append whose outcome is unknown
   * either has taken effect before, or never will. Throws `JournalUnavailable`; the ownership may be
   * this receiver's all the same.
   */
  acquire(): Promise<Acquired>;
  /**
   * Extends the lease; false when another receiver has taken it, or when the journal no longer ends
   * with `head`: a failover has lost commits. An append extends it too. Throws `JournalUnavailable`.
   */
  renew(epoch: number, head: JournalHead): Promise<boolean>;
  /**
   * Ends the lease, so that another receiver need not wait for it; without an epoch, that of an
   * acquisition whose answer was lost. Throws `JournalUnavailable`.
   */
  release(epoch: number | null): Promise<void>;
  /**
   * Appends one commit. A head instead confirms facts that were repeats and wrote no journal row: the
   * journal still ends there. Either way it writes, because an answer from a read alone may vouch for
   * a row that a failover loses.
   */
  append(epoch: number, commit: SealedCommit | JournalHead): Promise<Appended>;
  /**
   * The commits after a head, oldest first; at most `factsMax` facts, or one commit. Throws
   * `JournalUnavailable`.
   */
  read(after: JournalHead, factsMax: number): Promise<Following>;
  /**
   * The newest commit, which the standby may not hold yet. Throws `JournalUnavailable`.
   */
  head(): Promise<JournalHead>;
  /** The owner, and whether its lease is valid. Throws `JournalUnavailable`. */
  owner(): Promise<Owner | null>;
  close(): Promise<void>;
}

/** One commit of the journal: its facts and its seal. */
export interface SealedCommit {
  /** Grows by one with each commit; the first is 1. */
  readonly commitNumber: number;
  /** Unix milliseconds. */
  readonly sealedAt: number;
  readonly previousHash: Uint8Array;
  /** See `sealHash`. */
  readonly hash: Uint8Array;
  /** The facts in order; at least one. */
  readonly rows: readonly JournalRow[];
  /**
   * Reports of the days that the commit closes, as `packDay` writes them, by the journal position
   * of their facts. A follower cannot compute them: its replica has passed their position.
   */
  readonly computedDays: readonly { readonly seq: number; readonly packed: string }[];
}

/** Where a journal, or a replica of it, ends. An empty one: 0, 0 and `GENESIS_HASH`. */
export interface JournalHead {
  readonly commitNumber: number;
  readonly lastSeq: number;
  readonly hash: Uint8Array;
}

/** The receiver that owns the journal. */
export interface Owner {
  /** The receiver's name (`receiver.name`). */
  readonly name: string;
  /** Where the owner takes facts from other receivers (`receiver.url`). */
  readonly url: string;
  readonly epoch: number;
  /** Whether its lease has not expired, by the database's clock. */
  readonly isLeased: boolean;
}

export type Acquired =
  | { readonly kind: 'acquired'; readonly epoch: number }
  | { readonly kind: 'owned'; readonly by: Owner };

/**
 * What became of an append. `fenced`: another receiver has taken the ownership, or the journal ends
 * elsewhere; nothing was kept.
 * `unavailable`: nothing was kept. `unknown`: the commit may have been kept, for example because the
 * connection was lost, or because the wait for the standby was cancelled. After each of them the
 * receiver must acquire the ownership again before its next append.
 */
export type Appended =
  | { readonly kind: 'appended' }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'unavailable'; readonly cause: string }
  | { readonly kind: 'unknown'; readonly cause: string };

/**
 * What follows a head. `diverged`: the journal does not hold this head, so the replica belongs to
 * another journal, or the journal has lost commits. `detail` says which of them, and what to do.
 */
export type Following =
  | { readonly kind: 'commits'; readonly commits: readonly SealedCommit[] }
  | { readonly kind: 'diverged'; readonly detail: string };

/** The shared journal cannot be reached, or refuses. The message says what to do. */
export class JournalUnavailable extends Error {
  override readonly name = 'JournalUnavailable';
}
