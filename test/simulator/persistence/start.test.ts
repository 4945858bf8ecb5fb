import Database from 'better-sqlite3';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startCore } from '../../../src/simulator/core.ts';
import type { CoreOptions, RunningCore } from '../../../src/simulator/core.ts';
import { startReceiver } from '../webhook-receiver.ts';

let folder: string;
let db: string;
const cores: RunningCore[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-start-'));
  db = join(folder, 'core.db');
});

afterEach(async () => {
  for (const core of cores.splice(0)) await core.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function started(options: Partial<CoreOptions> = {}): Promise<RunningCore> {
  const core = await startCore({ port: 0, db, ...options });
  cores.push(core);
  return core;
}

async function stopAll(): Promise<void> {
  for (const core of cores.splice(0)) await core.stop();
}

async function sim(core: RunningCore, method: string, path: string, body?: unknown) {
  const init = { method, headers: { 'content-type': 'application/json' } };
  const response = await fetch(
    `${core.controlUrl}${path}`,
    body === undefined ? init : { ...init, body: JSON.stringify(body) },
  );
  return (await response.json()) as Record<string, unknown>;
}

test('the seed and the clock of the file are used, and the core reports it', async () => {
  const first = await started({ seed: 4, clock: 'virtual' });
  await sim(first, 'POST', '/sim/clock', { advanceMs: 5_000 });
  const nowMs = first.clock.now();
  await stopAll();
  const notices: string[] = [];
  const second = await started({
    seed: 5,
    clock: 'real',
    onNotice: (notice) => notices.push(notice),
  });
  expect(await sim(second, 'GET', '/sim/clock')).toEqual({ now: nowMs, virtual: true });
  expect(notices).toEqual([
    `${db} was made with seed 4 and keeps it; seed 5 is ignored`,
    `${db} was made on a virtual clock and keeps it; real is ignored`,
  ]);
  await stopAll();
  await started({ onNotice: (notice) => notices.push(notice) });
  expect(notices).toHaveLength(2);
});

test('a virtual clock starts at the given time, and the time of a file comes first', async () => {
  const startMs = Date.UTC(2031, 4, 1);
  const first = await started({ clock: 'virtual', startMs });
  expect(await sim(first, 'GET', '/sim/clock')).toEqual({ now: startMs, virtual: true });
  const made = await sim(first, 'POST', '/sim/vaults', { name: 'v' });
  expect(made['createdAt']).toBe('2031-05-01T00:00:00.000Z');
  await stopAll();
  const notices: string[] = [];
  const onNotice = (notice: string) => notices.push(notice);
  const again = await started({ clock: 'virtual', startMs: startMs + 1, onNotice });
  expect(again.clock.now()).toBe(startMs);
  expect(notices).toEqual([
    `${db} continues at 2031-05-01T00:00:00.000Z; the start time is ignored`,
  ]);
});

test('a virtual clock ends with the year 9999', async () => {
  const core = await started({ clock: 'virtual', startMs: Date.UTC(9999, 11, 31) });
  expect(await sim(core, 'POST', '/sim/clock', { advanceMs: 86_400_000 })).toMatchObject({
    statusCode: 400,
    errorCode: 'BR-1',
  });
  expect(await sim(core, 'POST', '/sim/clock', { advanceMs: 86_399_999 })).toEqual({
    now: Date.UTC(10_000, 0) - 1,
  });
});

test('a start that fails leaves the file free', async () => {
  const busy = await startCore({ port: 0 });
  cores.push(busy);
  await expect(started({ port: busy.port })).rejects.toThrow('EADDRINUSE');
  await started();
});

test('a file of another program is refused and not changed', async () => {
  writeFileSync(db, 'precious\n'.repeat(1_000));
  await expect(started()).rejects.toThrow('is not a SQLite database');
});

test('a file keeps the permissions mode of its last run', async () => {
  const modeOf = (): unknown => {
    const file = new Database(db, { readonly: true });
    const select = "SELECT record FROM records WHERE name = 'settings'";
    const text = file.prepare<[], { record: string }>(select).get()?.record;
    file.close();
    return text === undefined ? undefined : JSON.parse(text);
  };
  await started();
  await stopAll();
  expect(modeOf()).toEqual({ strictPermissions: true });
  await started({ strictPermissions: false });
  await stopAll();
  await started();
  await stopAll();
  expect(modeOf()).toEqual({ strictPermissions: false });
  // A file of a version without this setting.
  const older = new Database(db);
  older.exec("DELETE FROM records WHERE name = 'settings'");
  older.close();
  await started();
  await stopAll();
  expect(modeOf()).toEqual({ strictPermissions: false });
});

test('a restore or a reset stays in effect after a restart', async () => {
  const core = await started({ clock: 'virtual', autoMine: false });
  const { snapshotId } = await sim(core, 'POST', '/sim/snapshot');
  await sim(core, 'POST', '/sim/vaults', { name: 'undone' });
  await sim(core, 'POST', '/sim/clock', { advanceMs: 60_000 });
  await sim(core, 'POST', '/sim/restore', { snapshotId });
  const kept = await sim(core, 'POST', '/sim/vaults', { name: 'kept' });
  const nowMs = core.clock.now();
  await stopAll();
  const again = await started();
  expect(again.world.vaults()).toMatchObject([{ vaultId: kept['vaultId'], name: 'kept' }]);
  expect(again.clock.now()).toBe(nowMs);
});

test('blocks that were due while the core was down are added at its start', async () => {
  const suiHeight = (core: RunningCore): number =>
    core.world.chains().find(({ network }) => network === 'sui')?.height ?? 0;
  const before = suiHeight(await started());
  await stopAll();
  const wakesMs = Date.now() + 600_000;
  vi.spyOn(Date, 'now').mockReturnValue(wakesMs);
  expect(suiHeight(await started())).toBeGreaterThanOrEqual(before + 600);
});

test('a notification waits for its receiver across restarts, with its failures counted', async () => {
  const receiver = await startReceiver();
  receiver.reply = () => 500;
  const first = await started({ clock: 'virtual', autoMine: false });
  first.delivery.subscribe('v', receiver.url, ['outgoing']);
  const body = { id: 'a', timestamp: 0, vaultId: 'v', stream: 'outgoing', type: 'signed' } as const;
  first.delivery.enqueue('v', { ...body, transactionId: 't', orderId: 'o', network: 'ethereum' });
  await sim(first, 'POST', '/sim/clock', { advanceMs: 10_000 });
  await stopAll();
  const second = await started({ autoMine: false });
  expect(second.delivery.backlog('v')).toMatchObject({
    size: 1,
    consecutiveFailures: 2,
    nextTryAt: second.clock.now() + 20_000,
  });
  receiver.reply = () => 200;
  await sim(second, 'POST', '/sim/clock', { advanceMs: 20_000 });
  expect(receiver.hits.map(({ body: { id } }) => id)).toEqual(['a', 'a', 'a']);
  expect(second.delivery.backlog('v')).toMatchObject({ size: 0, consecutiveFailures: 0 });
  await receiver.close();
});
