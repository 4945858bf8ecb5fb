import type { SignalSource } from '../../ops/lifecycle.ts';

/** The process as a source of signals. */
interface Process extends SignalSource {
  off(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP', listener: () => void): unknown;
}

/**
 * Handles signals from the first moment of a long-running program. The kernel drops signals without
 * a handler for process 1 of a container. Without this, a supervisor that stops a starting program
 * would wait for its time-out and kill it.
 *
 * Modes: starting (a signal exits with 0, nothing has begun) → taken over (`on`).
 */
export function earlySignals(source: Process, exit: (code: number) => void): SignalSource {
  const end = (): void => exit(0);
  source.on('SIGTERM', end);
  source.on('SIGINT', end);
  return {
    on: (signal, listener) => {
      source.on(signal, listener);
      source.off(signal, end);
    },
  };
}
