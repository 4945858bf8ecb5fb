import { Cron } from 'croner';

/** A running schedule. `stop` ends it; a run that has begun continues. */
export interface Schedule {
  stop(): void;
  /** Ticks now. A tick that is due meanwhile is skipped. */
  trigger(): void;
  /** The next tick, Unix milliseconds; null when there is none. */
  next(): number | null;
}

/** Calls `tick` by a cron pattern (five fields, or six with seconds) in a time zone. */
export function startSchedule(options: {
  pattern: string;
  timezone: string;
  tick: () => Promise<void>;
}): Schedule {
  const { pattern, timezone, tick } = options;
  const job = new Cron(pattern, { timezone, protect: true }, tick);
  return {
    stop: () => job.stop(),
    trigger: () => void job.trigger(),
    next: () => job.nextRun()?.getTime() ?? null,
  };
}
