import type { Config } from '../../ops/config/config.ts';

/**
 * Checks the client certificate that the proxy reports (mTLS): its fingerprint or subject arrives in
 * a header. The proxy must remove this header from clients' requests. `onRefused` receives the
 * header's value, or null when it is absent.
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
