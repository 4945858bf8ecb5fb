import { lookup } from 'node:dns';
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { LookupFunction } from 'node:net';

/** Which destinations webhooks and replays may reach, beside the public internet. */
export interface DestinationPolicy {
  readonly allowLoopback: boolean;
  /** Private, link-local, shared and reserved ranges. */
  readonly allowPrivate: boolean;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

// Addresses that servers listen on; a connection to one of them reaches this machine.
const unspecified = new BlockList();
unspecified.addSubnet('0.0.0.0', 8);
unspecified.addAddress('::', 'ipv6');

// Every address that is not a public host. A webhook URL to an internal service would be a
// server-side request forgery.
const reserved = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  reserved.addSubnet(network, prefix);
}
for (const [network, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  reserved.addSubnet(network, prefix, 'ipv6');
}

/**
 * Returns the IPv4 address inside an IPv4-mapped IPv6 address (`::ffff:7f00:1`): a connection to
 * the one reaches the other.
 */
function unmapped(address: string): string {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const words = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (words?.[1] === undefined || words[2] === undefined) return address;
  const [high, low] = [Number.parseInt(words[1], 16), Number.parseInt(words[2], 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function addressAllowed(address: string, policy: DestinationPolicy): boolean {
  const plain = unmapped(address);
  const family = isIPv6(plain) ? 'ipv6' : 'ipv4';
  if (loopback.check(plain, family)) return policy.allowLoopback;
  if (unspecified.check(plain, family)) return policy.allowLoopback && policy.allowPrivate;
  return policy.allowPrivate || !reserved.check(plain, family);
}

/**
 * Returns why a URL may not be a webhook or replay destination, or undefined when it may. Host
 * names are checked again by their address at connection time (`guardedLookup`).
 */
export function destinationRefusal(text: string, policy: DestinationPolicy): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be http or https';
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const named = host === 'localhost' || host.endsWith('.localhost');
  const allowed = named ? policy.allowLoopback : isIP(host) === 0 || addressAllowed(host, policy);
  return allowed ? undefined : 'points to an address that webhooks may not reach';
}

/**
 * Resolves a host name to its allowed addresses only. So a public name cannot lead a delivery to an
 * internal address.
 */
export function guardedLookup(policy: DestinationPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const allowed = addresses.filter(({ address }) => addressAllowed(address, policy));
      const first = allowed[0];
      if (first === undefined) {
        const refusal: NodeJS.ErrnoException = new Error(
          `${hostname} resolves to no allowed address`,
        );
        refusal.code = 'EACCES';
        callback(refusal, '', 0);
      } else if (options.all === true) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}
