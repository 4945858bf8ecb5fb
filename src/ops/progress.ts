import { SingleBar } from 'cli-progress';

export interface Progress {
  readonly total: number;
  /** `count` more units are done. */
  tick(count: number): void;
  /** Leaves the terminal as it was found; nothing is drawn after it. */
  done(): void;
}

/** Where a bar may be drawn, such as `process.stderr`. */
export type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** A bar on `stream` if that is a terminal, and silence if not: logs and pipes stay clean. */
export function createProgress(options: {
  total: number;
  /** What is counted, e.g. `facts`. */
  label: string;
  stream: ProgressStream;
}): Progress {
  const { total, label, stream } = options;
  if (stream.isTTY !== true) return { total, tick: () => undefined, done: () => undefined };
  const bar = new SingleBar({
    format: `${label} {bar} {percentage}% | {value}/{total} | {eta_formatted}`,
    stream,
    hideCursor: true,
    clearOnComplete: true,
    // Signals are the lifecycle's; a second listener would end the process before its steps.
    gracefulExit: false,
  });
  bar.start(total, 0);
  return {
    total,
    tick: (count) => bar.increment(count),
    done: () => bar.stop(),
  };
}
