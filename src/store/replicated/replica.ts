import type { Fact } from '../../domain/fact/fact.ts';
import type { CommitNews } from '../commit-news.ts';
import type { FactOutcome } from '../port.ts';
import type { JournalHead, SealedCommit } from './shared-journal.ts';

/** What a batch of facts would commit. */
export interface Prepared {
  readonly outcomes: readonly FactOutcome[];
  /** Null when every fact was a repeat, or changed nothing. */
  readonly commit: SealedCommit | null;
}

/** A receiver's store, as `ReplicatedLedger` writes it. */
export interface Replica {
  /** The last commit in the replica. */
  readonly head: JournalHead;
  /**
   * Takes facts in a transaction that stays open until `keep` or `drop`. Nothing else writes the
   * replica, and its readers see the state before. A throw has dropped the transaction; `StoreFailed`
   * when the replica cannot be written.
   */
  prepare(facts: readonly Fact[]): Prepared;
  /**
   * Commits what was prepared. A throw has dropped it; `StoreFailed` when the replica cannot be
   * written.
   */
  keep(): CommitNews | undefined;
  /** Rolls back what was prepared. */
  drop(): void;
  /**
   * Applies the next commits of the journal in one transaction. A throw has applied none of them:
   * `ReplicaDiverged` when this version computes another seal from a commit's facts, and
   * `StoreFailed` when the replica cannot be written.
   */
  follow(commits: readonly SealedCommit[]): void;
}

/**
 * What to do about a commit that this version cannot follow. The replica stays as it was before that
 * commit.
 */
export const RUN_OWNERS_VERSION =
  'run the version of the receiver that owns the journal, and keep the replica; if this is that version already, start it with an empty replica';

/** This replica does not agree with the journal. The message says what to do. */
export class ReplicaDiverged extends Error {
  override readonly name = 'ReplicaDiverged';
}
