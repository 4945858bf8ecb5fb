import { expect, test } from 'vitest';
import { decode } from '../../../src/intake/decode.ts';
import { notification } from '../../../src/wire/notification.ts';
import { Deliveries, deliveryOf, EVENTS } from './delivery.ts';

const VAULTS = 500;
const ALL_EVENTS = [
  EVENTS.firstConfirmation,
  EVENTS.lastConfirmation,
  EVENTS.depositOnChain,
  EVENTS.withdrawalSubmitted,
  EVENTS.withdrawalMined,
  EVENTS.withdrawalOnChain,
];

function bodyOf(deliveries: Deliveries, delivery: number): Buffer {
  const into = Buffer.alloc(deliveries.bytesMax);
  return into.subarray(0, deliveries.write(into, delivery));
}

function bodies(event: number, count: number): Buffer[] {
  const deliveries = new Deliveries({ vaults: VAULTS, seed: 7 });
  return Array.from({ length: count }, (_, subject) =>
    bodyOf(deliveries, deliveryOf(subject, event)),
  );
}

test('every first confirmation is a valid notification of another deposit, of about 1.5 KB', () => {
  const taken = bodies(EVENTS.firstConfirmation, 5_001);
  const parsed = taken.map((body) => notification.parse(JSON.parse(body.toString('utf8'))));
  expect(new Set(parsed.map(({ id }) => id)).size).toBe(taken.length);
  expect(new Set(parsed.map(({ blockchainHash }) => blockchainHash)).size).toBe(taken.length);
  expect(new Set(parsed.map(({ transactionId }) => transactionId)).size).toBe(taken.length);
  expect(new Set(parsed.map(({ vaultId }) => vaultId)).size).toBe(VAULTS);
  const addresses = parsed.map((one) => ('addressId' in one ? one.addressId : null));
  expect(new Set(addresses).size).toBe(5_000);
  const lengths = taken.map((body) => body.length);
  expect(Math.min(...lengths)).toBeGreaterThan(1_400);
  expect(Math.max(...lengths)).toBeLessThan(1_600);
});

test('every event of a subject is a notification that intake understands, with an id of its own', () => {
  const deliveries = new Deliveries({ vaults: VAULTS, seed: 7 });
  const read = ALL_EVENTS.map((event) => decode(bodyOf(deliveries, deliveryOf(41, event))));
  const taken = read.flatMap((one) => (one.kind === 'notification' ? [one.notification] : []));
  expect(taken.map(({ stream, type }) => `${stream} ${type}`)).toEqual([
    'incoming confirmation',
    'incoming confirmation',
    'blockchain transaction',
    'outgoing submitted',
    'outgoing mined',
    'blockchain transaction',
  ]);
  expect(new Set(taken.map(({ id }) => id)).size).toBe(ALL_EVENTS.length);
  expect(new Set(taken.map(({ blockchainHash }) => blockchainHash)).size).toBe(1);
  expect(new Set(taken.map(({ vaultId }) => vaultId)).size).toBe(1);
});

test('a delivery written again is the same, byte by byte, and another run has none of its ids', () => {
  const [one, again, other] = [7, 7, 8].map((seed) => {
    const deliveries = new Deliveries({ vaults: VAULTS, seed });
    return bodyOf(deliveries, deliveryOf(3, EVENTS.withdrawalMined)).toString('latin1');
  });
  expect(again).toBe(one);
  const idOf = (text = ''): unknown => (JSON.parse(text) as { id: unknown }).id;
  const vaultOf = (text = ''): unknown => (JSON.parse(text) as { vaultId: unknown }).vaultId;
  expect(idOf(other)).not.toBe(idOf(one));
  expect(vaultOf(other)).toBe(vaultOf(one));
});

test('a head states the length of the body after it', () => {
  const deliveries = new Deliveries({ vaults: 1, seed: 1, headOf: (bytes) => `${bytes}\n` });
  const [length, body = ''] = bodyOf(deliveries, deliveryOf(0, EVENTS.depositOnChain))
    .toString('latin1')
    .split('\n');
  expect(Number(length)).toBe(body.length);
});

test('a body with metadata of its own has some 1.3 KB and shares no long text with another', () => {
  const deliveries = new Deliveries({ vaults: VAULTS, seed: 7, extras: 'own' });
  const [one = '', next = ''] = [2, 3].map((event) =>
    bodyOf(deliveries, deliveryOf(41, event)).toString('latin1'),
  );
  expect(one.length).toBeGreaterThan(1_250);
  expect(one.length).toBeLessThan(1_350);
  const metadataOf = (text: string) => notification.parse(JSON.parse(text)).metadata;
  expect(metadataOf(one)?.['blockHash']).not.toBe(metadataOf(next)?.['blockHash']);
  expect(metadataOf(one)?.['traceId']).not.toBe(metadataOf(next)?.['traceId']);
});
