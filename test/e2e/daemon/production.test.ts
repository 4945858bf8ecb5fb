import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { Daemon } from '../daemon.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/** Names of the installed packages, with their scopes. */
function installed(): string[] {
  const modules = join(REPOSITORY, 'node_modules');
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : name,
    );
}

/** An install of the built program as `npm ci --omit=optional` leaves it; answers its main file. */
function productionInstall(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-production-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['dist', 'config', 'package.json', 'schema.sql']) {
    cpSync(join(REPOSITORY, name), join(folder, name), { recursive: true });
  }
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(REPOSITORY, 'package.json'), 'utf8'),
  ) as { optionalDependencies: Record<string, string> };
  for (const name of installed().filter((one) => !(one in optionalDependencies))) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return join(folder, 'dist/main.js');
}

test('without the optional packages the daemon runs, and core and demo say what to install', async () => {
  const main = productionInstall();
  for (const command of ['core', 'demo']) {
    const { status, stderr } = spawnSync(process.execPath, [main, command], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^counterfoil: the simulated custody core needs @noble\/curves, .*, oidc-provider, which this install has left out: run `npm ci --include=optional` in its folder\n$/,
      ),
    ]);
  }
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const serve = spawn(process.execPath, [main, 'serve', '--config', daemon.configPath, '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void serve.kill('SIGKILL'));
  const [said] = (await once(serve.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(said.toString()) as { url: string };
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  serve.kill('SIGTERM');
  expect(await once(serve, 'exit')).toEqual([0, null]);
});
