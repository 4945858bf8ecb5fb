import { systemClock } from '../../custody/clock.ts';
import { Lifecycle, type ShutdownNews } from '../../ops/lifecycle.ts';
import type { Logger } from '../../ops/log.ts';
import type { Terminal } from './terminal.ts';

/**
 * Creates the shutdown of this process. Notes failed steps on the terminal and passes other events
 * to `report`.
 */
export function shutdownOf(
  terminal: Pick<Terminal, 'note'>,
  report: (news: ShutdownNews) => void = () => undefined,
): Lifecycle {
  return new Lifecycle({
    exit: (code) => process.exit(code),
    report,
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

/** Logs the start and the end of the shutdown: a log without the second line shows a kill. */
export function logShutdown(log: Logger): (news: ShutdownNews) => void {
  return (news) => {
    switch (news.kind) {
      case 'stopping': {
        const { cause, waitsFor, msMax } = news;
        const what = 'refusing new work, committing accepted work, then closing the store';
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
