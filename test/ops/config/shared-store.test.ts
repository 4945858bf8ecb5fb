import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { STORE } from '../../../src/ops/config/config.ts';
import { loadConfig } from '../../../src/ops/config/reading/config-file.ts';
import { passwordIn } from '../../../src/ops/config/shared-store.ts';
import { configFolder, keyFlaw, MINIMAL } from './config-folder.ts';

const { folder, file, configOf, problemsOf } = configFolder();
const SECRET = 's'.repeat(32);
const DATABASE = 'postgres://counterfoil@db-1,db-2:5433/books?sslmode=verify-full';
const RECEIVER = {
  name: 'a',
  url: 'http://10.0.0.1:8801',
  secret: SECRET,
  replica: 'replica.db',
};
const FORM = 'must be "sqlite:PATH" or "postgres://USER@HOST[:PORT][,HOST…]/DATABASE"';

test('a store of PostgreSQL comes with its receiver, whose replica is a file', () => {
  const { store, receiver } = configOf({ ...MINIMAL, store: DATABASE, receiver: RECEIVER });
  const replica = path.join(folder, 'replica.db');
  expect(store).toEqual({ kind: 'postgres', url: DATABASE, path: replica, standby: 'required' });
  expect(receiver).toEqual({ ...RECEIVER, replica, leaseSeconds: 3, standby: 'required' });
});

test('password and secret come from the environment or from files', () => {
  writeFileSync(path.join(folder, 'receiver-secret'), `${SECRET}\n`);
  writeFileSync(path.join(folder, 'database'), 'postgres://u:p%40ss@db/books\n');
  const { secret: _, ...others } = RECEIVER;
  const receiver = { ...others, secretFile: 'receiver-secret' };
  const { store: _store, ...rest } = MINIMAL;
  const fromFiles = configOf({ ...rest, storeFile: 'database', receiver });
  expect(fromFiles.receiver?.secret).toBe(SECRET);
  expect(fromFiles.store).toMatchObject({ url: 'postgres://u:p%40ss@db/books' });
  const store = 'postgres://u:${PASSWORD}@db/books';
  const fromEnv = configOf({ ...MINIMAL, store, receiver }, { PASSWORD: 'p' });
  expect(fromEnv.store).toMatchObject({ url: 'postgres://u:p@db/books' });
});

test.for([
  ['postgres://u:p%40ss:w@db/books', 'p@ss:w'],
  ['postgres://u@db/books', null],
] as const)('the password of %s is %s', ([url, password]) => {
  expect(passwordIn(url)).toBe(password);
});

test.for([
  ['postgres://', 'names no user: USER@HOST'],
  ['postgres://db/books', 'names no user: USER@HOST'],
  ['postgres://:p@db/books', 'names no user: USER@HOST'],
  ['postgresql://u@/books', 'names no host'],
  ['postgres://u@db', 'names no database: HOST/DATABASE'],
  ['postgres://u@db/', 'names no database: HOST/DATABASE'],
  ['postgres://u@db:70000/books', 'host 1 is not a name or address with an optional port'],
  ['postgres://u@db,/books', 'host 2 is not a name or address with an optional port'],
  ['postgres://u:p%zz@db/books', 'has a % that begins no percent-encoding; write it as %25'],
  [
    'postgres://u:p@ss@db/books',
    `${FORM}; write @, :, / and # of a password as %40, %3A, %2F and %23`,
  ],
  ['mysql://u@db/books', FORM],
] as const)('the store %s is refused, and no message quotes it: %s', ([store, what]) => {
  expect(problemsOf({ ...MINIMAL, store, receiver: RECEIVER })).toEqual([`store: ${what}`]);
});

const URL_FORM = 'url: must be an http or https address: a scheme, a host and a port alone';
const REPLICA = 'must be the path of a file, without "sqlite:"; a replica cannot be in memory';

test.for([
  [{ name: 'two words' }, 'name: must be 1 to 64 letters, digits or ._- ; one name for each'],
  [{ url: 'tcp://10.0.0.1' }, URL_FORM],
  [{ url: 'nowhere' }, URL_FORM],
  [{ url: 'http://10.0.0.1:1/x' }, URL_FORM],
  [{ url: 'http://u:p@10.0.0.1:1' }, URL_FORM],
  [
    { secret: 'short' },
    'secret: must be 32 to 256 characters without blanks, the same for all receivers; `openssl rand -hex 32` makes one',
  ],
  [{ replica: ':memory:' }, `replica: ${REPLICA}`],
  [{ replica: 'sqlite:a.db' }, `replica: ${REPLICA}`],
  [{ standby: 'maybe' }, 'standby: must be "required" or "optional"'],
  [
    { caFile: 'nowhere.pem' },
    `caFile: ${path.join(folder, 'nowhere.pem')} does not exist; check the path`,
  ],
  [{ leaseSeconds: 0 }, 'leaseSeconds: must be an integer from 1 to 60'],
] as const)('the receiver %j is refused: %s', ([part, what]) => {
  const receiver = { ...RECEIVER, ...part };
  expect(problemsOf({ ...MINIMAL, store: DATABASE, receiver })).toEqual([`receiver.${what}`]);
});

test('`receiver` is allowed only with a store of PostgreSQL', () => {
  expect(problemsOf({ ...MINIMAL, store: DATABASE })).toEqual([
    'receiver: is missing; a store of PostgreSQL needs receiver.name, url, secretFile and replica',
  ]);
  expect(problemsOf({ ...MINIMAL, receiver: RECEIVER })).toEqual([
    'receiver: is for a store of PostgreSQL; remove it, or write store: "postgres://…"',
  ]);
});

test('a command that reads the store alone finds the replica', () => {
  writeFileSync(file, JSON.stringify({ store: DATABASE, receiver: RECEIVER, intake: 1 }));
  expect(loadConfig({ file, env: {}, part: STORE, keyFlaw })).toMatchObject({
    kind: 'ok',
    config: { store: { kind: 'postgres', path: path.join(folder, 'replica.db') } },
  });
});
