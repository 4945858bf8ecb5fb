import { z } from 'zod';
import { role } from './role.ts';
import { strict } from './reading/strict.ts';
import { text } from './reading/value.ts';

/** Names of this machine, where a provider may answer without TLS. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

const ISSUER =
  'must be the https address of the provider, as its own metadata writes it; http only on this machine';

const issuer = z.string(ISSUER).refine((value) => {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(value);
  if ([username, password, search, hash].some((part) => part !== '')) return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}, ISSUER);

/** A group that is a number would be sorted before the others; its place decides. */
const group = text.refine(
  (name) => !/^(?:0|[1-9][0-9]{0,9})$/.test(name),
  'must not be a plain number: JSON objects do not keep the place of such keys',
);

/** Sign-in at an OpenID Connect provider. `roles`: the first group that a person is in counts. */
export const openId = strict({
  issuer,
  clientId: text,
  /** Absent for a public client, which only PKCE protects. */
  clientSecret: text.exactOptional(),
  groupsClaim: text.default('groups'),
  scope: text
    .refine((value) => value.split(' ').includes('openid'), 'must hold "openid"')
    .default('openid profile email'),
  roles: z
    .record(group, role)
    .refine((roles) => Object.keys(roles).length > 0, 'needs at least one group with its role'),
});
