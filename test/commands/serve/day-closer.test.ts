import { expect, onTestFinished, test, vi } from 'vitest';
import { DayCloser } from '../../../src/commands/serve/day-closer.ts';
import { createLog } from '../../../src/ops/log.ts';
import { Metrics } from '../../../src/ops/metrics.ts';
import { openForReading } from '../../../src/store/sqlite/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/sqlite-reads.ts';
import { Service } from '../../store/webhook.ts';
import { OpenLedger, SIX_DEEP, temporaryPath } from '../../store/open-ledger.ts';

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
  const closer = new DayCloser({
    config: reconcileAt('59 23 * * *', 'America/Godthab'),
    reads,
    queue: { submitAll: async (facts) => [...(await open.commit(facts))] },
    custody: undefined,
    metrics: new Metrics({ now: Date.now }),
    log: createLog({ level: 'silent' }),
    now: Date.now,
    reconcile: () => Promise.resolve(),
  });
  closer.start();
  onTestFinished(() => closer.stop());
  const closed = () => open.rows('SELECT day, cut_off_at, closed_at FROM daily_closes');
  await vi.advanceTimersByTimeAsync(8 * 60_000);
  expect(closed()).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() =>
    expect(closed()).toEqual([
      {
        day: '2025-03-28',
        cut_off_at: Date.parse('2025-03-29T02:00:00Z'),
        closed_at: Date.parse('2025-03-30T01:59:00Z'),
      },
    ]),
  );
});

function reconcileAt(close: string, timezone: string) {
  const reconcile = {
    sweep: '* * * * *',
    close,
    timezone,
    graceSeconds: 600,
    exemptions: [],
    stale: { depositSeconds: 1, withdrawalSeconds: 1 },
    escalation: { infoToWarningAfterSeconds: null, warningToCriticalAfterSeconds: null },
  };
  return { reconcile };
}
