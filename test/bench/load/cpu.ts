import { readdirSync, readFileSync } from 'node:fs';

/** Ticks per second in /proc, the same on every Linux that Node runs on. */
const CLOCK_TICKS_PER_SECOND = 100;

interface Usage {
  readonly parent: number;
  /** Of the process and of its children that have ended. */
  readonly seconds: number;
}

function usageOf(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it is in parentheses and may hold blanks. The parent is field 4; user and
    // system time are 14 and 15, those of ended children 16 and 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), seconds: ticks / CLOCK_TICKS_PER_SECOND };
  } catch {
    return null;
  }
}

function processes(): Map<number, Usage> {
  const found = new Map<number, Usage>();
  for (const name of readdirSync('/proc')) {
    const usage = /^[0-9]+$/.test(name) ? usageOf(Number(name)) : null;
    if (usage !== null) found.set(Number(name), usage);
  }
  return found;
}

/**
 * CPU seconds that a process has used with all its threads and all processes below it (a database
 * that it started), or null where there is no /proc.
 */
export function cpuSecondsOf(pid: number): number | null {
  if (usageOf(pid) === null) return null;
  const all = processes();
  const isBelow = (one: number): boolean => {
    for (let at = one; at > 1; at = all.get(at)?.parent ?? 0) if (at === pid) return true;
    return false;
  };
  return [...all].reduce((sum, [one, { seconds }]) => sum + (isBelow(one) ? seconds : 0), 0);
}

/** CPU seconds that all processes of the machine have used, or null where there is no /proc. */
export function machineCpuSeconds(): number | null {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1);
    // user, nice, system, idle, waiting for disks, and then interrupts and what a host takes away.
    const [user = 0, nice = 0, system = 0, , , hard = 0, soft = 0, stolen = 0] = line
      .split(/ +/)
      .slice(1)
      .map(Number);
    return (user + nice + system + hard + soft + stolen) / CLOCK_TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

/** Bytes that a process has given to disks, or null where the system does not report it. */
export function writtenBytesOf(pid: number): number | null {
  try {
    const written = /^write_bytes: ([0-9]+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1];
    return written === undefined ? null : Number(written);
  } catch {
    return null;
  }
}
