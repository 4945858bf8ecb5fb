import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Daemon } from '../daemon.ts';
import { launchKillable, runProgram } from '../program.ts';
import { smallDisk } from '../receivers/small-disk.ts';

function confirmation(id: string): string {
  return JSON.stringify({
    id,
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: 'v1',
    accountId: 'a1',
    addressId: 'ad1',
    network: 'ethereum',
    blockchainHash: `0x${id}`,
    transactionId: `tx-${id}`,
    confirmations: 1,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '7', tags: [] }],
  });
}

async function deliver(daemon: Daemon, ids: readonly string[]): Promise<string[]> {
  const answers = [];
  for (const id of ids) {
    const answer = await daemon.deliver(confirmation(id));
    answers.push(((await answer.json()) as { status: string }).status);
  }
  return answers;
}

async function books(daemon: Daemon): Promise<string[]> {
  const { data } = await daemon.get<{ data: { amount: string }[] }>('/v1/balances');
  return data.map(({ amount }) => amount);
}

test('a backup made beside the running daemon is sound, and restores to that moment', async () => {
  const daemon = await Daemon.start();
  const out = join(daemon.folder, 'backup.db');
  await deliver(daemon, ['one', 'two']);
  const copied = await runProgram('backup', '--config', daemon.configPath, '--out', out, '--json');
  expect([copied.code, copied.stderr]).toEqual([0, '']);
  expect(JSON.parse(copied.stdout)).toEqual({ backup: out, facts: 3 });
  expect(readdirSync(daemon.folder).filter((name) => name.startsWith('backup'))).toEqual([
    'backup.db',
  ]);
  expect(await deliver(daemon, ['three'])).toEqual(['accepted']);
  expect(await books(daemon)).toEqual(['21']);

  const again = await runProgram('backup', '--config', daemon.configPath, '--out', out);
  expect(again.code).not.toBe(0);
  expect(again.stderr).not.toMatch(/^\s+at /m);

  const { storePath } = daemon;
  const inUse = await runProgram('restore', '--from', out, '--store', storePath);
  expect(inUse.code).toBe(1);
  expect(inUse.stderr).toMatch(/in use|stop the daemon/);
  expect(await deliver(daemon, ['three'])).toEqual(['duplicate']);

  expect(await daemon.end('SIGTERM')).toBe(0);
  const restored = await runProgram(
    'restore',
    '--from',
    out,
    '--config',
    daemon.configPath,
    '--json',
  );
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(JSON.parse(restored.stdout)).toMatchObject({ store: storePath, facts: 3 });
  expect((await runProgram('verify', '--store', storePath)).code).toBe(0);
  // A store holds what customers own: its copies are nobody else's to read either.
  expect([out, storePath].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);

  await daemon.start();
  expect(await books(daemon)).toEqual(['14']);
  expect(await deliver(daemon, ['two', 'three'])).toEqual(['duplicate', 'accepted']);
});

test('a backup that was tampered with is not restored', async () => {
  const daemon = await Daemon.start();
  await deliver(daemon, ['one']);
  await daemon.end('SIGTERM');
  const out = join(daemon.folder, 'backup.db');
  expect((await runProgram('backup', '--store', daemon.storePath, '--out', out)).code).toBe(0);
  const db = new Sqlite(out);
  db.exec("UPDATE balances SET amount = '8' WHERE amount = '7'");
  db.close();
  const refused = await runProgram('restore', '--from', out, '--store', daemon.storePath);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/not sound/);
  await daemon.start();
  expect(await books(daemon)).toEqual(['7']);
});

test('a copy of a store with its write-ahead log beside it is restored with all that it holds', async () => {
  const daemon = await Daemon.start();
  const ids = Array.from({ length: 20 }, (_, number) => `n-${number}`);
  await deliver(daemon, ids);
  await daemon.end('SIGKILL');
  const copy = join(daemon.folder, 'copy.db');
  for (const suffix of ['', '-wal'])
    copyFileSync(`${daemon.storePath}${suffix}`, `${copy}${suffix}`);
  const target = join(daemon.folder, 'restored.db');
  const restored = await runProgram('restore', '--from', copy, '--store', target, '--json');
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(JSON.parse(restored.stdout)).toMatchObject({ facts: 21 });
  const verified = await runProgram('verify', '--store', target, '--json');
  expect([verified.code, verified.stderr]).toEqual([0, '']);
  expect(JSON.parse(verified.stdout)).toMatchObject({ sound: true, facts: 22 });
});

test('an audit without room for its replay says which folder is full, and a backup keeps its copy', async ({
  skip,
}) => {
  const disk = smallDisk(1);
  if (disk === null) {
    skip('this user may mount no file system');
    return;
  }
  const daemon = await Daemon.start();
  await deliver(daemon, ['one']);
  disk.fill();
  const out = join(daemon.folder, 'backup.db');
  const run = (...args: string[]) =>
    launchKillable(args, { environment: { TMPDIR: disk.folder } }).finished;
  const says = new RegExp(`${disk.folder}/\\S+: the disk is full.*set TMPDIR to a folder`);

  const verified = await run('verify', '--store', daemon.storePath);
  expect(verified).toMatchObject({ code: 1, stdout: '' });
  expect(verified.stderr).toMatch(says);
  expect(verified.stderr).not.toMatch(/^\s+at /m);

  const copied = await run('backup', '--config', daemon.configPath, '--out', out);
  expect(copied.code).toBe(1);
  expect(copied.stderr).toMatch(
    /backup\.db is copied but not audited\. .*then run `counterfoil ver/,
  );
  expect(copied.stderr).toMatch(says);
  expect((await runProgram('verify', '--store', out)).code).toBe(0);
});

test('an audit in a temporary folder that is missing says so', async () => {
  const daemon = await Daemon.start();
  const environment = { TMPDIR: join(daemon.folder, 'missing') };
  const args = ['verify', '--store', daemon.storePath];
  const { code, stderr } = await launchKillable(args, { environment }).finished;
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /missing cannot hold the temporary files.*set TMPDIR to a folder that exists/,
  );
  expect(stderr).not.toMatch(/^\s+at /m);
});
