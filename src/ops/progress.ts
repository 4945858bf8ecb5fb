import { SingleBar } from 'cli-progress';

export interface Progress {
  readonly total: number;
  /** Adds `count` finished units. */
  tick(count: number): void;
  /** Restores the terminal; draws nothing afterwards. */
  done(): void;
}

/** A stream for a bar, such as `process.stderr`. */
export type ProgressStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** A bar on `stream` when it is a terminal; silent otherwise, so logs and pipes stay clean. */
export function createProgress(options: {
  total: number;
  /** The counted unit, e.g. `facts`. */
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
    // The lifecycle handles signals; another listener would end the process before its steps.
    gracefulExit: false,
  });
  bar.start(total, 0);
  return {
    total,
    tick: (count) => bar.increment(count),
    done: () => bar.stop(),
  };
}
