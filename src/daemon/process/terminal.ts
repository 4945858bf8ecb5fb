import type { SignalSource } from '../../ops/lifecycle.ts';

/** The output of a command: results on standard output, texts for people on standard error. */
export interface Terminal {
  /** Source of SIGTERM and SIGINT. */
  readonly signals: SignalSource;
  result(text: string): void;
  note(text: string): void;
  /** Sets the process's exit code: 0 ok, 1 found a problem, 2 bad usage. */
  exitWith(code: 0 | 1 | 2): void;
}

/** The error of a command that cannot continue; its message says what to do. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
