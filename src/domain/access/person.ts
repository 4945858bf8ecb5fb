import type { Role } from './role.ts';

/** Begins the name of everybody who signs in at a provider; no token's name may begin with it. */
export const PERSON_PREFIX = 'person:';

/** What a provider says about a person (OpenID Connect Core, section 5.1). */
export interface PersonClaims {
  /** Names the person at the provider, for ever. */
  readonly sub: string;
  readonly email?: unknown;
  readonly emailVerified?: unknown;
}

/** A provider that says nothing vouches for the address. Some providers write the claim as text. */
const VOUCHED: ReadonlySet<unknown> = new Set([undefined, true, 'true']);

/** Longest address of mail, in characters (RFC 5321, 4.5.3.1). */
const EMAIL_CHARACTERS_MAX = 254;

/**
 * The name with which a person's decisions are journalled: `person:` and the e-mail address in small
 * letters. Without an address that the provider confirms, it is the provider's own id:
 * a person could otherwise take another's name, and be two people where four eyes are needed.
 */
export function personName({ sub, email, emailVerified }: PersonClaims): string {
  const isSafe =
    typeof email === 'string' &&
    VOUCHED.has(emailVerified) &&
    email.length <= EMAIL_CHARACTERS_MAX &&
    /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(email);
  return `${PERSON_PREFIX}${isSafe ? email.toLowerCase() : sub}`;
}

/** A group of the provider with the role of its members. */
export interface GroupRole {
  readonly group: string;
  readonly role: Role;
}

/** The first listed group that a person is in, with its role; undefined when in none. */
export function roleOfGroups(
  groups: readonly string[],
  listed: readonly GroupRole[],
): GroupRole | undefined {
  return listed.find(({ group }) => groups.includes(group));
}
