import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FLAWS_MAX, type JsonObject } from '../../src/translation/json-reader.ts';
import { readNotification } from '../../src/translation/notification.ts';
import { notification as schema } from '../../src/wire/notification.ts';
import { TYPES } from './bodies.ts';
import { changedBodies, muchChangedBodies } from './mutations.ts';

/** Where the first flaws of a body are. */
function flawsOf(body: object): string[] {
  const read = readNotification(body as JsonObject);
  return 'flaws' in read ? read.flaws.map(({ path }) => path.join('.')) : [];
}

/** Where the schema finds the first flaws; it may find several at one path. */
function firstIssues(body: object): string[] {
  const issues = schema.safeParse(body).error?.issues ?? [];
  return [...new Set(issues.map(({ path }) => path.join('.')))].slice(0, FLAWS_MAX);
}

function isSound(body: object): boolean {
  return schema.safeParse(body).success;
}

test.for(TYPES)('the flaws of a changed %s %s are where the schema finds the first', (type) => {
  const flawed = [...changedBodies(type)].filter((body) => !isSound(body));
  expect(flawed.length).toBeGreaterThan(0);
  expect(flawed.map(flawsOf)).toEqual(flawed.map(firstIssues));
});

test('only the first of many flaws are listed, at the paths of the schema', () => {
  fc.assert(
    fc.property(muchChangedBodies, (body) => {
      expect(flawsOf(body)).toEqual(firstIssues(body));
    }),
    { numRuns: 400 },
  );
});

const INCOMING = {
  id: 'ntf-1',
  timestamp: 1,
  vaultId: 'v1',
  stream: 'incoming',
  type: 'confirmation',
  network: 'ethereum',
  blockchainHash: '0xa1',
  confirmations: 1,
};
const SOUND = { asset: 'ethereum:ETH', amount: '1' };

/** A list that counts how many of its items anybody looks at. */
function watched(items: readonly unknown[]): { list: unknown[]; seen: () => number } {
  const seen = new Set<PropertyKey>();
  const list = new Proxy([...items], {
    get: (target, key, receiver) => {
      if (typeof key === 'string' && /^[0-9]+$/.test(key)) seen.add(key);
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  return { list, seen: () => seen.size };
}

const MANY = 400_000;

test('only the first of many flawed changes are read', () => {
  const { list, seen } = watched(Array.from({ length: MANY }, () => 7));
  const flaws = flawsOf({ ...INCOMING, balanceChanges: list });
  expect(flaws).toEqual(['balanceChanges.0', 'balanceChanges.1', 'balanceChanges.2']);
  expect(seen()).toBe(FLAWS_MAX);
});

test('only the first of many flawed tags are read', () => {
  const { list, seen } = watched(Array.from({ length: MANY }, () => null));
  const flaws = flawsOf({ ...INCOMING, balanceChanges: [SOUND, { ...SOUND, tags: list }] });
  expect(flaws).toEqual([
    'balanceChanges.1.tags.0',
    'balanceChanges.1.tags.1',
    'balanceChanges.1.tags.2',
  ]);
  expect(seen()).toBe(FLAWS_MAX);
});

test('flaws after sound changes are listed at their own index', () => {
  const changes: unknown[] = Array.from({ length: 9 }, () => SOUND);
  changes[4] = { ...SOUND, amount: 5 };
  changes[8] = { ...SOUND, tags: ['fee', 1, 'mint', 2] };
  const flaws = flawsOf({ ...INCOMING, balanceChanges: changes });
  expect(flaws).toEqual([
    'balanceChanges.4.amount',
    'balanceChanges.8.tags.1',
    'balanceChanges.8.tags.3',
  ]);
});

test('a sound notification has no flaws', () => {
  expect(flawsOf({ ...INCOMING, balanceChanges: [SOUND] })).toEqual([]);
});
