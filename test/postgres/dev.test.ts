import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { REPOSITORY } from '../house/source.ts';
import { isInstalled } from './installed.ts';

describe.runIf(isInstalled)('npm run dev:postgres', () => {
  test('runs a primary and a synchronous standby, and Ctrl-C leaves nothing behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-dev-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // The servers' user passes through.
    chmodSync(folder, 0o711);
    // A terminal of its own: its Ctrl-C reaches npm, the script and both servers.
    const child = spawn('npm', ['run', '--silent', 'dev:postgres'], {
      cwd: REPOSITORY,
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const ended = once(child, 'exit');
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (line.startsWith('Ctrl-C')) break;
    }
    const text = said.join('\n');
    const [address = ''] = /postgres:\/\/admin@\S+/.exec(text) ?? [];
    const [, password = ''] = /password +(\S+)/.exec(text) ?? [];
    const [, port = ''] = /:(\d+),/.exec(address) ?? [];
    const client = new pg.Client({
      host: '127.0.0.1',
      port: Number(port),
      user: 'admin',
      database: 'postgres',
      password,
    });
    await client.connect();
    const { rows } = await client.query('SELECT sync_state FROM pg_stat_replication');
    await client.end();
    expect(rows).toEqual([{ sync_state: 'sync' }]);
    expect(readdirSync(folder)).toHaveLength(1);

    if (child.pid === undefined) throw new Error('npm did not start');
    process.kill(-child.pid, 'SIGINT');
    await ended;
    await expect.poll(() => existsSync(folder) && readdirSync(folder)).toEqual([]);
  });
});
