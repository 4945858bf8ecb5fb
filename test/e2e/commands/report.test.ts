import Sqlite from 'better-sqlite3';
import { once } from 'node:events';
import {
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OpenLedger, SIX_DEEP } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';
import { Daemon } from '../daemon.ts';
import { callProgram } from '../called-program.ts';
import { runProgram } from '../program.ts';

const DAY_MS = 86_400_000;

/** Days before this one, on which the file was loaded: midnight may pass meanwhile. */
const TODAY = Date.now();

function dayAgo(days: number): string {
  return new Date(TODAY - days * DAY_MS).toISOString().slice(0, 10);
}

/** A daemon over a store whose only deposit came the day before yesterday. */
async function lateDaemon(): Promise<Daemon> {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const open = new OpenLedger(daemon.storePath);
  open.at = Date.parse(`${dayAgo(2)}T12:00:00Z`);
  await open.setPolicy(SIX_DEEP);
  await open.deliver(new Service().confirmed(6));
  open.close();
  await daemon.start();
  return daemon;
}

/** Changes a store as somebody with access to its file can. */
function changeStore(path: string, sql: string): void {
  const db = new Sqlite(path);
  db.exec(sql);
  db.close();
}

test('days are closed by hand in order, reported in every way, verified, and tampering is found', async () => {
  const daemon = await lateDaemon();
  const [first, last] = [dayAgo(2), dayAgo(1)];
  const closed = await daemon.post<{ day: string }>(`/v1/reports/daily/${last}/close`);
  expect(closed).toMatchObject({ day: last, status: 'exceptions', signatures: [] });
  const early = await fetch(`${daemon.url}/v1/reports/daily/${dayAgo(-1)}/close`, {
    method: 'POST',
    headers: { authorization: `Bearer ${daemon.adminToken}` },
  });
  expect(early.status).toBe(409);
  const path = daemon.storePath;
  const served = await daemon.get<object>(`/v1/reports/daily/${first}?format=json`);
  const report = ['report', '--date', first];
  const read = await runProgram(...report, '--store', path);
  // Custody is not configured: nothing that was not compared is called balanced.
  expect([read.code, JSON.parse(read.stdout)]).toEqual([1, served]);
  const { reportHash } = served as { reportHash: string };
  expect(read.stderr).toContain(`${first}: exceptions, reportHash ${reportHash}`);
  const tokenFile = join(daemon.folder, 'token');
  writeFileSync(tokenFile, daemon.adminToken);
  const asked = await runProgram(...report, '--url', daemon.url, '--token-file', tokenFile);
  expect(asked.stdout).toBe(read.stdout);
  const out = join(daemon.folder, 'close.csv');
  await runProgram('report', '--config', daemon.configPath, '--format', 'csv', '--out', out);
  expect(readFileSync(out, 'utf8')).toContain(`total,${last},v1,ethereum:ETH,`);
  const earlier = await runProgram('report', '--store', path, '--date', '2020-01-01');
  expect([earlier.code, earlier.stderr]).toEqual([
    1,
    `counterfoil: ${path}: 2020-01-01 is not closed: the closed days are ${first} to ${last}\n`,
  ]);
  const missing = join(daemon.folder, 'missing', 'close.csv');
  const unwritten = await runProgram('report', '--config', daemon.configPath, '--out', missing);
  expect([unwritten.code, unwritten.stderr]).toEqual([
    2,
    expect.stringContaining(`${missing} cannot be written: make its folder first`),
  ]);
  const workbook = join(daemon.folder, 'report.xlsx');
  const flags = ['--token-file', tokenFile, '--format', 'xlsx', '--out', workbook];
  await runProgram(...report, '--url', daemon.url, ...flags);
  expect(readFileSync(workbook).subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
  await daemon.end('SIGTERM');
  const sound = await runProgram(...report, '--store', path, '--verify');
  expect(sound.stderr).toContain('verified: ');
  expect(sound.stdout).toBe(read.stdout);
  changeStore(
    path,
    `DROP TRIGGER daily_totals_keep;
    UPDATE daily_totals SET closing = '999' WHERE day = '${last}'`,
  );
  const forged = await callProgram(...report, '--store', path, '--verify');
  expect([forged.code, forged.stdout]).toEqual([1, '']);
  expect(forged.stderr).toContain(
    `closes: ${last}: v1 ethereum:ETH rolls forward to 100, not to its closing 999`,
  );
  expect(forged.stderr).toContain('No report is given');
  changeStore(
    path,
    `DROP TRIGGER daily_closes_keep;
    UPDATE daily_closes SET report = replace(report, '"closing":"100"', '"closing":"900"')`,
  );
  const changed = await callProgram(...report, '--store', path);
  expect([changed.code, changed.stdout]).toEqual([1, '']);
  expect(changed.stderr).toContain(
    `${path}: the report of ${first} was changed after it was sealed: its SHA-256 is `,
  );
});

test('a day that cannot be computed now is not closed, and the daemon goes on', async () => {
  const daemon = await lateDaemon();
  const day = dayAgo(2);
  const close = (): Promise<Response> =>
    fetch(`${daemon.url}/v1/reports/daily/${day}/close`, {
      method: 'POST',
      headers: { authorization: `Bearer ${daemon.adminToken}` },
    });
  // Its threads have opened the store.
  await daemon.get('/v1/balances');
  // Whoever opens it anew does not find it; who has it open does not notice.
  const aside = `${daemon.storePath}.aside`;
  renameSync(daemon.storePath, aside);
  const refused = await close();
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringContaining('cannot be closed now'),
  ]);
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
  renameSync(aside, daemon.storePath);
  expect(await (await close()).json()).toMatchObject({ day });
  expect(await daemon.end('SIGTERM')).toBe(0);
});

test.for([
  [['--date', 'yesterday'], 2, 'is no date'],
  [['--format', 'pdf'], 2, 'Allowed choices are json, csv'],
  [['--format', 'xlsx'], 2, 'with --out'],
  [[], 2, 'a running daemon with --url'],
  [['--date', '2026-02-30', '--store', 'x'], 2, '2026-02-30 is no date'],
  [['--url', 'http://127.0.0.1:1', '--verify'], 2, '--verify reads the store itself'],
  [['--url', 'http://127.0.0.1:1'], 2, 'a token is needed'],
] as const)('report %j ends with %i and says why', async ([flags, code, why]) => {
  const finished = await callProgram('report', ...flags);
  expect([finished.code, finished.stderr]).toEqual([code, expect.stringContaining(why)]);
});

test.for([
  ['report', '<html>Sign in</html>'],
  ['report', '{"data":null}'],
  ['report', '{}', '--date', '2025-11-20'],
  ['reconcile', '<html>Sign in</html>'],
  ['reconcile', '{}'],
] as const)('%s names an address that answers %s', async ([command, body, ...flags]) => {
  const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'token');
  const asked = ['--url', url, '--token-file', tokenFile];
  const { code, stdout, stderr } = await runProgram(command, ...flags, ...asked);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^counterfoil: http:\S+ does not answer as this version's daemon does: give --url .*\n$/,
  );
});

test('a day that is not closed is named, with exit code 1', async () => {
  const daemon = await lateDaemon();
  const store = ['--store', daemon.storePath];
  const none = await runProgram('report', ...store);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no day is closed yet')]);
  const wrong = await runProgram('report', ...store, '--date', '2020-01-01');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('no day is closed yet')]);
  const token = join(daemon.folder, 'another.token');
  writeFileSync(token, 'another\n');
  const asked = ['--url', daemon.url, '--token-file', token];
  const refused = await runProgram('report', ...asked);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `counterfoil: ${daemon.url}/v1/reports/daily?pageSize=1 answered 401: The token is unknown, replaced or revoked. Send the token itself, not its SHA-256, or ask an admin for a new one. Set COUNTERFOIL_TOKEN or --token-file.\n`,
  ]);
});

test('a report is not written over a store, a backup or the configuration', async () => {
  const daemon = await lateDaemon();
  await daemon.post(`/v1/reports/daily/${dayAgo(1)}/close`);
  const { storePath, configPath } = daemon;
  const [linked, symbolic, other] = ['linked', 'symbolic', 'other-name'].map((name) =>
    join(daemon.folder, name),
  ) as [string, string, string];
  linkSync(configPath, linked);
  symlinkSync(configPath, symbolic);
  symlinkSync(`${storePath}-wal`, other);
  // The running daemon changes its store: a file that the report replaced begins like a report.
  const beginnings = () =>
    [storePath, `${storePath}-wal`, `${storePath}-shm`, configPath].map((file) =>
      readFileSync(file).subarray(0, 16),
    );
  const before = beginnings();
  for (const [out, why] of [
    [storePath, 'is a SQLite database'],
    [`${storePath}-wal`, 'is part of a SQLite database'],
    [`${storePath}-shm`, 'is part of a SQLite database'],
    [`${storePath}-journal`, 'is part of a SQLite database'],
    [other, 'is part of a SQLite database'],
    [configPath, 'is read by this command'],
    [linked, 'is read by this command'],
    [symbolic, 'is read by this command'],
  ] as const) {
    const refused = await callProgram('report', '--config', configPath, '--out', out);
    const expected = `${out} ${why}, and the report would replace it: choose another --out`;
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(expected)]);
  }
  expect(beginnings()).toEqual(before);
  await daemon.end('SIGTERM');
});
