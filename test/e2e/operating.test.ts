import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { collect, eventually, freePort, startProgram, type Finished } from './program.ts';
import { readmeBlocks, readmeSection } from './readme.ts';

const SECTION = 'Run it against your custody service';

/** A fresh folder and a shell in it, where the program is called as `npm link` makes it called. */
class Operator {
  readonly folder = mkdtempSync(join(tmpdir(), 'counterfoil-operator-'));
  readonly #programs = mkdtempSync(join(tmpdir(), 'counterfoil-programs-'));

  constructor() {
    const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
    symlinkSync(main, join(this.#programs, 'counterfoil'));
    onTestFinished(() => {
      for (const folder of [this.folder, this.#programs]) rmSync(folder, { recursive: true });
    });
  }

  async run(script: string): Promise<Finished> {
    const child = this.start(script);
    const [out, err] = [collect(child.stdout), collect(child.stderr)];
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout: out(), stderr: err() };
  }

  start(script: string) {
    const env = { ...process.env, PATH: `${this.#programs}:${process.env['PATH']}` };
    return spawn('sh', ['-ec', script], { cwd: this.folder, env });
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }
}

async function post(url: string, body: unknown): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as Record<string, string>;
}

/** A core with a vault, for an API client with this public key. */
async function coreFor(publicKeyPem: string): Promise<{ url: string; clientId: string }> {
  type Ready = { url: string; controlUrl: string };
  const core = await startProgram<Ready>('core', '--port', '0', '--no-mine', '--json');
  onTestFinished(async () => void (await core.end('SIGKILL')));
  const { url, controlUrl } = core.ready;
  const permissions = ['Vault:read', 'manageVaults', 'manageNotifications'];
  const client = { name: 'counterfoil', type: 'api', publicKeyPem, permissions };
  const { clientId = '' } = await post(`${controlUrl}/sim/clients`, client);
  await post(`${controlUrl}/sim/vaults`, { name: 'customer deposits' });
  return { url, clientId };
}

test('the steps of the README lead from an empty folder to a daemon that serves', async () => {
  const operator = new Operator();
  const [make = '', environment = ''] = readmeBlocks(SECTION, 'sh');
  expect(await operator.run(make)).toMatchObject({ code: 0, stderr: '' });

  const core = await coreFor(operator.read('custody.pub'));
  const port = await freePort();
  const [config = ''] = readmeBlocks(SECTION, 'json');
  const own = config.replace('https://custody.example.com', core.url).replace('8080', `${port}`);
  writeFileSync(join(operator.folder, 'config.json'), own);

  const exported = environment.replace('…', core.clientId);
  const steps = readmeSection(SECTION).matchAll(/^\d\. `(counterfoil [^`]+)`/gm);
  const [doctor, subscribe, serve] = [...steps].map(
    ([, command]) => `${exported}\nexec ${command}`,
  );
  const before = await operator.run(doctor ?? '');
  expect(before.stdout).toMatch(/^PROBLEM subscription of /m);
  expect(before.stdout.match(/PROBLEM/g)).toHaveLength(1);
  expect(await operator.run(subscribe ?? '')).toMatchObject({ code: 0 });
  expect(await operator.run(doctor ?? '')).toMatchObject({ code: 0 });

  const daemon = operator.start(serve ?? '');
  onTestFinished(() => void daemon.kill('SIGKILL'));
  const said = collect(daemon.stdout);
  await eventually('it listens', async () => (said().includes('listens on') ? true : undefined));
  const url = `http://127.0.0.1:${port}`;
  for (const name of ['root', 'ana', 'ben', 'exchange']) {
    const headers = { authorization: `Bearer ${operator.read(`secrets/${name}.token`).trim()}` };
    expect((await fetch(`${url}/v1/deposits`, { headers })).status).toBe(200);
  }
  const hook = `${url}/hooks/${operator.read('secrets/hooks.token').trim()}`;
  expect((await fetch(hook, { method: 'POST', body: 'no JSON' })).status).toBe(400);
  const exited = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('keygen --token --out writes a token for its user alone, and never over another', async () => {
  const operator = new Operator();
  const command = 'counterfoil keygen --token --out ana';
  const { code, stdout } = await operator.run(command);
  expect(code).toBe(0);
  const token = operator.read('ana.token');
  expect(token).toMatch(/^[\w-]{43}\n$/);
  expect(stdout).not.toContain(token.trim());
  expect(statSync(join(operator.folder, 'ana.token')).mode & 0o777).toBe(0o600);
  expect(operator.read('ana.sha256')).toMatch(/^[0-9a-f]{64}\n$/);
  const again = await operator.run(command);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('not overwritten')]);
  expect(operator.read('ana.token')).toBe(token);
  const json = await operator.run('counterfoil keygen --token --out ben --json');
  expect(JSON.parse(json.stdout)).toEqual({ tokenFile: 'ben.token', sha256File: 'ben.sha256' });
});
