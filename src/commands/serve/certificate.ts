import type { Config } from '../../ops/config.ts';

/**
 * Whether the proxy in front vouches for the sender: it checks the client certificate (mTLS) and
 * passes its fingerprint or subject on in a header, which it must strip from what clients send.
 */
export function certificateGate(
  config: Config['intake']['clientCertificate'],
): ((headers: Headers) => boolean) | undefined {
  if (config === undefined) return undefined;
  const allowed = new Set(config.allow);
  return (headers) => allowed.has(headers.get(config.header) ?? '');
}
