import { expect, onTestFinished, test } from 'vitest';
import { Reconciler } from '../../../src/daemon/schedule/reconciler.ts';
import { createLog } from '../../../src/ops/log.ts';
import { Metrics } from '../../../src/ops/metrics/metrics.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { OpenLedger, temporaryPath } from '../../store/open-ledger.ts';
import { reconcileAt } from './schedule-config.ts';

/** A reconciler whose runs end when the test lets them record what they found. */
function reconcilerUnderTest() {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  const recording: { end: () => void; fail: () => void }[] = [];
  const reconciler = new Reconciler({
    config: reconcileAt('5 0 * * *', 'UTC'),
    reads,
    queue: {
      submit: async (fact) => {
        const isRun = 'record' in fact && fact.record.kind === 'run';
        if (isRun)
          await new Promise<void>((resolve, reject) => {
            recording.push({ end: resolve, fail: () => reject(new Error('a bug')) });
          });
        const [outcome] = await open.commit([fact]);
        if (outcome === undefined) throw new Error('no outcome');
        return outcome;
      },
    },
    custody: undefined,
    changes: undefined,
    networks: undefined,
    metrics: new Metrics({ now: () => open.at }).reconciliation,
    log: createLog({ level: 'silent' }),
    now: () => open.at,
  });
  /** The run with this number, from 1 on, when it has something to record. */
  const run = async (number: number) => {
    for (;;) {
      const begun = recording[number - 1];
      if (begun !== undefined) return begun;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const recorded = () => open.rows('SELECT * FROM reconciliations').length;
  return { reconciler, run, recorded, begun: () => recording.length };
}

test('runs on request follow one another; the schedule adds none to those', async () => {
  const { reconciler, run, recorded, begun } = reconcilerUnderTest();
  const requested = [reconciler.runNow(), reconciler.runNow()];
  reconciler.runIfIdle();
  (await run(1)).end();
  const second = await run(2);
  expect([recorded(), begun()]).toEqual([1, 2]);
  reconciler.runIfIdle();
  second.end();
  expect((await Promise.all(requested)).map(({ kind }) => kind)).toEqual(['ran', 'ran']);
  await reconciler.idle();
  expect([recorded(), begun()]).toEqual([2, 2]);
  reconciler.runIfIdle();
  (await run(3)).end();
  await reconciler.idle();
  expect(recorded()).toBe(3);
});

test('a run that fails rejects for its caller, and the next one runs', async () => {
  const { reconciler, run, recorded } = reconcilerUnderTest();
  const failing = reconciler.runNow();
  const next = reconciler.runNow();
  const isIdle = reconciler.idle().then(() => recorded());
  (await run(1)).fail();
  await expect(failing).rejects.toThrow('a bug');
  (await run(2)).end();
  await next;
  expect(await isIdle).toBe(1);
});
