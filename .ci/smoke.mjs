/**
 * Starts the daemon by the Node that runs this file, delivers a notification twice, reads the books,
 * stops the daemon and audits its store. The argument is the built program's main file.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [main] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'counterfoil-smoke-'));
const token = 'a'.repeat(48);
const config = join(folder, 'config.json');
writeFileSync(
  config,
  JSON.stringify({
    listen: { host: '127.0.0.1', port: 0 },
    store: `sqlite:${join(folder, 'store.db')}`,
    intake: { pathTokens: [token] },
    crediting: { default: { confirmations: 3 } },
    log: { level: 'warn' },
    api: {
      tokens: [
        { name: 'smoke', role: 'viewer', sha256: createHash('sha256').update(token).digest('hex') },
      ],
    },
  }),
);
const notification = JSON.stringify({
  id: 'n1',
  timestamp: 1_763_600_000_000,
  stream: 'incoming',
  type: 'confirmation',
  vaultId: 'v1',
  accountId: 'a1',
  addressId: 'ad1',
  network: 'ethereum',
  blockchainHash: '0x1',
  transactionId: 't1',
  confirmations: 1,
  balanceChanges: [{ asset: 'ethereum:ETH', amount: '7', tags: [] }],
});

const daemon = spawn(process.execPath, [main, 'serve', '--config', config, '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [first] = await Promise.race([
    once(daemon.stdout, 'data'),
    once(daemon, 'exit').then(([code]) => assert.fail(`serve ended with ${code}`)),
  ]);
  const { url } = JSON.parse(String(first));
  const deliver = async () => {
    const answer = await fetch(`${url}/hooks/${token}`, { method: 'POST', body: notification });
    return (await answer.json()).status;
  };
  assert.deepEqual([await deliver(), await deliver()], ['accepted', 'duplicate']);
  const headers = { authorization: `Bearer ${token}` };
  const { data } = await (await fetch(`${url}/v1/balances`, { headers })).json();
  assert.deepEqual(
    data.map(({ amount }) => amount),
    ['7'],
  );
  assert.equal((await fetch(`${url}/console`)).status, 200);
  daemon.kill('SIGTERM');
  assert.deepEqual(await once(daemon, 'exit'), [0, null]);
  const audit = spawnSync(process.execPath, [main, 'verify', '--config', config], {
    encoding: 'utf8',
  });
  assert.equal(audit.status, 0, audit.stdout + audit.stderr);
  console.log(`Node ${process.version}: ok`);
} finally {
  daemon.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
