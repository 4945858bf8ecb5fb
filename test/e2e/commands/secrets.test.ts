import { execSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OpenLedger, SIX_DEEP } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';
import { Attached } from '../attached.ts';
import { callProgram } from '../called-program.ts';
import { runProgram } from '../program.ts';

/** Secrets that are not there, as for somebody who only may read the store. */
const LOCKED = {
  intake: { pathTokensFile: 'secrets/hooks.token' },
  crediting: { default: { confirmations: 6 } },
  api: { tokens: [{ name: 'root', role: 'admin', sha256: '${COUNTERFOIL_E2E_UNSET}' }] },
};

/** A store with one deposit, and a configuration that names it beside secrets that are not there. */
async function lockedStore(): Promise<{ folder: string; store: string; config: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [store, config] = [join(folder, 'store.db'), join(folder, 'config.json')];
  const open = new OpenLedger(store);
  await open.setPolicy(SIX_DEEP);
  await open.deliver(new Service().confirmed(6));
  open.close();
  const custody = {
    baseUrl: 'https://custody.example',
    clientId: '${COUNTERFOIL_E2E_UNSET}',
    privateKeyFile: 'secrets/custody.key',
    webhookUrl: 'https://hooks.example/hooks/${COUNTERFOIL_E2E_UNSET}',
    vaults: 'all',
  };
  writeFileSync(config, JSON.stringify({ store: 'sqlite:store.db', custody, ...LOCKED }));
  return { folder, store, config };
}

test.each([
  ['verify', [], 0, /^sound$/m],
  ['rebuild', [], 0, /rebuilt/],
  ['backup', ['--out', 'copy.db'], 0, /2 facts, sound/],
  ['restore', ['--from', 'copy.db'], 0, /restored with 2 facts/],
  ['report', [], 1, /no day is closed yet/],
  ['report', ['--verify'], 1, /verified: 2 facts replayed/],
])(
  '%s %j takes the store from a configuration whose secrets are not there',
  async (command, flags, expected, says) => {
    const { folder, store, config } = await lockedStore();
    if (command === 'restore') {
      await callProgram('backup', '--store', store, '--out', join(folder, 'copy.db'));
    }
    const own = flags.map((flag) => (flag === 'copy.db' ? join(folder, flag) : flag));
    const { code, stdout, stderr } = await callProgram(command, '--config', config, ...own);
    expect([code, stderr + stdout]).toEqual([expected, expect.stringMatching(says)]);
  },
);

test.each(['serve', 'doctor'])(
  '%s needs every secret, and names each that is not there',
  async (command) => {
    const { config } = await lockedStore();
    const { code, stderr } = await callProgram(command, '--config', config);
    expect(code).toBe(2);
    for (const setting of [
      'intake.pathTokensFile',
      'custody.privateKeyFile',
      'custody.clientId',
      'custody.webhookUrl',
      'api.tokens[0].sha256',
    ]) {
      expect(stderr).toContain(`  ${setting}: `);
    }
  },
);

test('subscribe needs the secrets of the custody service alone', async () => {
  const { daemon } = await Attached.start();
  const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as { custody: object };
  const path = join(daemon.folder, 'locked.json');
  writeFileSync(
    path,
    JSON.stringify({ store: 'sqlite:none.db', custody: config.custody, ...LOCKED }),
  );
  const { code, stdout } = await runProgram('subscribe', '--check', '--config', path);
  expect([code, stdout]).toEqual([0, expect.stringContaining('as wanted')]);
});

test('doctor lists secret files that others can read, and the commands that close them', async () => {
  const { daemon } = await Attached.start();
  const key = join(daemon.folder, 'custody.key');
  chmodSync(key, 0o644);
  chmodSync(daemon.configPath, 0o644);
  const doctor = async (): Promise<{ code: number | null; said: string[] }> => {
    const { code, stdout } = await runProgram('doctor', '--config', daemon.configPath);
    return { code, said: stdout.split('\n').filter((line) => line.includes('secret files')) };
  };
  const open = await doctor();
  expect(open).toEqual({
    code: 0,
    said: [
      `warning secret files: custody.privateKeyFile is open to every user of this machine (${key} has mode 644): close it with \`chmod 600 ${key}\``,
      `warning secret files: the configuration (it holds a path token) is open to every user of this machine (${daemon.configPath} has mode 644): close it with \`chmod 600 ${daemon.configPath}\``,
    ],
  });
  for (const line of open.said) execSync(/`(.*)`/.exec(line)?.[1] ?? 'false');
  expect(await doctor()).toEqual({
    code: 0,
    said: [
      'ok      secret files: custody.privateKeyFile, the configuration (it holds a path token): closed to others',
    ],
  });
});
