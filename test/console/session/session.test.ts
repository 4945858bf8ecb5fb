import { expect, test } from 'vitest';
import { SESSION_SECONDS, Sessions } from '../../../src/console/session/session.ts';

/** Longer than any session. */
const NEVER_IDLE = Infinity;

const OLGA = { name: 'olga', role: 'operator' } as const;

test('a session is known until it ends', () => {
  let now = 0;
  const sessions = new Sessions({ now: () => now, idleMsMax: NEVER_IDLE });
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
  const sessions = new Sessions({ now: () => 0, idleMsMax: NEVER_IDLE });
  const [first, second] = [sessions.begin(OLGA), sessions.begin(OLGA)];
  sessions.end(first);
  expect(sessions.visitor(first)).toBeUndefined();
  expect(sessions.visitor(second)).toEqual(OLGA);
  expect(sessions.visitor(undefined)).toBeUndefined();
  expect(sessions.visitor('')).toBeUndefined();
});

test('the thousand and first sign-in ends the oldest', () => {
  const sessions = new Sessions({ now: () => 0, idleMsMax: NEVER_IDLE });
  const ids = Array.from({ length: 1_001 }, () => sessions.begin(OLGA));
  expect(sessions.visitor(ids[0])).toBeUndefined();
  expect(sessions.visitor(ids[1])).toEqual(OLGA);
  expect(sessions.visitor(ids[1_000])).toEqual(OLGA);
});

test('a session ends when its person has done nothing for the idle time, however often the page asks', () => {
  let now = 0;
  const sessions = new Sessions({ now: () => now, idleMsMax: 1_000 });
  const id = sessions.begin(OLGA);
  now = 999;
  expect(sessions.visitor(id)).toEqual(OLGA);
  sessions.acted(id);
  now = 1_998;
  expect(sessions.visitor(id)).toEqual(OLGA);
  now = 1_999;
  expect(sessions.visitor(id)).toBeUndefined();
  // What has ended does not come back.
  sessions.acted(id);
  now = 1_000;
  expect(sessions.visitor(id)).toBeUndefined();
});

test('no activity keeps a session beyond its twelve hours', () => {
  let now = 0;
  const sessions = new Sessions({ now: () => now, idleMsMax: 3_600_000 });
  const id = sessions.begin(OLGA);
  while (now < SESSION_SECONDS * 1_000) {
    expect(sessions.visitor(id)).toEqual(OLGA);
    sessions.acted(id);
    now += 1_800_000;
  }
  expect(sessions.visitor(id)).toBeUndefined();
});
