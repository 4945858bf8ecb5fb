import { createHash, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';

export const ALL_PERMISSIONS = ['Vault:read', 'manageVaults', 'manageNotifications'];

/** Later than every clock of the tests, the virtual one too: 2065, in Unix seconds. */
const EXPIRY_S = 2_997_907_200;

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKeyPem: string;
  /** Hex SHA-256 of the DER SubjectPublicKeyInfo. */
  readonly kid: string;
}

export function newKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    privateKey,
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    kid: createHash('sha256').update(der).digest('hex'),
  };
}

/** The key pair of all clients of a test file. */
export const KEYS = newKeyPair();

/**
 * A self-signed JWT of a client (the specification, section "Self-signed JWT"), with the given
 * changes.
 */
export async function tokenFor(
  clientId: string,
  changes: { header?: Record<string, unknown>; payload?: Record<string, unknown> } = {},
): Promise<string> {
  const { kid, privateKey } = KEYS;
  return new SignJWT({ iss: clientId, sub: kid, exp: EXPIRY_S, ...changes.payload })
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid, ...changes.header })
    .sign(privateKey);
}
