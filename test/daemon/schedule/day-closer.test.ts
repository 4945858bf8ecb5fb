import { expect, onTestFinished, test, vi } from 'vitest';
import { CommitQueue } from '../../../src/intake/commit-queue.ts';
import { DayCloser } from '../../../src/daemon/schedule/day-closer.ts';
import { createLog } from '../../../src/ops/log.ts';
import { Metrics } from '../../../src/ops/metrics/metrics.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { Service } from '../../store/webhook.ts';
import { reconcileAt } from './schedule-config.ts';
import { closesOf } from '../../store/close/closing.ts';
import { OpenLedger, SIX_DEEP, temporaryPath } from '../../store/open-ledger.ts';
import { explanations, start, toNextDay } from '../../reconcile/close/days.ts';

type Options = ConstructorParameters<typeof DayCloser>[0];

/** A closer over the ledger's own store, without a custody API. */
function closerOver(
  open: OpenLedger,
  options: Partial<Options> & Pick<Options, 'reads'>,
): DayCloser {
  const closer = new DayCloser({
    config: reconcileAt('5 0 * * *', 'UTC'),
    queue: new CommitQueue({ ledger: open.ledger, batchMax: 10, queueMax: 10 }),
    custody: undefined,
    metrics: new Metrics({ now: Date.now }).reconciliation,
    log: createLog({ level: 'silent' }),
    now: Date.now,
    reconcile: () => Promise.resolve(),
    ...options,
  });
  onTestFinished(() => closer.stop());
  return closer;
}

test('a close at 23:59 comes on the day on which the clocks change', async () => {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  open.at = Date.parse('2025-03-28T12:00:00Z');
  await open.setPolicy(SIX_DEEP);
  await open.deliver(new Service().confirmed(6));
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  vi.useFakeTimers({ now: Date.parse('2025-03-30T01:50:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  closerOver(open, { reads, config: reconcileAt('59 23 * * *', 'America/Godthab') }).start();
  const closed = () => open.rows('SELECT day, cut_off_at, closed_at FROM daily_closes');
  await vi.advanceTimersByTimeAsync(8 * 60_000);
  expect(closed()).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(
    () =>
      expect(closed()).toEqual([
        {
          day: '2025-03-28',
          cut_off_at: Date.parse('2025-03-29T02:00:00Z'),
          closed_at: Date.parse('2025-03-30T01:59:00Z'),
        },
      ]),
    { timeout: 120_000 },
  );
});

test('the first check, still sweeping when the minute ends, is not begun again', async () => {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  open.at = Date.parse('2025-03-28T12:00:00Z');
  await open.setPolicy(SIX_DEEP);
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  vi.useFakeTimers({ now: Date.parse('2025-03-30T01:50:30Z') });
  onTestFinished(() => void vi.useRealTimers());
  let sweeps = 0;
  const reconcile = (): Promise<never> => {
    sweeps += 1;
    return new Promise(() => undefined);
  };
  closerOver(open, { reads, reconcile }).start();
  await vi.waitFor(() => expect(sweeps).toBe(1), { timeout: 20_000 });
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(sweeps).toBe(1);
});

test.each([
  { name: 'a check that the shutdown interrupts logs nothing', isStopped: true, logged: [] },
  {
    name: 'a check that fails while the daemon runs is logged',
    isStopped: false,
    logged: ['Daily-close check failed; retrying in a minute.'],
  },
])('$name', async ({ isStopped, logged }) => {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  const reads = new SqliteReads(openForReading(path));
  const lines: string[] = [];
  const log = createLog({
    level: 'error',
    destination: { write: (line) => void lines.push(line) },
  });
  const closer = closerOver(open, { reads, log });
  reads.close();
  closer.start();
  if (isStopped) closer.stop();
  await new Promise(setImmediate);
  await closer.idle();
  await new Promise(setImmediate);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(logged);
});

test('days that end while a machine sleeps amid a close have a sweep of their own before their close', async () => {
  const stage = await start();
  await stage.paid(await stage.depositAddress(), 700, 3);
  await stage.run();
  await toNextDay(stage);
  const before = closesOf(stage.open).length;
  let sweeps = 0;
  const sleepAfterSweep = async (): Promise<void> => {
    await stage.run();
    sweeps += 1;
    if (sweeps > 1) return;
    await stage.caller.advance(1_000);
    stage.loses = () => true;
    await stage.reorg(3, []);
    await toNextDay(stage);
  };
  const closer = (): DayCloser =>
    new DayCloser({
      config: reconcileAt('5 0 * * *', 'UTC'),
      reads: stage.reads,
      queue: new CommitQueue({ ledger: stage.open.ledger, batchMax: 10, queueMax: 10 }),
      custody: stage.client,
      metrics: new Metrics({ now: Date.now }).reconciliation,
      log: createLog({ level: 'silent' }),
      now: () => stage.now,
      reconcile: sleepAfterSweep,
    });
  const closed = () => closesOf(stage.open).slice(before);
  for (const days of [1, 2]) {
    const one = closer();
    one.start();
    await vi.waitFor(() => expect(closed().length).toBeGreaterThanOrEqual(days), {
      timeout: 10_000,
    });
    await one.idle();
    one.stop();
  }
  expect(closed().map(({ parsed }) => explanations(parsed))).toEqual([
    ['custody 700 timing'],
    ['custody 700 break'],
  ]);
});
