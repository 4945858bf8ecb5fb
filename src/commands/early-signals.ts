import type { SignalSource } from '../ops/lifecycle.ts';

/** What the signals of this process arrive at. */
interface Process extends SignalSource {
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

/**
 * Takes the signals of a program that runs until it is stopped, from its first moment on. The kernel
 * drops a signal that process 1 of a container has no handler for, so a supervisor that stops the
 * program while it starts would wait for its time-out and then kill it.
 *
 * Modes: starting (a signal ends the process with 0: nothing has begun) → taken over (`on`).
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
