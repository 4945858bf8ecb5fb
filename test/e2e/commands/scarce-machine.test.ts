import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { Daemon } from '../daemon.ts';
import { MAIN } from '../program.ts';
import { usageFolder } from './usage-folder.ts';

test('a daemon starts where a process may have 128 files open', async () => {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const serve = [process.execPath, MAIN, 'serve', '--config', daemon.configPath, '--json'];
  const started = spawn('sh', ['-c', 'ulimit -n 128; exec "$@"', 'sh', ...serve], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  const [said] = (await once(started.stdout, 'data')) as [Buffer];
  expect(said.toString()).toMatch(/"url":"http/);
  started.kill('SIGTERM');
  expect(await once(started, 'exit')).toEqual([0, null]);
});

test('a key that does not fit the disk leaves no half of itself in the way of the next try', () => {
  const folder = usageFolder();
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, MAIN, 'keygen', '--out', 'new'],
    { cwd: folder, encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([1, expect.stringMatching(/new\.key cannot be written/)]);
  expect(readdirSync(folder)).toEqual([]);
});

// Linux has a file that is always full.
test.skipIf(!existsSync('/dev/full'))(
  'a result that cannot be written whole: exit 1 and the cause',
  () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'keygen', '--token'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    const said = /^counterfoil: standard output cannot be written: ENOSPC.*\n$/;
    expect([status, stderr]).toEqual([1, expect.stringMatching(said)]);
  },
);

test.skipIf(!existsSync('/dev/full'))(
  'a daemon whose log is on a full disk goes on, and ends in order',
  async () => {
    const daemon = new Daemon();
    onTestFinished(() => daemon.remove());
    const full = openSync('/dev/full', 'w');
    const serve = spawn(process.execPath, [MAIN, 'serve', '--config', daemon.configPath], {
      stdio: ['ignore', 'pipe', full],
    });
    onTestFinished(() => void serve.kill('SIGKILL'));
    closeSync(full);
    const ended = once(serve, 'exit');
    if (serve.stdout === null) throw new Error('its output was not piped');
    const [said] = (await once(serve.stdout, 'data')) as [Buffer];
    const [url = ''] = /http:\S+/.exec(said.toString()) ?? [];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    serve.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
);
