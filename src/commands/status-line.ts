import { clearLine, cursorTo } from 'node:readline';
import type { Clock } from '../custody/clock.ts';
import type { ProgressStream } from '../ops/progress.ts';

/** Interval of the line's updates; shorter waits show no line. */
const REDRAWN_AFTER_MS = 1_000;

/** The texts shown to a person who waits. */
export interface StatusLine {
  readonly stream: ProgressStream;
  readonly clock: Clock;
  /** Shown once: the reason for the wait, and what can be done. */
  readonly note: string;
  /** The current reason; null when unknown. */
  readonly why: (signal: AbortSignal) => Promise<string | null>;
}

/**
 * Awaits `work`. On a terminal, shows meanwhile how long it has taken and why; elsewhere shows
 * nothing. Removes the line afterwards and leaves the note.
 */
export async function showingStatus<Result>(
  work: Promise<Result>,
  line: StatusLine,
): Promise<Result> {
  if (line.stream.isTTY !== true) return work;
  const ended = new AbortController();
  const drawing = drawStatus(line, ended.signal);
  try {
    return await work;
  } finally {
    ended.abort();
    await drawing;
  }
}

async function drawStatus(
  { stream, clock, note, why }: StatusLine,
  ended: AbortSignal,
): Promise<void> {
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
