import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { expect, test } from 'vitest';
import type { AuditReport } from '../../src/store/sqlite/audit/verify.ts';
import { BODIES_TOGETHER, largeStore } from '../e2e/store/large-store.ts';
import { MAIN, runProgram } from '../e2e/program.ts';
import { closeOf } from '../store/close/closing.ts';
import { OpenLedger, temporaryPath } from '../store/open-ledger.ts';
import { Service } from '../store/webhook.ts';

/** Runs a command that may use so much memory for objects and texts. */
function within(heapMiB: number, ...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [`--max-old-space-size=${heapMiB}`, MAIN, ...args], {
    encoding: 'utf8',
  });
}

test('a replay of many bodies near the bound holds a few of them at a time', async () => {
  // 128 MB of text: more than twice what there is memory for.
  const store = await largeStore(8);
  const facts = 8 * BODIES_TOGETHER + 1;
  const verified = within(56, 'verify', '--store', store, '--json');
  expect([verified.status, verified.stderr]).toEqual([0, '']);
  expect(JSON.parse(verified.stdout)).toMatchObject({ sound: true, facts });
  const rebuilt = within(56, 'rebuild', '--store', store, '--json');
  expect([rebuilt.status, rebuilt.stderr]).toEqual([0, '']);
  expect((await runProgram('verify', '--store', store)).code).toBe(0);
});

test('an audit of many long reports holds one of them at a time', async () => {
  const store = temporaryPath();
  const open = new OpenLedger(store);
  await open.deliver(new Service().confirmed(1));
  await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: open.at }));
  // 120 MB of text: more than twice what there is memory for. The days are invented.
  const report = JSON.stringify({ text: 'x'.repeat(3_000_000) });
  for (let more = 1; more <= 40; more += 1) {
    open.db
      .prepare(
        `INSERT INTO daily_closes SELECT 'day-' || @more, seq, timezone, cut_off_at + @more, closed_at,
           through_seq, first_posted_at, last_posted_at, commit_number, seal_hash, status,
           custody_compared, report_hash, previous_report_hash, @report
         FROM daily_closes WHERE day = '2025-11-20'`,
      )
      .run({ more, report });
  }
  open.close();
  const verified = within(56, 'verify', '--store', store, '--json');
  expect([verified.status, verified.stderr]).toEqual([1, '']);
  const { checks } = JSON.parse(verified.stdout) as AuditReport;
  expect(checks.find(({ check }) => check === 'closes')).toMatchObject({ examined: 41 });
});
