import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { Client, ClientRegistry } from './client.ts';

/** Parsed keys by PEM. Parsing a key costs more than checking a signature with it. */
const KEYS_CACHED_MAX = 10_000;
const parsedKeys = new Map<string, KeyObject>();

function publicKeyOf(pem: string): KeyObject {
  const known = parsedKeys.get(pem);
  if (known !== undefined) return known;
  if (parsedKeys.size >= KEYS_CACHED_MAX) parsedKeys.clear();
  const key = createPublicKey(pem);
  parsedKeys.set(pem, key);
  return key;
}

export type TokenOutcome =
  | { readonly kind: 'authenticated'; readonly client: Client }
  | { readonly kind: 'rejected'; readonly message: string };

function rejected(message: string): TokenOutcome {
  return { kind: 'rejected', message };
}

/**
 * Checks a self-signed JWT (the specification, section "Self-signed JWT"). `typ` must be JWT and
 * `alg` RS256; `kid` must be a key of the client in `iss`, `sub` the same as `kid`, and `exp` in
 * the future.
 */
export async function verifySelfSignedToken(
  token: string,
  clients: ClientRegistry,
  nowMs: number,
): Promise<TokenOutcome> {
  try {
    const { typ, alg, kid } = decodeProtectedHeader(token);
    const { iss } = decodeJwt(token);
    if (typ !== 'JWT') return rejected('token header typ must be JWT');
    // The core chooses the algorithm, not the token.
    if (alg !== 'RS256') return rejected('token header alg must be RS256');
    const client = iss === undefined ? undefined : clients.byId(iss);
    if (client === undefined) return rejected('token issuer is not a known client');
    const key = client.keys.find((each) => each.kid === kid);
    if (key === undefined) return rejected('token kid is not a key of this client');
    await jwtVerify(token, publicKeyOf(key.publicKeyPem), {
      algorithms: ['RS256'],
      issuer: client.clientId,
      subject: key.kid,
      requiredClaims: ['iss', 'sub', 'exp'],
      currentDate: new Date(nowMs),
    });
    return { kind: 'authenticated', client };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return rejected('token has expired');
    if (error instanceof errors.JOSEError || error instanceof TypeError) {
      return rejected('token is not valid');
    }
    throw error;
  }
}
