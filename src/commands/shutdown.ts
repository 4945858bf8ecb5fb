import { systemClock } from '../custody/clock.ts';
import { Lifecycle } from '../ops/lifecycle.ts';
import type { Terminal } from './terminal.ts';

/** An orderly end of this process; steps that do not end well are told. */
export function shutdownOf(terminal: Pick<Terminal, 'note'>): Lifecycle {
  return new Lifecycle({
    exit: (code) => process.exit(code),
    observe: (result) => {
      if (result.kind === 'done') return;
      const why =
        result.kind === 'timed-out'
          ? `took longer than ${result.boundMs} ms`
          : `failed: ${result.error instanceof Error ? result.error.message : String(result.error)}`;
      terminal.note(`shutdown: ${result.name} ${why}`);
    },
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  });
}
