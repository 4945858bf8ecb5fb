import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ScriptedService, type Reply } from '../../custody/scripted-service.ts';
import { Daemon } from '../daemon.ts';
import { MAIN, runProgram } from '../program.ts';

const VAULTS = Array.from({ length: 30 }, (_, index) => ({
  vaultId: `vault-${index}`,
  name: `Vault ${index}`,
}));

/** Asks as fast as it can for two seconds, and prints how many requests it was given. */
const GREEDY = `
  const [, dist, file] = process.argv;
  const { RequestBudget } = await import(dist + 'custody/budget/budget.js');
  const { openSharedLog } = await import(dist + 'custody/budget/shared-request-log.js');
  const budget = new RequestBudget({ now: Date.now, log: openSharedLog(file, 'client').log });
  let given = 0;
  for (const end = Date.now() + 2_000; Date.now() < end; ) {
    const reserved = budget.reserve({ priority: 'deposits', deadlineMs: end });
    if (reserved.kind === 'now') {
      given += 1;
      reserved.finish();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(given);
`;

function keyIn(folder: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const file = join(folder, 'custody.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return file;
}

async function greedy(file: string): Promise<number> {
  const dist = new URL('.', pathToFileURL(MAIN)).href;
  const args = ['--input-type=module', '--eval', GREEDY, dist, file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(0);
  return Number(said);
}

test('two processes that ask as fast as they can are given 100 requests together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-requests-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'store.db.requests');
  const given = await Promise.all([greedy(file), greedy(file)]);
  expect((given[0] ?? 0) + (given[1] ?? 0)).toBe(100);
  expect(await greedy(file)).toBe(0);
});

test('commands beside the daemon and a restart keep to the requests of one minute', async () => {
  const service = await ScriptedService.start();
  onTestFinished(() => service.stop());
  service.answer(({ path }): Reply => {
    const data = path.endsWith('/vaults') ? VAULTS : [];
    if (path.endsWith('/confirmations')) return { json: { confirmations: {} } };
    return { json: { data, pagination: { page: 0, pageSize: 1_000, total: data.length } } };
  });
  const daemon = await Daemon.start({
    custody: ({ folder, hookPath }) => ({
      baseUrl: service.baseUrl,
      clientId: 'client-7',
      privateKeyFile: keyIn(folder),
      webhookUrl: `http://127.0.0.1:1${hookPath}`,
      vaults: 'all',
    }),
  });
  const doctor = (): ReturnType<typeof runProgram> =>
    runProgram('doctor', '--config', daemon.configPath, '--json');
  const startMs = performance.now();
  await Promise.all([doctor(), doctor()]);
  await daemon.end('SIGKILL');
  await daemon.start();
  await daemon.post('/v1/reconciliations');
  const last = await doctor();
  expect(performance.now() - startMs).toBeLessThan(60_000);
  expect(last.stdout).toContain('the request limit is used up');
  // Two doctors alone would send 50 each: that is the part of a minute that a check may use.
  expect(service.asked.length).toBeGreaterThan(40);
  expect(service.asked.length).toBeLessThanOrEqual(100);
  const checks = service.asked.filter(({ path }) => path.includes('/subscriptions/vault-'));
  expect(checks.length).toBeLessThanOrEqual(80);
});
