import { forbidden } from './answer.ts';
import type { Refusal } from './answer.ts';

/**
 * Refuses what a browser sends on behalf of another site. The control calls and the inspector take
 * no credentials, so without this any page that the operator visits could move the chains.
 */
export function crossSiteRefusal(headers: Headers): Refusal | undefined {
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
