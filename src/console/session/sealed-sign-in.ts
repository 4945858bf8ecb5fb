import { hkdfSync, randomBytes } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { z } from 'zod';

/** How long a person may take at the provider. */
export const SIGN_IN_SECONDS = 600;

const KEY_BYTES = 32;

const pendingSignIn = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUri: z.string(),
  next: z.string(),
});

/** What one sign-in sent to the provider and expects back, and the page to open afterwards. */
export type PendingSignIn = z.infer<typeof pendingSignIn>;

/** Separates this key from every other use of the receivers' secret. */
const PURPOSE = 'counterfoil console sign-in';

/** The key of all receivers that share a secret; without one, a key of this process alone. */
function keyOf(sharedSecret: string | undefined): Uint8Array {
  if (sharedSecret === undefined) return randomBytes(KEY_BYTES);
  return new Uint8Array(hkdfSync('sha256', sharedSecret, '', PURPOSE, KEY_BYTES));
}

/**
 * Keeps a sign-in in the browser's cookie while the person is at the provider. Sealed, so that the
 * browser can neither read nor change it; and nothing is kept here, so that nobody can fill our
 * memory with sign-ins. Receivers that share a secret share the key: the provider may send the browser
 * back to another one. Without a secret, a restart ends sign-ins that have begun.
 */
export class SignInSeal {
  readonly #key: Uint8Array;
  readonly #now: () => number;

  /** `now`: Unix milliseconds. `sharedSecret`: the receivers'; absent with one receiver. */
  constructor(options: { now: () => number; sharedSecret?: string | undefined }) {
    this.#now = options.now;
    this.#key = keyOf(options.sharedSecret);
  }

  seal(pending: PendingSignIn): Promise<string> {
    return new EncryptJWT({ ...pending })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(new Date(this.#now() + SIGN_IN_SECONDS * 1_000))
      .encrypt(this.#key);
  }

  /** Undefined for a text that we did not seal, or that has expired. */
  async open(sealed: string): Promise<PendingSignIn | undefined> {
    try {
      const currentDate = new Date(this.#now());
      const { payload } = await jwtDecrypt(sealed, this.#key, { currentDate });
      return pendingSignIn.safeParse(payload).data;
    } catch {
      return undefined;
    }
  }
}
