import { BlockList, isIP } from 'node:net';
import { UNIX_PEER } from '../../ops/config/certificate-form.ts';

/** Whether a peer is one of `unix`, addresses and ranges of addresses. */
export function peersIn(from: readonly string[]): (peer: string) => boolean {
  const list = new BlockList();
  for (const one of from) {
    if (one === UNIX_PEER) continue;
    const [address = '', bits] = one.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  const takesUnix = from.includes(UNIX_PEER);
  return (peer) => {
    if (peer === UNIX_PEER) return takesUnix;
    // IPv4 addresses in IPv6, `::ffff:10.0.0.1`, count as IPv4.
    return isIP(peer) !== 0 && list.check(peer, familyOf(peer));
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
