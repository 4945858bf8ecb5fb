import type { Decision, Refusal } from '../fact/decision.ts';
import type { Role } from './role.ts';

/** Decisions about tokens that people make at run time. */
export type TokenDecision = Extract<
  Decision,
  { kind: 'create-token' | 'rotate-token' | 'revoke-token' }
>;

/** A token that was made at run time, as its last change left it. Only its digest is known. */
export interface IssuedToken {
  readonly name: string;
  readonly role: Role;
  /** SHA-256 in hex; null when the token is revoked. */
  readonly sha256: string | null;
}

/** The version of a token whose last change has this journal position. */
export function tokenVersion(seq: number): string {
  return `tok_${seq}`;
}

/** A change of a token: what it is from now on. */
export type TokenChange =
  | { readonly kind: 'taken'; readonly token: IssuedToken }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

function refused(kind: Refusal['kind'], detail: string): TokenChange {
  return { kind: 'refused', refusal: { kind, detail } };
}

/**
 * Applies a decision about a token. `known`: its last change and that fact's position. A name is
 * used once, because the journal names people by it.
 */
export function changeToken(
  decision: TokenDecision,
  known: (IssuedToken & { readonly seq: number }) | undefined,
): TokenChange {
  const { name } = decision;
  if (decision.kind === 'create-token') {
    const { role, sha256 } = decision;
    if (known === undefined) return { kind: 'taken', token: { name, role, sha256 } };
    const was = known.sha256 === null ? 'had it and is revoked' : 'has it';
    return refused('conflict', `the name ${name} is used: a token ${was}; choose another name`);
  }
  if (known === undefined) {
    return refused(
      'not_found',
      `no token ${name} was made at run time: list them with GET /v1/tokens`,
    );
  }
  const { role } = known;
  if (known.sha256 === null) return refused('conflict', `the token ${name} is revoked`);
  if (decision.kind === 'revoke-token') {
    const { basis } = decision;
    if (basis !== undefined && basis !== tokenVersion(known.seq)) {
      const detail = `the token ${name} was rotated since you read it. Nothing was done: read it again, then decide`;
      return refused('conflict', detail);
    }
    return { kind: 'taken', token: { name, role, sha256: null } };
  }
  if (decision.replaces !== known.seq) {
    return refused('stale', `the token ${name} was rotated since you read it`);
  }
  return { kind: 'taken', token: { name, role: decision.role ?? role, sha256: decision.sha256 } };
}
