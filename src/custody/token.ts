import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair as generate,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { SignJWT } from 'jose';

/**
 * A token's life. It is short, because a stolen token cannot be revoked (spec, "Self-signed JWT").
 */
const LIFE_SECONDS = 300;

/** A token is renewed this long before its end, so that none expires under way. */
const RENEW_BEFORE_SECONDS = 60;

const MODULUS_BITS_MIN = 2048;

export interface KeyPairPem {
  /** PKCS #8, PEM. Never leaves this machine. */
  readonly privateKeyPem: string;
  /** SubjectPublicKeyInfo, PEM: attach it to the API client in the custody console. */
  readonly publicKeyPem: string;
  /** The `kid` of every token signed with it. */
  readonly keyId: string;
}

/** A new RSA pair of 2048 bits (spec, "Self-signed JWT", 1). */
export async function generateKeyPair(): Promise<KeyPairPem> {
  const pair = await promisify(generate)('rsa', { modulusLength: MODULUS_BITS_MIN });
  return {
    privateKeyPem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKeyPem: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    keyId: keyIdOf(pair.publicKey),
  };
}

/**
 * `kid`: SHA-256 of the public key in DER (SubjectPublicKeyInfo) form, lower-case hex (the
 * specification, section "Self-signed JWT").
 */
export function keyIdOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex');
}

/**
 * Reads a private key in PEM. The refusal's detail never quotes the text, which is a secret.
 * `invalid` for a text that is no private key, and for a key that is no RSA key of at least 2,048
 * bits.
 */
export function readPrivateKey(
  pem: string,
): { kind: 'ok'; key: KeyObject; keyId: string } | { kind: 'invalid'; detail: string } {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return { kind: 'invalid', detail: 'not an unencrypted private key in PEM' };
  }
  if (key.asymmetricKeyType !== 'rsa') {
    return { kind: 'invalid', detail: `a key of type ${key.asymmetricKeyType}, RS256 needs RSA` };
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < MODULUS_BITS_MIN) {
    return { kind: 'invalid', detail: `an RSA key of ${bits} bits, RS256 needs 2048 or more` };
  }
  return { kind: 'ok', key, keyId: keyIdOf(createPublicKey(key)) };
}

/** The bearer tokens of requests; one signature serves all requests of its life. */
export class TokenSource {
  readonly #clientId: string;
  readonly #key: KeyObject;
  readonly #keyId: string;
  readonly #now: () => number;
  #token: Promise<string> | undefined;
  #madeAtMs = 0;

  /** `privateKey` comes from `readPrivateKey`; `now` is in Unix milliseconds. */
  constructor(options: { clientId: string; privateKey: KeyObject; now: () => number }) {
    this.#clientId = options.clientId;
    this.#key = options.privateKey;
    this.#keyId = keyIdOf(createPublicKey(options.privateKey));
    this.#now = options.now;
  }

  /** A JWT with `typ`, `alg`, `kid`, `sub`, `iss` and `exp` as in spec, "Self-signed JWT", 4. */
  bearer(): Promise<string> {
    const nowMs = this.#now();
    const age = (nowMs - this.#madeAtMs) / 1000;
    // A negative age: the clock was set back, and the service may reject the token's end.
    if (this.#token === undefined || age < 0 || age >= LIFE_SECONDS - RENEW_BEFORE_SECONDS) {
      this.#madeAtMs = nowMs;
      this.#token = this.#sign(Math.floor(nowMs / 1000) + LIFE_SECONDS);
    }
    return this.#token;
  }

  /** Discards the token, for example after a 401. */
  forget(): void {
    this.#token = undefined;
  }

  #sign(expSeconds: number): Promise<string> {
    return new SignJWT({ sub: this.#keyId, iss: this.#clientId, exp: expSeconds })
      .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: this.#keyId })
      .sign(this.#key);
  }
}
