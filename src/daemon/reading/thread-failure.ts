import type { Failure } from './messages.ts';

/** The parts of an error that cross between threads. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined };
  return { name: error.name, message: error.message, stack: error.stack };
}

/** An error of another thread, with its name and message. */
export class FailedInThread extends Error {
  override readonly name: string;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = failure.name;
    if (failure.stack !== undefined) this.stack = failure.stack;
  }
}
