import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { OpenLedger } from '../../store/open-ledger.ts';
import { Attached } from '../attached.ts';
import { callProgram } from '../called-program.ts';
import { Daemon } from '../daemon.ts';
import { eventually, launchKillable } from '../program.ts';

function confirmation(number: number): string {
  return JSON.stringify({
    id: `n-${number}`,
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: 'v1',
    accountId: 'a1',
    addressId: 'ad1',
    network: 'ethereum',
    blockchainHash: `0x${number}`,
    transactionId: `tx-${number}`,
    confirmations: 1,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '1', tags: [] }],
  });
}

/** Steps of the shutdown that did not end well. */
function complaints(daemon: Daemon): string[] {
  const lines = daemon.stderr().split('\n');
  return lines.filter((line) => line.includes('shutdown:'));
}

/** What the log says of the end, without the times. */
function ending(daemon: Daemon): Record<string, unknown>[] {
  const lines = daemon.stderr().trim().split('\n');
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return said
    .filter(({ msg }) => String(msg).startsWith('stop'))
    .map(({ time: _, ...rest }) => rest);
}

const DAY_MS = 86_400_000;

/**
 * Supervisors usually wait ten seconds before they kill. A daemon that waits for what hangs ends after
 * nine, and says so; a busy machine takes a second or two for an orderly end.
 */
const STOP_MS_MAX = 10_000;

test('SIGTERM amid deliveries: each is answered or refused, what was accepted is kept, exit code 0', async () => {
  const daemon = await Daemon.start();
  const accepted = new Set<string>();
  const failures: unknown[] = [];
  let next = 0;
  let stopped: Promise<number | null> | undefined;
  let stopMs = Infinity;
  const stop = async (): Promise<number | null> => {
    const fromMs = performance.now();
    const code = await daemon.end('SIGTERM');
    stopMs = performance.now() - fromMs;
    return code;
  };
  const send = async (): Promise<void> => {
    while (stopped === undefined) {
      const number = next;
      next += 1;
      try {
        const answer = await daemon.deliver(confirmation(number));
        const text = await answer.text();
        if (answer.status === 200) accepted.add(`n-${number}`);
        else if (answer.status !== 503) failures.push(text);
      } catch (error) {
        // Only a delivery that began after the end may find the door closed.
        if (stopped === undefined) failures.push(error);
        return;
      }
      if (accepted.size >= 200) stopped ??= stop();
    }
  };
  await Promise.all(Array.from({ length: 16 }, send));
  expect(await stopped).toBe(0);
  expect(stopMs).toBeLessThan(STOP_MS_MAX);
  expect(failures).toEqual([]);
  await daemon.start();
  const { pagination } = await daemon.get<{ pagination: { total: number } }>('/v1/notifications');
  expect(pagination.total).toBeGreaterThanOrEqual(accepted.size);
  await daemon.end('SIGTERM');
  const verified = await callProgram('verify', '--store', daemon.storePath, '--json');
  expect(verified.code).toBe(0);
});

test('SIGTERM while a consumer waits for credits: it is answered, exit code 0', async () => {
  const daemon = await Daemon.start();
  const call = daemon.get<{ data: unknown[] }>('/v1/credits?after=0&wait=30');
  await daemon.get('/v1/deposits');
  const startedAt = Date.now();
  const code = await daemon.end('SIGTERM');
  expect([code, complaints(daemon)]).toEqual([0, []]);
  expect(Date.now() - startedAt).toBeLessThan(STOP_MS_MAX);
  expect((await call).data).toEqual([]);
});

test('SIGTERM during a run whose API hangs: exit code 0, without waiting for it', async () => {
  const both = await Attached.start();
  await both.control.put('/sim/faults', { api: [{ fault: 'hang' }] });
  const run = both.reconcile().catch(() => undefined);
  // Answered after the request before it has been taken up.
  await both.openBreaks();
  const startedAt = Date.now();
  const code = await both.daemon.end('SIGTERM');
  expect([code, complaints(both.daemon)]).toEqual([0, []]);
  expect(Date.now() - startedAt).toBeLessThan(8_000);
  await run;
});

test('SIGTERM while months of days are closed: no more of them, exit code 0', async () => {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const open = new OpenLedger(daemon.storePath);
  // So many that no pause of the test process lets the daemon end by itself.
  open.at = Date.now() - 300 * DAY_MS;
  await open.deliver(confirmation(1));
  open.close();
  await daemon.start();
  const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
  const closing = fetch(`${daemon.url}/v1/reports/daily/${yesterday}/close`, {
    method: 'POST',
    headers: { authorization: `Bearer ${daemon.adminToken}` },
  });
  await eventually('a day is closed', async () => {
    const { data } = await daemon.get<{ data: unknown[] }>('/v1/reports/daily');
    return data.length > 0 ? data : undefined;
  });
  const code = await daemon.end('SIGTERM');
  expect([code, complaints(daemon)]).toEqual([0, []]);
  expect(daemon.stderr()).not.toContain('"level":"error"');
  const answer = await closing;
  expect([answer.status, await answer.text()]).toEqual([
    503,
    expect.stringContaining('the daemon is stopping'),
  ]);
  expect((await callProgram('verify', '--store', daemon.storePath)).code).toBe(0);
});

test('SIGTERM while senders trickle what they send: exit code 0, without waiting for them', async () => {
  const daemon = await Daemon.start();
  const { hostname, port } = new URL(daemon.url);
  const head = `POST /hooks/${daemon.pathTokens[0]} HTTP/1.1\r\nHost: x\r\n`;
  const trickled = ['', head, `${head}Content-Length: 1000\r\n\r\n{`];
  for (const begun of trickled) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(begun);
    await once(socket, 'connect');
  }
  await daemon.get('/v1/deposits');
  const startedAt = Date.now();
  const code = await daemon.end('SIGTERM');
  expect([code, complaints(daemon)]).toEqual([0, []]);
  expect(Date.now() - startedAt).toBeLessThan(8_000);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s at the very moment it says that it listens: exit code 0; the log says what ends it, what is waited for, and that it has ended',
  async (signal) => {
    const daemon = await Daemon.start();
    const code = await daemon.end(signal);
    expect([code, ending(daemon)]).toEqual([
      0,
      [
        {
          level: 'info',
          cause: signal,
          waitsFor: [
            'schedule',
            'custody client',
            'reconciliation',
            'waiting consumers',
            'verifier',
            'reevaluation',
            'commit queue',
            'listener',
            'connections',
            'store',
          ],
          msMax: 9_000,
          msg: 'stopping: refusing new work, committing accepted work, then closing the store',
        },
        { level: 'info', exitCode: 0, msg: 'stopped' },
      ],
    ]);
  },
);

/** Says on standard error when the program has a handler of its own for SIGTERM. */
const TELLING = `process.on('newListener', (name) => {
  if (name === 'SIGTERM') setImmediate(() => process.stderr.write('[SIGTERM is taken]'));
});`;
const environment = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELLING)}`,
};

/** A daemon that was never started: its configuration and the path of its store. */
function unstarted(): Daemon {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  return daemon;
}

const STARTS = [
  ['serve', () => ['serve', '--config', unstarted().configPath, '--json']],
  ['core', () => ['core', '--port', '0', '--json']],
  ['demo', () => ['demo', '--port', '0', '--core-port', '0', '--json']],
] as const;

test.each(STARTS)(
  'SIGTERM before %s has started: exit code 0, and nothing is printed',
  async (_, args) => {
    const program = launchKillable(args(), { environment });
    await eventually('it takes the signal', async () =>
      program.stderr().includes('[SIGTERM is taken]') ? true : undefined,
    );
    program.kill('SIGTERM');
    const { code, stdout } = await program.finished;
    expect([code, stdout]).toEqual([0, '']);
  },
);

test('SIGTERM while the daemon opens its store: exit code 0, and the next start serves', async () => {
  const daemon = unstarted();
  const program = launchKillable(['serve', '--config', daemon.configPath, '--json']);
  await eventually('the store is there', async () => existsSync(daemon.storePath) || undefined);
  program.kill('SIGTERM');
  expect((await program.finished).code).toBe(0);
  await daemon.start();
  expect((await daemon.deliver(confirmation(1))).status).toBe(200);
});
