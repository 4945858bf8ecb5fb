import { expect, test } from 'vitest';
import { decodeRecord, encodeRecord } from '../../../src/simulator/state/codec.ts';
import { record, Scene } from '../world/scene.ts';

const DAY_MS = 24 * 3_600_000;

/** A few calls of every kind, some of them unfinished. */
async function play(scene: Scene): Promise<void> {
  const vault = scene.vault({ quorum: 1, approvers: ['a'] });
  const address = scene.address(vault, 'ethereum');
  scene.pay(address, 'ETH', 10n ** 18n);
  await scene.clock.advance(60_000);
  const order = scene.order({
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 5n,
  });
  record(scene.world.approve({ transactionId: order.transactionId, clientId: 'a' }));
  scene.order({
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 10n ** 30n,
  });
  scene.reorg('ethereum', 1);
}

test('the same seed and calls give the same notifications, byte for byte; another seed does not', async () => {
  const texts: string[] = [];
  for (const seed of [1, 1, 2]) {
    const scene = new Scene({ seed, autoMine: true });
    await play(scene);
    await scene.clock.advance(30 * DAY_MS);
    texts.push(JSON.stringify(scene.log));
  }
  expect(texts[1]).toBe(texts[0]);
  expect(texts[2]).not.toBe(texts[0]);
});

test('a restored world continues exactly like the first one', async () => {
  const scene = new Scene({ autoMine: true });
  await play(scene);
  const snapshot = scene.state.snapshot();
  const nowMs = scene.clock.now();
  const future = async (): Promise<string> => {
    scene.log.length = 0;
    await scene.clock.advance(30 * DAY_MS);
    return JSON.stringify([scene.log, scene.world.transactions({}), scene.world.chains()]);
  };
  const first = await future();
  scene.world.stop();
  scene.clock.reset(nowMs);
  scene.state.restore(snapshot);
  scene.world.resume();
  expect(await future()).toBe(first);
});

test('every record survives its codec', async () => {
  const scene = new Scene({ autoMine: true });
  await play(scene);
  for (const rows of scene.state.snapshot().tables.values()) {
    for (const row of rows.values()) expect(decodeRecord(encodeRecord(row))).toEqual(row);
  }
});

test('the change hook receives enough to keep a copy', async () => {
  const scene = new Scene({ autoMine: true });
  const copy = new Map<string, unknown>();
  scene.state.onChange(({ table, key, record: row }) => {
    if (row === undefined) copy.delete(`${table}|${key}`);
    else copy.set(`${table}|${key}`, row);
  });
  const before = scene.state.snapshot();
  await play(scene);
  scene.state.restore(before);
  await play(scene);
  const missing: string[] = [];
  for (const [name, rows] of scene.state.snapshot().tables) {
    for (const [key, row] of rows) {
      const isChanged = before.tables.get(name)?.get(key) !== row;
      if (isChanged && copy.get(`${name}|${key}`) !== row) missing.push(`${name}|${key}`);
    }
  }
  expect(missing).toEqual([]);
  expect(copy.size).toBeGreaterThan(20);
});

test('weeks of empty blocks cost nothing, and still deepen what waits', async () => {
  const scene = new Scene({ autoMine: true });
  const address = scene.address(scene.vault(), 'sui');
  const tip = () => scene.world.chains().find(({ network }) => network === 'sui')?.height ?? 0;
  const start = tip();
  await scene.clock.advance(23 * DAY_MS);
  expect(tip()).toBe(start + 23 * 86_400);
  scene.pay(address, 'SUI', 5n);
  await scene.clock.advance(DAY_MS);
  expect(scene.world.transactions({}).data[0]).toMatchObject({
    status: 'confirmed',
    confirmations: 86_400,
  });
});
