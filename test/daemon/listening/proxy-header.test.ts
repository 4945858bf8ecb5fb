import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readProxyHeader } from '../../../src/daemon/listening/proxy-header.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const REQUEST = 'GET / HTTP/1.1\r\n\r\n';

const line = (text: string): Buffer => Buffer.from(`${text}\r\n${REQUEST}`, 'latin1');
const binary = (rest: string): Buffer => Buffer.from(SIGNATURE + rest.replaceAll(' ', ''), 'hex');

/** 192.0.2.1:56324 → 198.51.100.2:443 */
const TCP4 = 'c0000201 c6336402 dc04 01bb';
/** 2001:db8::1 → 2001:db8::2 */
const TCP6 = '20010db8000000000000000000000001 20010db8000000000000000000000002 dc04 01bb';

const TAKEN: readonly (readonly [string, Buffer, string | null])[] = [
  ['1, IPv4', line('PROXY TCP4 192.0.2.1 198.51.100.2 56324 443'), '192.0.2.1'],
  ['1, IPv6', line('PROXY TCP6 2001:db8::1 2001:db8::2 0 65535'), '2001:db8::1'],
  ['1, unknown', line('PROXY UNKNOWN'), null],
  ['1, unknown with addresses', line('PROXY UNKNOWN ffff::1 ffff::2 1 2'), null],
  ['2, IPv4', binary(`21 11 000c ${TCP4}`), '192.0.2.1'],
  ['2, IPv6', binary(`21 21 0024 ${TCP6}`), '2001:db8::1'],
  // A field of type NOOP with two bytes.
  ['2, IPv4 and a field', binary(`21 11 0011 ${TCP4} 04 0002 0000`), '192.0.2.1'],
  ['2, unix', binary(`21 31 00d8 ${'00'.repeat(216)}`), null],
  ['2, unspecified', binary('21 00 0000'), null],
  ['2, the proxy itself', binary('20 00 0000'), null],
  ['2, the proxy itself with addresses', binary(`20 11 000c ${TCP4}`), null],
];

test.for(TAKEN)('version %s', ([, bytes, source]) => {
  const read = readProxyHeader(bytes);
  const length = bytes.includes(REQUEST) ? bytes.length - REQUEST.length : bytes.length;
  expect(read).toEqual({ kind: 'header', source, bytes: length });
});

const REFUSED: readonly (readonly [string, Buffer])[] = [
  ['no header', Buffer.from(REQUEST)],
  ['TLS', Buffer.from('1603010200010001fc0303', 'hex')],
  ['small letters', line('proxy TCP4 192.0.2.1 198.51.100.2 56324 443')],
  ['another family', line('PROXY UDP4 192.0.2.1 198.51.100.2 56324 443')],
  ['an address of the other family', line('PROXY TCP4 2001:db8::1 198.51.100.2 56324 443')],
  ['a number too large', line('PROXY TCP4 192.0.2.256 198.51.100.2 56324 443')],
  ['a leading zero', line('PROXY TCP4 192.0.2.1 198.51.100.2 056324 443')],
  ['a port too large', line('PROXY TCP4 192.0.2.1 198.51.100.2 56324 65536')],
  ['a port too few', line('PROXY TCP4 192.0.2.1 198.51.100.2 56324')],
  ['two spaces', line('PROXY TCP4  192.0.2.1 198.51.100.2 56324 443')],
  ['a space at the end', line('PROXY TCP4 192.0.2.1 198.51.100.2 56324 443 ')],
  ['nothing known of unknown', line('PROXY UNKNOWNS')],
  ['a line without an end', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(93)}`)],
  ['version 3', binary(`31 11 000c ${TCP4}`)],
  ['another command', binary(`22 11 000c ${TCP4}`)],
  ['datagrams', binary(`21 12 000c ${TCP4}`)],
  ['too short for its addresses', binary('21 11 000b c0000201c6336402dc0401')],
  ['longer than any proxy sends', binary('21 11 1001')],
];

test.for(REFUSED)('refused: %s', ([, bytes]) => {
  expect(readProxyHeader(bytes)).toEqual({ kind: 'invalid' });
});

test('wherever the network cuts a header, it is incomplete until its end', () => {
  fc.assert(
    fc.property(fc.constantFrom(...TAKEN), fc.nat(300), ([, bytes, source], cut) => {
      const whole = readProxyHeader(bytes);
      const length = whole.kind === 'header' ? whole.bytes : 0;
      const read = readProxyHeader(bytes.subarray(0, cut));
      const header = { kind: 'header', source, bytes: length };
      expect(read).toEqual(cut < length ? { kind: 'incomplete' } : header);
    }),
  );
});
