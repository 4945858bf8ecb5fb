import type { Reads } from '../../store/reads.ts';
import { warning, type Diagnosis } from './diagnosis.ts';

/** Smaller differences are normal between machines, and while an answer is under way. */
const AHEAD_MS_MIN = 60_000;

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

/** A span, rounded in the largest unit that fits twice: `3 hours`. */
function roughly(ms: number): string {
  const [name, size] = UNITS.find(([, one]) => ms >= 2 * one) ?? ['seconds', 1_000];
  return `${Math.round(ms / size)} ${name}`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/**
 * Warnings when facts or closed days lie in the future: this clock is behind, or the one that wrote
 * the store was ahead. `now` in Unix milliseconds.
 */
export async function checkClock(
  reads: Pick<Reads, 'newestRecordedAt' | 'lastClose'>,
  now: number,
): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  const newestAt = (await reads.newestRecordedAt()) ?? now;
  if (newestAt - now >= AHEAD_MS_MIN) {
    const detail = `the newest fact was recorded at ${isoTime(newestAt)}, but this machine's clock shows ${isoTime(now)}: the fact lies ${roughly(newestAt - now)} in the future; check the clock`;
    found.push(warning('clock', detail));
  }
  const closed = await reads.lastClose();
  if (closed !== undefined && closed.cutOffAt - now >= AHEAD_MS_MIN) {
    const detail = `${closed.day} is closed already but ends only in ${roughly(closed.cutOffAt - now)}: no further day is closed before the next day ends; check the clock; if it is right, restore an older backup`;
    found.push(warning('clock', detail));
  }
  return found;
}

/**
 * Warns when this machine's clock and the custody API's differ by a minute or more. Unix
 * milliseconds; `serviceAtMs`: of an answer's `Date` header.
 */
export function checkServiceClock(serviceAtMs: number, now: number): Diagnosis[] {
  const aheadMs = now - serviceAtMs;
  if (Math.abs(aheadMs) < AHEAD_MS_MIN) return [];
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  const detail = `this machine's clock is ${roughly(Math.abs(aheadMs))} ${side} the custody API's: it shows ${isoTime(now)}, the API's Date header ${isoTime(serviceAtMs)}; set this machine's clock by NTP`;
  return [warning('clock', detail)];
}
