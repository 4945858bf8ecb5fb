import { systemClock } from '../custody/clock.ts';
import { Lifecycle, type ShutdownNews } from '../ops/lifecycle.ts';
import type { Logger } from '../ops/log.ts';
import type { Terminal } from './terminal.ts';

/** An orderly end of this process; steps that do not end well are told, and what else `tell` wants to hear of. */
export function shutdownOf(
  terminal: Pick<Terminal, 'note'>,
  tell: (news: ShutdownNews) => void = () => undefined,
): Lifecycle {
  return new Lifecycle({
    exit: (code) => process.exit(code),
    tell,
    observe: (result) => {
      if (result.kind === 'done') return;
      const why =
        result.kind === 'timed-out'
          ? `took longer than ${Math.round(result.boundMs)} ms`
          : `failed: ${result.error instanceof Error ? result.error.message : String(result.error)}`;
      terminal.note(`shutdown: ${result.name} ${why}`);
    },
    now: () => performance.now(),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  });
}

/** A line when the end begins and one when it is there, so that a log without the second tells of a kill. */
export function logShutdown(log: Logger): (news: ShutdownNews) => void {
  return (news) => {
    switch (news.kind) {
      case 'stopping': {
        const { cause, waitsFor, msMax } = news;
        const what = 'new work is refused, what was taken is committed, then the store closes';
        log.info({ cause, waitsFor, msMax }, `stopping: ${what}`);
        return;
      }
      case 'stopped':
        log.info({ exitCode: news.exitCode }, 'stopped');
        return;
      case 'cut_short':
        log.warn({ exitCode: news.exitCode }, 'stopped by a second signal, without waiting');
        return;
      default:
        news satisfies never;
    }
  };
}
