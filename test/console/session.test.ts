import { expect, test } from 'vitest';
import { SESSION_SECONDS, Sessions } from '../../src/console/session.ts';

const OLGA = { name: 'olga', role: 'operator' };

test('a session is known until it ends', () => {
  let now = 0;
  const sessions = new Sessions({ now: () => now });
  const id = sessions.begin(OLGA);
  expect(id).toMatch(/^[\w-]{43}$/);
  expect(sessions.visitor(id)).toEqual(OLGA);
  now = SESSION_SECONDS * 1_000 - 1;
  expect(sessions.visitor(id)).toEqual(OLGA);
  now += 1;
  expect(sessions.visitor(id)).toBeUndefined();
  now = 0;
  expect(sessions.visitor(id)).toBeUndefined();
});

test('signing out ends it, and no other', () => {
  const sessions = new Sessions({ now: () => 0 });
  const [first, second] = [sessions.begin(OLGA), sessions.begin(OLGA)];
  sessions.end(first);
  expect(sessions.visitor(first)).toBeUndefined();
  expect(sessions.visitor(second)).toEqual(OLGA);
  expect(sessions.visitor(undefined)).toBeUndefined();
  expect(sessions.visitor('')).toBeUndefined();
});

test('the thousand and first sign-in ends the oldest', () => {
  const sessions = new Sessions({ now: () => 0 });
  const ids = Array.from({ length: 1_001 }, () => sessions.begin(OLGA));
  expect(sessions.visitor(ids[0])).toBeUndefined();
  expect(sessions.visitor(ids[1])).toEqual(OLGA);
  expect(sessions.visitor(ids[1_000])).toEqual(OLGA);
});
