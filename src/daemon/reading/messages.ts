import type { Documents } from '../../report/document.ts';
import type { TableDocuments } from '../../report/tables/table-documents.ts';
import type { Reads } from '../../store/reads.ts';
import type { Pace } from './pace.ts';

/** The calls of a reader thread: the reading port, and closed days as documents. */
export interface Reading extends Reads {
  readonly document: Documents;
  readonly table: TableDocuments;
}

export type Method = keyof Reading;

/** Arguments and answer of every method. */
export type Calls = {
  [M in Method]: {
    readonly args: Parameters<Reading[M]>;
    readonly answer: Awaited<ReturnType<Reading[M]>>;
  };
};

/** A call of one method. */
export interface Call<M extends Method> {
  readonly method: M;
  readonly args: Calls[M]['args'];
}

/** Messages to the reader. `more`: the last part of the answer was received. */
export type ToReader =
  | ({ readonly kind: 'call'; readonly id: number } & { [M in Method]: Call<M> }[Method])
  | { readonly kind: 'more'; readonly id: number };

/** Messages from the reader about the call `id`. */
export type FromReader =
  | { readonly kind: 'part'; readonly id: number; readonly part: Part }
  | { readonly kind: 'answered'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure };

/** Items of a long list, or entries of a large map, in an answer. */
export interface Part {
  /** The answer's member that holds them; null when they belong to the answer itself. */
  readonly of: string | null;
  readonly isMap: boolean;
  readonly items: readonly unknown[];
}

/** The parts of an error that cross between threads: a structured clone would lose its class. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/** Options of a reader thread at its start. */
export interface ReaderOptions {
  readonly path: string;
  readonly pace: Pace;
}
