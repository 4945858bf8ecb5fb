import { isIP } from 'node:net';
import { isLoopback } from '../../http-server.ts';
import { forbidden } from '../answer.ts';
import type { Refusal } from '../answer.ts';

/**
 * Refuses a browser's request from another site. The control calls and the inspector take no
 * credentials, so any page that the operator visits could otherwise change the chains. `hostNames`
 * as in `foreignHostRefusal`.
 */
export function crossSiteRefusal(
  headers: Headers,
  hostNames: readonly string[],
): Refusal | undefined {
  const foreignHost = foreignHostRefusal(headers, hostNames);
  if (foreignHost !== undefined) return foreignHost;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') {
    return forbidden('Requests from another site are refused');
  }
  const origin = headers.get('origin');
  if (origin === null) return undefined;
  const host = URL.canParse(origin) ? new URL(origin).host : '';
  return host === headers.get('host')
    ? undefined
    : forbidden('Requests from another site are refused');
}

/**
 * Refuses a `Host` header that names neither loopback nor one of `hostNames`. An attacker can make
 * the name of a page resolve to this machine (DNS rebinding). The browser then treats the page and
 * the core as one site, so only the name shows the difference.
 */
export function foreignHostRefusal(
  headers: Headers,
  hostNames: readonly string[],
): Refusal | undefined {
  const called = nameOf(headers.get('host') ?? '');
  if (isLoopback(called) || hostNames.some((name) => nameOf(name) === called)) return undefined;
  return forbidden(`${called} is not a name of this core: allow it with --control-host-name`);
}

/** The name without the port, in the browser's notation; empty for an invalid host. */
function nameOf(host: string): string {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
}
