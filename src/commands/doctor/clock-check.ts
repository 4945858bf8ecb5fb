import type { Reads } from '../../store/reads.ts';
import { warning, type Diagnosis } from './diagnosis.ts';

/** Machines disagree by seconds, and clocks are set right by less than this every day. */
const AHEAD_MS_MIN = 60_000;

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

/** A span in the largest unit of which it has two and more, rounded: `3 hours`. */
function roughly(ms: number): string {
  const [name, size] = UNITS.find(([, one]) => ms >= 2 * one) ?? ['seconds', 1_000];
  return `${Math.round(ms / size)} ${name}`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/**
 * What says that this machine's clock is behind the one that the store was written by, or that that one
 * was ahead. `now` in Unix milliseconds.
 */
export async function checkClock(
  reads: Pick<Reads, 'newestRecordedAt' | 'lastClose'>,
  now: number,
): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  const newestAt = (await reads.newestRecordedAt()) ?? now;
  if (newestAt - now >= AHEAD_MS_MIN) {
    const detail = `the newest fact was recorded at ${isoTime(newestAt)}, and by this machine's clock it is ${isoTime(now)}: it lies ${roughly(newestAt - now)} in the future; check the clock`;
    found.push(warning('clock', detail));
  }
  const closed = await reads.lastClose();
  if (closed !== undefined && closed.cutOffAt - now >= AHEAD_MS_MIN) {
    const detail = `${closed.day} is closed already and ends only in ${roughly(closed.cutOffAt - now)}: no day is closed until the one after it has ended; check the clock, and if it is right restore a backup of before`;
    found.push(warning('clock', detail));
  }
  return found;
}
