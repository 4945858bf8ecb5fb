import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Notification } from '../../src/domain/fact/notification.ts';
import { isJsonObject } from '../../src/translation/json-reader.ts';
import { readNotification } from '../../src/translation/notification.ts';
import { notification as schema } from '../../src/wire/notification.ts';
import { Deliveries, deliveryOf, EVENTS } from '../bench/load/delivery.ts';
import { readTrace, trace, traceNames } from '../house/trace.ts';
import { Scene } from '../simulator/world/scene.ts';
import { asSent, bodiesOf, TYPES } from './bodies.ts';
import { notificationOf } from './expected-notification.ts';
import { changedBodies, muchChangedBodies } from './mutations.ts';

/** How a value reads by the schema and by the reader: as what, or null where it is refused. */
function readings(value: unknown): { schema: Notification | null; reader: Notification | null } {
  const parsed = schema.safeParse(value);
  const read = isJsonObject(value) ? readNotification(value) : { flaws: [] };
  return {
    schema: parsed.success ? notificationOf(parsed.data) : null,
    reader: 'notification' in read ? read.notification : null,
  };
}

/** Whether the schema takes the value. Throws when the reader reads it otherwise. */
function agreed(value: unknown): boolean {
  const read = readings(value);
  expect(read.reader).toStrictEqual(read.schema);
  return read.schema !== null;
}

test.for(TYPES)('the reader takes every valid body of %s %s', ([stream, type]) => {
  fc.assert(
    fc.property(bodiesOf(stream, type), (body) => {
      expect(agreed(body)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test.for(TYPES)('the reader takes a changed %s %s exactly when the schema does', (type) => {
  const verdicts = Array.from(changedBodies(type), agreed);
  expect(verdicts).toContain(true);
  expect(verdicts).toContain(false);
});

test('the reader accepts a changed notification exactly when the schema does', () => {
  fc.assert(
    fc.property(muchChangedBodies, (body) => {
      const read = readings(body);
      expect(read.reader).toStrictEqual(read.schema);
    }),
    { numRuns: 400 },
  );
});

test('the reader refuses every other value of JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(agreed(value)).toBe(false);
    }),
  );
});

const STORIES = traceNames().flatMap((name) =>
  trace.parse(readTrace(name)).steps.flatMap((step) => ('deliver' in step ? [step] : [])),
);

test('the reader takes what the golden traces deliver, unless they expect a quarantine', () => {
  expect(STORIES.map(({ deliver }) => agreed(deliver))).toEqual(
    STORIES.map(({ answer }) => answer !== 'quarantined'),
  );
});

test.for(Object.entries(EVENTS))('the reader takes what the bench delivers as %s', ([_, event]) => {
  const deliveries = new Deliveries({ vaults: 1, seed: 1 });
  const into = Buffer.alloc(deliveries.bytesMax);
  const length = deliveries.write(into, deliveryOf(0, event));
  expect(agreed(JSON.parse(into.toString('utf8', 0, length)))).toBe(true);
});

test('the reader accepts every notification of the simulated core, on every network', () => {
  const scene = new Scene();
  const vault = scene.vault();
  for (const { key: network, assets } of scene.world.networks()) {
    const from = scene.address(vault, network, 'from');
    for (const { asset } of assets) {
      scene.pay(from, asset.slice(network.length + 1), 10n ** 16n);
      scene.mine(network, 40);
      scene.order({
        vaultId: vault.vaultId,
        addressId: from.addressId,
        network,
        asset,
        amount: 1_000n,
      });
      scene.mine(network, 3);
    }
    scene.pay(from, assets[0]?.asset.slice(network.length + 1) ?? '', 5_000n);
    scene.mine(network);
    scene.reorg(network, 2);
    scene.mine(network, 5);
  }
  expect(scene.log.map(asSent).every(agreed)).toBe(true);
  const types = new Set(scene.log.map(({ stream, type }) => `${stream} ${type}`));
  for (const type of ['outgoing mined', 'incoming rollback', 'blockchain transaction']) {
    expect(types).toContain(type);
  }
});
