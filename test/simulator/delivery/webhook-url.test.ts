import { expect, test } from 'vitest';
import { destinationRefusal, guardedLookup } from '../../../src/simulator/delivery/webhook-url.ts';

const strict = { allowLoopback: false, allowPrivate: false };

test.each([
  'https://hooks.example.com/x',
  'http://93.184.216.34:8080/hook',
  'http://[2606:2800:220:1::1]/hook',
])('%s may be a destination', (url) => {
  expect(destinationRefusal(url, strict)).toBeUndefined();
});

test.each([
  'ftp://example.com/x',
  'file:///etc/passwd',
  'not a url',
  'http://localhost/x',
  'http://localhost./x',
  'http://api.localhost/x',
  'http://127.0.0.1/x',
  'http://2130706433/x',
  'http://0x7f.1/x',
  'http://[::1]/x',
  'http://[::ffff:127.0.0.1]/x',
  'http://[::ffff:10.0.0.1]/x',
  'http://0.0.0.0/x',
  'http://10.1.2.3/x',
  'http://172.31.0.1/x',
  'http://192.168.1.1/x',
  'http://169.254.169.254/latest/meta-data',
  'http://100.64.0.1/x',
  'http://[fe80::1]/x',
  'http://[fd00::1]/x',
  'http://[fec0::1]/x',
  'http://[64:ff9b:1::a00:1]/x',
  'http://[::]/x',
  'http://224.0.0.1/x',
])('%s may not be a destination', (url) => {
  expect(destinationRefusal(url, strict)).toBeTypeOf('string');
});

test('loopback and private ranges open by their own settings', () => {
  expect(destinationRefusal('http://127.0.0.1/x', { ...strict, allowLoopback: true })).toBe(
    undefined,
  );
  expect(destinationRefusal('http://10.0.0.1/x', { ...strict, allowLoopback: true })).toBeTypeOf(
    'string',
  );
  expect(destinationRefusal('http://10.0.0.1/x', { ...strict, allowPrivate: true })).toBe(
    undefined,
  );
  expect(destinationRefusal('http://[::1]/x', { ...strict, allowPrivate: true })).toBeTypeOf(
    'string',
  );
});

test.each(['http://0.0.0.0/x', 'http://0/x', 'http://[::]/x'])(
  '%s is this machine by another name, and takes both settings',
  (url) => {
    expect(destinationRefusal(url, { ...strict, allowPrivate: true })).toBeTypeOf('string');
    expect(destinationRefusal(url, { ...strict, allowLoopback: true })).toBeTypeOf('string');
    expect(destinationRefusal(url, { allowLoopback: true, allowPrivate: true })).toBe(undefined);
  },
);

test('a name that resolves to a forbidden address does not connect', async () => {
  const code = await new Promise((resolve) => {
    guardedLookup(strict)('localhost', {}, (error) => resolve(error?.code));
  });
  expect(code).toBe('EACCES');
  const address = await new Promise((resolve) => {
    guardedLookup({ ...strict, allowLoopback: true })('localhost', { family: 4 }, (_error, found) =>
      resolve(found),
    );
  });
  expect(address).toBe('127.0.0.1');
});
