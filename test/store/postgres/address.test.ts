import { expect, test } from 'vitest';
import {
  AddressRefused,
  journalAddress,
  shownAddress,
} from '../../../src/store/postgres/address.ts';

function refusalOf(text: string): string {
  try {
    journalAddress(text);
    return 'accepted';
  } catch (error) {
    if (error instanceof AddressRefused) return error.message;
    throw error;
  }
}

test('an address names its hosts in order, its database, user and schema', () => {
  expect(
    journalAddress(
      'postgres://owner@db1,db2:6432,[::1]:6433/exchange?schema=books&sslmode=disable',
    ),
  ).toEqual({
    hosts: [
      { host: 'db1', port: 5432 },
      { host: 'db2', port: 6432 },
      { host: '::1', port: 6433 },
    ],
    database: 'exchange',
    user: 'owner',
    password: undefined,
    passwordFrom: 'the one in the address of the store',
    schema: 'books',
    tls: false,
  });
});

test('the schema is counterfoil by default', () => {
  expect(journalAddress('postgresql://u@h/d').schema).toBe('counterfoil');
});

test.each([
  ['another machine', 'postgres://u@db1/d', {}],
  ['this machine and another', 'postgres://u@127.0.0.1,db1/d', {}],
  ['this machine', 'postgres://u@127.0.0.1,localhost,[::1]/d', false],
  ['a socket', 'postgres://u@%2Fvar%2Frun/d', false],
  ['require', 'postgres://u@db1/d?sslmode=require', { rejectUnauthorized: false }],
  ['disable', 'postgres://u@db1/d?sslmode=disable', false],
  ['verify-full here', 'postgres://u@127.0.0.1/d?sslmode=verify-full', {}],
])('TLS for %s', (_, text, tls) => {
  expect(journalAddress(text).tls).toEqual(tls);
});

test('the password of its own file replaces the one in the address, and neither is shown', () => {
  const address = journalAddress('postgres://u:in%3Aaddress@h/d', {
    password: 'from-file',
    from: 'the file',
  });
  expect([address.password, address.passwordFrom]).toEqual(['from-file', 'the file']);
  expect(journalAddress('postgres://u:in%3Aaddress@h/d').password).toBe('in:address');
  expect(shownAddress(address)).toBe('postgres://u@h:5432/d (schema counterfoil)');
});

test.each([
  ['sqlite:books.db', 'not of the form postgres://USER@HOST'],
  ['postgres://u@h', 'not of the form postgres://USER@HOST'],
  ['postgres://h/d', 'names no user'],
  ['postgres://u@h:99999/d', 'has the host "h:99999"'],
  ['postgres://u@a,,b/d', 'has the host ""'],
  ['postgres://u%@h/d', 'a % that begins no escape'],
  ['postgres://u@h/d?sslmod=disable', 'the unknown parameter sslmod: it may have schema, sslmode'],
  ['postgres://u@h/d?sslmode=prefer', 'sslmode is prefer: write verify-full'],
  ['postgres://u@h/d?sslmode=verify-ca', 'sslmode verify-ca needs sslrootcert'],
  [
    'postgres://u@h/d?sslrootcert=/nowhere/ca.pem',
    "sslrootcert of the store's address cannot be read",
  ],
  ['postgres://u@h/d?schema=a;drop', 'is no plain name'],
  ['postgres://u@h/d?target_session_attrs=any', 'receivers write, so leave it out'],
])('%s is refused', (text, problem) => {
  expect(refusalOf(text)).toContain(problem);
});

test('a refusal does not show the password', () => {
  expect(refusalOf('postgres://u:secret@h:99999/d')).not.toContain('secret');
  expect(refusalOf('postgres://u:secret@h')).not.toContain('secret');
  for (const password of ['in@secret', 'in@secret:x', 'in@secret,x']) {
    const refusal = refusalOf(`postgres://u:${password}@h/d`);
    expect(refusal).toContain('write @ of a password as %40');
    expect(refusal).not.toContain('secret');
  }
});
