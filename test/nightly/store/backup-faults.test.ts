import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OpenLedger, temporaryPath } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';
import { MAIN, runProgram } from '../../e2e/program.ts';
import { BODIES_TOGETHER, largeStore } from '../../e2e/store/large-store.ts';

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
