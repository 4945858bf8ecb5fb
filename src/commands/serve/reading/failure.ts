import type { Failure } from './messages.ts';

/** What crosses between threads of an error. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined };
  return { name: error.name, message: error.message, stack: error.stack };
}

/** What failed on another thread. `name` and `message` are the error's own. */
export class FailedInThread extends Error {
  override readonly name: string;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = failure.name;
    if (failure.stack !== undefined) this.stack = failure.stack;
  }
}
