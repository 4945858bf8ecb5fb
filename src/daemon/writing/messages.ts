import type { Fact } from '../../domain/fact/fact.ts';
import type { Failure } from '../reading/messages.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import type { Submitted } from '../../store/port.ts';

/** Options of the checkpointer thread at its start. */
export interface CheckpointerOptions {
  readonly path: string;
}

/** Options of the writer thread at its start. */
export interface WriterOptions {
  readonly path: string;
  /** Most facts of one transaction. */
  readonly batchMax: number;
}

/**
 * Messages to the writer. `facts`: numbered consecutively from `firstId`. `tidy`: a copy of the log
 * ended; restart the log.
 */
export type ToWriter =
  | { readonly kind: 'facts'; readonly firstId: number; readonly facts: readonly Fact[] }
  | { readonly kind: 'tidy' }
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
 * again.
 */
export type FromWriter =
  | { readonly kind: 'open' }
  | { readonly kind: 'refused'; readonly failure: Failure }
  | ({ readonly kind: 'answers' } & Answers)
  | { readonly kind: 'news'; readonly news: CommitNews }
  | { readonly kind: 'store'; readonly failure: string | null }
  | { readonly kind: 'closed' };
