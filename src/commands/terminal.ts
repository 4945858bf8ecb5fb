import type { SignalSource } from '../ops/lifecycle.ts';

/** Where a command prints: results on standard output, everything for people on standard error. */
export interface Terminal {
  /** Where SIGTERM and SIGINT arrive. */
  readonly signals: SignalSource;
  result(text: string): void;
  note(text: string): void;
  /** Sets the process's exit code: 0 ok, 1 found a problem, 2 bad usage. */
  exitWith(code: 0 | 1 | 2): void;
}

/** A command that cannot go on; the message says what, where and what to do. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
