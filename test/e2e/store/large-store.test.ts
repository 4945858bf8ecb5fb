import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AuditReport } from '../../../src/store/sqlite/audit/verify.ts';
import { closeOf } from '../../store/close/closing.ts';
import { OpenLedger, SIX_DEEP, temporaryPath } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';
import { MAIN, runProgram } from '../program.ts';

/** In base64 below the bound of a body, 1 MiB, and hardly to be packed. */
const BODY_RANDOM_BYTES = 750_000;

/** Bodies of one commit are kept together by so many. */
const BODIES_TOGETHER = 16;

/** A store with bodies nearly as long as they may be: so many times sixteen. */
async function largeStore(commits: number): Promise<string> {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  await open.setPolicy(SIX_DEEP);
  const service = new Service();
  for (let commit = 0; commit < commits; commit += 1) {
    const bodies = Array.from({ length: BODIES_TOGETHER }, (_, at) => ({
      ...service.confirmed(6, { blockchainHash: `0x${commit}-${at}` }),
      metadata: { any: randomBytes(BODY_RANDOM_BYTES).toString('base64') },
    }));
    await open.deliverTogether(...bodies);
  }
  open.close();
  return path;
}

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

/** Ends no backup: the copy never gets its name, however late the signal comes on a busy machine. */
const NEVER_NAMED = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
fs.renameSync = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
syncBuiltinESMExports();`;

test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'a backup that %s interrupts leaves nothing with the name of one, and the next one is whole',
  async (signal) => {
    const store = await largeStore(2);
    const out = join(dirname(store), 'copy.db');
    const begun = new Promise<void>((resolve) => {
      const watching = watch(dirname(store), (_event, name) => {
        if (name === 'copy.db.partial') resolve();
      });
      onTestFinished(() => watching.close());
    });
    const preload = `--import=data:text/javascript,${encodeURIComponent(NEVER_NAMED)}`;
    const args = [preload, MAIN, 'backup', '--store', store, '--out', out];
    const backup = spawn(process.execPath, args);
    const ended = once(backup, 'exit');
    await begun;
    backup.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(existsSync(out)).toBe(false);
    const again = await runProgram('backup', '--store', store, '--out', out, '--json');
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(JSON.parse(again.stdout)).toEqual({ backup: out, facts: 2 * BODIES_TOGETHER + 1 });
    expect(readdirSync(dirname(out)).filter((name) => name.startsWith('copy'))).toEqual([
      'copy.db',
    ]);
    expect((await runProgram('verify', '--store', store)).code).toBe(0);
  },
);

/** A folder on a disk of two MiB, or null where none can be mounted: it takes root. */
function smallDisk(): string | null {
  const folder = join(dirname(temporaryPath()), 'disk');
  mkdirSync(folder);
  const mounted = spawnSync('sh', ['-c', 'mount -t tmpfs -o size=2m tmpfs "$0"', folder]);
  if (mounted.status !== 0) return null;
  onTestFinished(() => void spawnSync('sh', ['-c', 'umount "$0"', folder]));
  return folder;
}

test('a backup or a restore onto a full disk says so, and leaves all as it was', async ({
  skip,
}) => {
  const disk = smallDisk();
  if (disk === null) {
    skip('no disk can be mounted: it takes root');
    return;
  }
  const small = temporaryPath();
  const open = new OpenLedger(small);
  await open.deliver(new Service().confirmed(1));
  open.close();
  const store = join(disk, 'store.db');
  copyFileSync(small, store);
  const before = readFileSync(store);
  const large = await largeStore(1);
  for (const args of [
    ['restore', '--from', large, '--store', store],
    ['backup', '--store', large, '--out', join(disk, 'copy.db')],
  ]) {
    const { code, stdout, stderr } = await runProgram(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /\.db.* cannot be written .*full.*: make room on its disk and try again\n$/,
    );
    // The lock is for whoever comes next.
    expect(readdirSync(disk).filter((name) => !name.includes('.lock'))).toEqual(['store.db']);
    expect(readFileSync(store).equals(before)).toBe(true);
  }
});
