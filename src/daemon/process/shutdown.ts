import { systemClock } from '../../custody/clock.ts';
import { Lifecycle, type ShutdownNews, type StepResult } from '../../ops/lifecycle.ts';
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
      if (result.kind !== 'done') terminal.note(`shutdown: ${result.name} ${textOf(result)}`);
    },
    now: () => performance.now(),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  });
}

function textOf(result: Exclude<StepResult, { readonly kind: 'done' }>): string {
  if (result.kind === 'failed') {
    const { error } = result;
    return `failed: ${error instanceof Error ? error.message : String(error)}`;
  }
  const tookLonger = `took longer than ${Math.round(result.boundMs)} ms`;
  return result.kind === 'abandoned' ? `${tookLonger}; nothing is lost` : tookLonger;
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
