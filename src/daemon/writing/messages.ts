import type { Fact } from '../../domain/fact/fact.ts';
import type { Failure } from '../reading/messages.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import type { Submitted } from '../../store/port.ts';
import type { JournalState } from '../../store/replicated/journal-state.ts';
import type { Role } from '../../store/replicated/role.ts';

/** Options of the checkpointer thread at its start. */
export interface CheckpointerOptions {
  readonly path: string;
}

/** Options of the writer thread at its start. */
export interface WriterOptions {
  readonly path: string;
  /** Most facts of one transaction. */
  readonly batchMax: number;
  /** The journal that the store replicates; null: the store is the journal. */
  readonly shared: SharedJournalOptions | null;
}

/** The shared journal, and this receiver as its other receivers see it. */
export interface SharedJournalOptions {
  /** May hold a password: never show it. */
  readonly databaseUrl: string;
  readonly name: string;
  /** Where other receivers reach this one. */
  readonly url: string;
  /** The program's version. */
  readonly version: string;
  readonly leaseSeconds: number;
  /** Whether nothing is kept while PostgreSQL has no synchronous standby. */
  readonly standby: 'required' | 'optional';
}

/**
 * Messages to the writer. `facts`: numbered consecutively from `firstId`. `tidy`: a copy of the log
 * ended; restart the log. `begin`: begin to follow the shared journal, and to own it. `resign`: own
 * it no more.
 */
export type ToWriter =
  | { readonly kind: 'facts'; readonly firstId: number; readonly facts: readonly Fact[] }
  | { readonly kind: 'tidy' }
  | { readonly kind: 'begin' }
  | { readonly kind: 'resign' }
  | { readonly kind: 'close' };

/** A transaction attempt, with its fsync. `failed`: it was rolled back. */
export interface CommitObserved {
  readonly facts: number;
  readonly durationMs: number;
  readonly failed: boolean;
}

/** Outcomes of facts by their numbers. Two lists cross in an eighth of the time of pairs. */
export interface Answers {
  readonly ids: readonly number[];
  readonly answers: readonly Answer[];
  /** The transaction attempts for these facts. */
  readonly commits: readonly CommitObserved[];
}

/** `failed`: processing the fact failed by a bug. */
export type Answer = Submitted | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Messages from the writer. `store`: the cause when commits begin to fail; null when they succeed
 * again. `role`: the receiver's role has changed. `applied`: the replica has grown to a journal
 * position. `journal`: the state of the journal's servers; null when they cannot be reached.
 */
export type FromWriter =
  | { readonly kind: 'open' }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | ({ readonly kind: 'answers' } & Answers)
  | { readonly kind: 'news'; readonly news: CommitNews }
  | { readonly kind: 'store'; readonly failure: string | null }
  | { readonly kind: 'role'; readonly role: Role }
  | { readonly kind: 'applied'; readonly position: number }
  | { readonly kind: 'journal'; readonly state: JournalState | null }
  | { readonly kind: 'resigned' }
  | { readonly kind: 'closed' };
