import { Cron } from 'croner';

/** A schedule that is ticking; `stop` ends it, a run under way goes on. */
export interface Schedule {
  stop(): void;
  /** When it ticks next, Unix milliseconds, or null when never. */
  next(): number | null;
}

/** Ticks by a cron pattern (five fields, or six with seconds) in a time zone. */
export function startSchedule(options: {
  pattern: string;
  timezone: string;
  tick: () => Promise<void>;
}): Schedule {
  const { pattern, timezone, tick } = options;
  const job = new Cron(pattern, { timezone, protect: true }, tick);
  return { stop: () => job.stop(), next: () => job.nextRun()?.getTime() ?? null };
}
