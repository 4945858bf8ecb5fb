import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSharedLog } from '../../../src/custody/budget/shared-request-log.ts';
import { RequestBudget } from '../../../src/custody/budget/budget.ts';
import { PRIORITIES } from '../../../src/custody/budget/lane.ts';
import type { RequestLog } from '../../../src/custody/budget/request-log.ts';
import { mostInSpan } from '../most-in-span.ts';

const FOREVER = Number.MAX_SAFE_INTEGER;
const START_MS = 1_700_000_000_000;

let folder: string;
let path: string;
let now: number;
let open: RequestLog[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-requests-'));
  path = join(folder, 'store.db.requests');
  now = START_MS;
  open = [];
});

afterEach(() => {
  for (const log of open) log.close();
  rmSync(folder, { recursive: true, force: true });
});

function logAt(file: string, clientId = 'client-7'): RequestLog {
  const opened = openSharedLog(file, clientId);
  if (opened.kind === 'refused') throw new Error(opened.detail);
  open.push(opened.log);
  return opened.log;
}

/** A process that has just started. */
function started(clientId?: string): RequestBudget {
  return new RequestBudget({ now: () => now, log: logAt(path, clientId) });
}

/** Sends until there is no room; returns how many were sent. */
function exhaust(budget: RequestBudget): number {
  for (let sent = 0; ; sent += 1) {
    const reserved = budget.reserve({ priority: 'deposits', deadlineMs: FOREVER });
    if (reserved.kind !== 'now') return sent;
    reserved.finish();
  }
}

const step = fc.record({
  process: fc.integer({ min: 0, max: 1 }),
  /** What becomes of the process before it asks: a crash loses what it has under way. */
  before: fc.constantFrom('goes-on', 'goes-on', 'restarts', 'crashes'),
  // Bursts, pauses, and times around the edges of both windows.
  waitMs: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 2_000 }) },
    { weight: 4, arbitrary: fc.integer({ min: 59_990, max: 60_010 }) },
    { weight: 1, arbitrary: fc.integer({ min: 3_599_990, max: 3_600_010 }) },
  ),
  priority: fc.constantFrom(...PRIORITIES),
  tries: fc.integer({ min: 1, max: 110 }),
  /** When the service counts the request, and when its answer comes. */
  arrivesMs: fc.integer({ min: 0, max: 5_000 }),
  answersMs: fc.integer({ min: 0, max: 5_000 }),
});

interface UnderWay {
  readonly process: number;
  readonly atMs: number;
  readonly finish: () => void;
}

test('two processes that restart and crash send 100 a minute and 1,000 an hour at most', () => {
  let runs = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) => {
      runs += 1;
      now = START_MS;
      const file = `${path}-${runs}`;
      const logs = [logAt(file), logAt(file)];
      const budgetOf = (log: RequestLog | undefined): RequestBudget =>
        new RequestBudget({ now: () => now, ...(log === undefined ? {} : { log }) });
      const budgets = logs.map(budgetOf);
      const counted: number[] = [];
      let underWay: UnderWay[] = [];
      const moveTo = (target: number): void => {
        const due = underWay.filter(({ atMs }) => atMs <= target);
        underWay = underWay.filter(({ atMs }) => atMs > target);
        for (const { atMs, finish } of due.toSorted((left, right) => left.atMs - right.atMs)) {
          now = atMs;
          finish();
        }
        now = target;
      };
      for (const { process, before, waitMs, priority, tries, arrivesMs, answersMs } of steps) {
        moveTo(now + waitMs);
        if (before !== 'goes-on') {
          const own = underWay.filter((one) => one.process === process);
          if (before === 'restarts') moveTo(Math.max(now, ...own.map(({ atMs }) => atMs)));
          underWay = underWay.filter((one) => one.process !== process);
          logs[process]?.close();
          logs[process] = logAt(file);
          budgets[process] = budgetOf(logs[process]);
        }
        for (let count = 0; count < tries; count += 1) {
          const reserved = budgets[process]?.reserve({ priority, deadlineMs: now + 90_000 });
          if (reserved?.kind === 'wait-until') moveTo(reserved.atMs);
          else if (reserved?.kind === 'now') {
            // Of a process that dies now the service counts the request all the same.
            counted.push(now + arrivesMs);
            const atMs = now + arrivesMs + answersMs;
            underWay.push({ process, atMs, finish: () => reserved.finish() });
          } else break;
        }
      }
      for (const log of logs) log.close();
      expect(mostInSpan(counted, 60_000)).toBeLessThanOrEqual(100);
      expect(mostInSpan(counted, 3_600_000)).toBeLessThanOrEqual(1_000);
    }),
    { numRuns: 15 },
  );
});

test('requests that one process has used are not left for another or a restarted one', () => {
  const daemon = started();
  const doctor = started();
  expect([exhaust(daemon), exhaust(doctor)]).toEqual([100, 0]);
  expect(exhaust(started())).toBe(0);
  expect(doctor.used()).toEqual({ minute: 100, hour: 100 });
  now += 60_001;
  expect([exhaust(doctor), exhaust(daemon)]).toEqual([100, 0]);
});

test('requests of another API client do not count', () => {
  expect([exhaust(started('client-7')), exhaust(started('client-8'))]).toEqual([100, 100]);
});

test('a request that a dead process had under way counts for 20 seconds and a minute', () => {
  const died = started();
  for (let sent = 0; sent < 100; sent += 1) {
    expect(died.reserve({ priority: 'deposits', deadlineMs: FOREVER }).kind).toBe('now');
  }
  const next = started();
  now += 80_000;
  expect(exhaust(next)).toBe(0);
  now += 1;
  expect(exhaust(next)).toBe(100);
});

test('a silence that the service imposed on one process holds every other, and one started later', () => {
  const daemon = started();
  const doctor = started();
  daemon.silence(now + 40_000);
  const waits = { kind: 'wait-until', atMs: now + 40_000 };
  expect(doctor.reserve({ priority: 'deposits', deadlineMs: FOREVER })).toEqual(waits);
  expect(started().reserve({ priority: 'deposits', deadlineMs: FOREVER })).toEqual(waits);
});

test('a count that the service reports to one process limits another one', () => {
  const reserved = started().reserve({ priority: 'deposits', deadlineMs: FOREVER });
  if (reserved.kind !== 'now') throw new Error(reserved.kind);
  reserved.finish({ limit: 100, remaining: 3, resetAtMs: now + 60_000 });
  expect(exhaust(started())).toBe(3);
});

test('a clock that was set back by a year over a restart holds requests for an hour at most', () => {
  const before = started();
  for (let minute = 0; minute < 10; minute += 1) {
    now += 60_001;
    expect(exhaust(before)).toBe(100);
  }
  before.silence(now + 3_600_000);
  now -= 31_536_000_000;
  const setBackAt = now;
  const after = started();
  expect(exhaust(after)).toBe(0);
  now = setBackAt + 3_600_000;
  expect(exhaust(after)).toBe(0);
  now += 1;
  expect(exhaust(after)).toBe(100);
});

test('a log that another process has right now is asked again soon', () => {
  const busy = logAt(path);
  const budget = started();
  const inside = busy.alone(() => budget.reserve({ priority: 'sweep', deadlineMs: FOREVER }));
  expect(inside).toEqual({ kind: 'done', value: { kind: 'wait-until', atMs: now + 50 } });
  expect(exhaust(budget)).toBe(100);
});

test('an answer that comes while another process has the log is recorded with the next step', () => {
  const busy = logAt(path);
  const budget = started();
  const reserved = budget.reserve({ priority: 'deposits', deadlineMs: FOREVER });
  if (reserved.kind !== 'now') throw new Error(reserved.kind);
  busy.alone(() => reserved.finish());
  now += 60_001;
  expect(budget.used()).toEqual({ minute: 0, hour: 1 });
});

test('a request that cannot be recorded is not sent, and the reason is named', () => {
  const log = logAt(path);
  const budget = new RequestBudget({ now: () => now, log });
  log.close();
  expect(budget.reserve({ priority: 'deposits', deadlineMs: FOREVER })).toEqual({
    kind: 'unrecorded',
    detail: 'the log of requests is closed',
  });
  expect(budget.room('deposits')).toBe(0);
});

test('a damaged log is replaced: it holds only an hour', () => {
  writeFileSync(path, 'no database of anybody '.repeat(1_000));
  expect(exhaust(started())).toBe(100);
});

test('a log in a folder that is not there is refused with its path', () => {
  const nowhere = join(folder, 'missing', 'store.db.requests');
  const opened = openSharedLog(nowhere, 'client-7');
  expect(opened.kind === 'refused' && opened.detail).toContain(nowhere);
});
