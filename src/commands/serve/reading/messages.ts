import type { Documents } from '../../../report/document.ts';
import type { Reads } from '../../../store/reads.ts';
import type { Pace } from './pace.ts';

/** What a reader thread can be asked: the reading port, and closed days as documents. */
export interface Reading extends Reads {
  readonly document: Documents;
}

export type Method = keyof Reading;

/** Arguments and answer of every method. */
export type Calls = {
  [M in Method]: {
    readonly args: Parameters<Reading[M]>;
    readonly answer: Awaited<ReturnType<Reading[M]>>;
  };
};

/** One method, called. */
export interface Call<M extends Method> {
  readonly method: M;
  readonly args: Calls[M]['args'];
}

/** To the reader. `more`: the last part of that answer has been taken. */
export type ToReader =
  | ({ readonly kind: 'call'; readonly id: number } & { [M in Method]: Call<M> }[Method])
  | { readonly kind: 'more'; readonly id: number };

/** From the reader, about the call of this id. */
export type FromReader =
  | { readonly kind: 'part'; readonly id: number; readonly part: Part }
  | { readonly kind: 'answered'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure };

/** Some items of a long list of an answer, or entries of a large map. */
export interface Part {
  /** The member of the answer that they belong to; null when it is the answer itself. */
  readonly of: string | null;
  readonly isMap: boolean;
  readonly items: readonly unknown[];
}

/** What is left of an error on its way between threads: a clone would lose its class. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/** What the program gives a reader when it starts it. */
export interface ReaderOptions {
  readonly path: string;
  readonly pace: Pace;
}
