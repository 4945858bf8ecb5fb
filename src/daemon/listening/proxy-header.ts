import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * The header that begins a connection in the PROXY protocol, versions 1 and 2
 * (https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt).
 */
export type ProxyHeader =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid' }
  | {
      readonly kind: 'header';
      /** The client's address; null when the proxy speaks for itself or does not know. */
      readonly source: string | null;
      readonly bytes: number;
    };

/** The longest line of version 1, with its end. */
const LINE_BYTES_MAX = 107;

const LINE_START = Buffer.from('PROXY ');

const SIGNATURE = Buffer.from([13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]);

/** Signature, version and command, family, length. */
const FIXED_BYTES = 16;

/** Addresses and additional fields of version 2; the format allows 64 KiB. */
const VARIABLE_BYTES_MAX = 4_096;

const VERSION_2_LOCAL = 0x20;
const VERSION_2_PROXY = 0x21;

/** Families of version 2 over a stream, with the bytes of their addresses and ports. */
const UNSPECIFIED = 0x00;
const TCP4 = 0x11;
const TCP6 = 0x21;
const UNIX = 0x31;
const ADDRESS_BYTES = new Map([
  [UNSPECIFIED, 0],
  [TCP4, 12],
  [TCP6, 36],
  [UNIX, 216],
]);

const INCOMPLETE: ProxyHeader = { kind: 'incomplete' };
const INVALID: ProxyHeader = { kind: 'invalid' };

/** Reads the header from the first bytes of a connection. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (isStartOf(SIGNATURE, bytes)) return readVersion2(bytes);
  if (isStartOf(LINE_START, bytes)) return readVersion1(bytes);
  return INVALID;
}

/** Whether the bytes begin with `start`, or are its beginning. */
function isStartOf(start: Buffer, bytes: Buffer): boolean {
  const length = Math.min(start.length, bytes.length);
  return start.subarray(0, length).equals(bytes.subarray(0, length));
}

function readVersion1(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, LINE_BYTES_MAX).indexOf('\r\n');
  if (end < 0) return bytes.length < LINE_BYTES_MAX ? INCOMPLETE : INVALID;
  const line = bytes.toString('latin1', LINE_START.length, end);
  const header = { kind: 'header', bytes: end + 2 } as const;
  if (/^UNKNOWN( |$)/.test(line)) return { ...header, source: null };
  const [family, source = '', destination = '', ...ports] = line.split(' ');
  const isAddress = family === 'TCP4' ? isIPv4 : isIPv6;
  const isWellFormed =
    (family === 'TCP4' || family === 'TCP6') &&
    isAddress(source) &&
    isAddress(destination) &&
    ports.length === 2 &&
    ports.every(isPort);
  return isWellFormed ? { ...header, source } : INVALID;
}

function isPort(text: string): boolean {
  return /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;
}

function readVersion2(bytes: Buffer): ProxyHeader {
  if (bytes.length < FIXED_BYTES) return INCOMPLETE;
  const command = bytes.readUInt8(12);
  const family = bytes.readUInt8(13);
  const variable = bytes.readUInt16BE(14);
  if (command !== VERSION_2_LOCAL && command !== VERSION_2_PROXY) return INVALID;
  if (variable > VARIABLE_BYTES_MAX) return INVALID;
  const length = FIXED_BYTES + variable;
  // A proxy's own connection, e.g. a health check: its addresses mean nothing.
  const isLocal = command === VERSION_2_LOCAL;
  const addressBytes = isLocal ? 0 : ADDRESS_BYTES.get(family);
  if (addressBytes === undefined || variable < addressBytes) return INVALID;
  if (bytes.length < length) return INCOMPLETE;
  const source = isLocal ? null : addressIn(bytes.subarray(FIXED_BYTES, length), family);
  return { kind: 'header', source, bytes: length };
}

function addressIn(bytes: Buffer, family: number): string | null {
  if (family === TCP4) return bytes.subarray(0, 4).join('.');
  if (family !== TCP6) return null;
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}
