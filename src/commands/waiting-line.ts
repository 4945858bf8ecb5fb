import { clearLine, cursorTo } from 'node:readline';
import type { Clock } from '../custody/clock.ts';
import type { ProgressStream } from '../ops/progress.ts';

/** How often the line is written anew; what takes no longer needs no line. */
const REDRAWN_AFTER_MS = 1_000;

/** What a person who waits is told. */
export interface Waiting {
  readonly stream: ProgressStream;
  readonly clock: Clock;
  /** Said once: what is waited for, and what can be done about it. */
  readonly note: string;
  /** Why it still takes, as it is now; null where that is not known. */
  readonly why: (signal: AbortSignal) => Promise<string | null>;
}

/**
 * Gives what `work` gives, and tells on a terminal meanwhile how long it has taken and why; silent
 * off a terminal. The line is gone afterwards, the note stays.
 */
export async function waitingFor<Result>(work: Promise<Result>, waiting: Waiting): Promise<Result> {
  if (waiting.stream.isTTY !== true) return work;
  const ended = new AbortController();
  const telling = tell(waiting, ended.signal);
  try {
    return await work;
  } finally {
    ended.abort();
    await telling;
  }
}

async function tell({ stream, clock, note, why }: Waiting, ended: AbortSignal): Promise<void> {
  const beganAt = clock.now();
  await clock.sleep(REDRAWN_AFTER_MS, ended);
  if (ended.aborted) return;
  stream.write(`${note}\n`);
  while (!ended.aborted) {
    const reason = await why(ended);
    if (ended.aborted) break;
    const seconds = Math.round((clock.now() - beganAt) / 1_000);
    clear(stream);
    stream.write(`waiting ${seconds} s${reason === null ? '' : `; ${reason}`}`);
    await clock.sleep(REDRAWN_AFTER_MS, ended);
  }
  clear(stream);
}

function clear(stream: ProgressStream): void {
  clearLine(stream, 0);
  cursorTo(stream, 0);
}
