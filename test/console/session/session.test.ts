import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SessionFile, type Credential } from '../../../src/console/session/session-file.ts';
import { SESSION_SECONDS, Sessions } from '../../../src/console/session/session.ts';

/** Longer than any session. */
const NEVER_IDLE = Infinity;

const OLGA = { name: 'olga', role: 'operator' } as const;
const BY_TOKEN = { kind: 'token', sha256: 'aa' } as const;

function callerOf(credential: Credential): typeof OLGA | undefined {
  return credential.kind === 'token' && credential.sha256 === 'aa' ? OLGA : undefined;
}

test('a session is known until it ends', () => {
  let now = 0;
  const sessions = new Sessions({ callerOf, now: () => now, idleMsMax: NEVER_IDLE });
  const id = sessions.begin(BY_TOKEN);
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
  const sessions = new Sessions({ callerOf, now: () => 0, idleMsMax: NEVER_IDLE });
  const [first, second] = [sessions.begin(BY_TOKEN), sessions.begin(BY_TOKEN)];
  sessions.end(first);
  expect(sessions.visitor(first)).toBeUndefined();
  expect(sessions.visitor(second)).toEqual(OLGA);
  expect(sessions.visitor(undefined)).toBeUndefined();
  expect(sessions.visitor('')).toBeUndefined();
});

test('the thousand and first sign-in ends the oldest', () => {
  const sessions = new Sessions({ callerOf, now: () => 0, idleMsMax: NEVER_IDLE });
  const ids = Array.from({ length: 1_001 }, () => sessions.begin(BY_TOKEN));
  expect(sessions.visitor(ids[0])).toBeUndefined();
  expect(sessions.visitor(ids[1])).toEqual(OLGA);
  expect(sessions.visitor(ids[1_000])).toEqual(OLGA);
});

test('a session ends when its person has done nothing for the idle time, however often the page asks', () => {
  let now = 0;
  const sessions = new Sessions({ callerOf, now: () => now, idleMsMax: 1_000 });
  const id = sessions.begin(BY_TOKEN);
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
  const sessions = new Sessions({ callerOf, now: () => now, idleMsMax: 3_600_000 });
  const id = sessions.begin(BY_TOKEN);
  while (now < SESSION_SECONDS * 1_000) {
    expect(sessions.visitor(id)).toEqual(OLGA);
    sessions.acted(id);
    now += 1_800_000;
  }
  expect(sessions.visitor(id)).toBeUndefined();
});

function fileIn(): { path: string; failures: unknown[]; file: () => SessionFile } {
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'books.db.sessions');
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  return { path, failures, file: () => new SessionFile({ path, onFailure }) };
}

test('a restart signs nobody out, and the file holds neither token nor session id', () => {
  const { path, failures, file } = fileIn();
  const options = { callerOf, now: () => 5, idleMsMax: 1_000 };
  const before = new Sessions({ ...options, file: file() });
  const [kept, ended] = [before.begin(BY_TOKEN), before.begin(BY_TOKEN)];
  before.end(ended);
  const after = new Sessions({ ...options, file: file() });
  expect(after.visitor(kept)).toEqual(OLGA);
  expect(after.visitor(ended)).toBeUndefined();
  expect(readFileSync(path, 'utf8')).not.toContain(kept);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(failures).toEqual([]);
});

test('a restart neither extends a session nor revives one whose token is gone', () => {
  const { file } = fileIn();
  let now = 0;
  const options = { callerOf, now: () => now, idleMsMax: 100_000 };
  const before = new Sessions({ ...options, file: file() });
  const id = before.begin(BY_TOKEN);
  now = 60_000;
  before.acted(id);
  const revoked = new Sessions({ ...options, callerOf: () => undefined, file: file() });
  expect(revoked.visitor(id)).toBeUndefined();
  now = 159_999;
  expect(new Sessions({ ...options, file: file() }).visitor(id)).toEqual(OLGA);
  now = 160_000;
  expect(new Sessions({ ...options, file: file() }).visitor(id)).toBeUndefined();
});

test('a damaged file ends sessions and is reported', () => {
  const { path, failures, file } = fileIn();
  const options = { callerOf, now: () => 0, idleMsMax: 1_000 };
  writeFileSync(path, '[{"digest":');
  const sessions = new Sessions({ ...options, file: file() });
  expect(failures).toHaveLength(1);
  const id = sessions.begin(BY_TOKEN);
  expect(new Sessions({ ...options, file: file() }).visitor(id)).toEqual(OLGA);
});
