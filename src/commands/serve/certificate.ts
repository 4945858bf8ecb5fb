import type { Config } from '../../ops/config.ts';

/**
 * Whether the proxy in front vouches for the sender: it checks the client certificate (mTLS) and
 * passes its fingerprint or subject on in a header, which it must strip from what clients send.
 * `onRefused` is told what the header said, null where there is none.
 */
export function certificateGate(
  config: Config['intake']['clientCertificate'],
  onRefused: (header: string, handed: string | null) => void,
): ((headers: Headers) => boolean) | undefined {
  if (config === undefined) return undefined;
  const { header } = config;
  const allowed = new Set(config.allow);
  return (headers) => {
    const handed = headers.get(header);
    const accepted = handed !== null && allowed.has(handed);
    if (!accepted) onRefused(header, handed);
    return accepted;
  };
}
