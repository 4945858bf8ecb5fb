import { createHash, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Table } from '../state/table.ts';
import type { Permission } from './permission.ts';

/** The shortest RSA key that RS256 accepts (RFC 7518, section 3.3). */
const RSA_MODULUS_BITS_MIN = 2048;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
/**
 * Public keys per client: enough to change keys. A signature names its key, so more keys would cost
 * no time.
 */
export const KEYS_PER_CLIENT_MAX = 10;

export type ClientType = 'api' | 'user';

/** A public key of a client; `kid` is the hex SHA-256 of its DER SubjectPublicKeyInfo. */
export interface ClientKey {
  readonly kid: string;
  readonly publicKeyPem: string;
}

/** An API client or a human user (the specification, section "Modes"). */
export interface Client {
  readonly clientId: string;
  readonly name: string;
  readonly type: ClientType;
  readonly email?: string;
  readonly permissions: readonly Permission[];
  /** Attached public keys, oldest first. While a client changes its key it has two. */
  readonly keys: readonly ClientKey[];
}

export interface ClientRequest {
  readonly name: string;
  readonly type: ClientType;
  readonly publicKeyPem?: string | undefined;
  readonly email?: string | undefined;
  readonly permissions: readonly Permission[];
}

export type ClientOutcome =
  | { readonly kind: 'created'; readonly client: Client }
  | { readonly kind: 'invalid-key'; readonly message: string }
  | { readonly kind: 'email-taken' };

/** The result of attaching a public key. */
export type KeyOutcome =
  | { readonly kind: 'created' | 'existing'; readonly key: ClientKey }
  | { readonly kind: 'invalid-key'; readonly message: string }
  | { readonly kind: 'too-many-keys' }
  | { readonly kind: 'unknown-client' };

function readPublicKey(
  text: string,
): { kind: 'ok'; key: ClientKey } | { kind: 'invalid-key'; message: string } {
  // `createPublicKey` accepts a private key and derives the public one. But the private key must
  // never reach the service (the specification, section "Self-signed JWT", 1), so the sender must
  // learn of the mistake.
  if (PRIVATE_KEY.test(text)) {
    return { kind: 'invalid-key', message: 'publicKeyPem is a private key: send its public half' };
  }
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    return { kind: 'invalid-key', message: 'publicKeyPem is not a public key in PEM form' };
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < RSA_MODULUS_BITS_MIN) {
    const message = `publicKeyPem must be an RSA key of at least ${RSA_MODULUS_BITS_MIN} bits`;
    return { kind: 'invalid-key', message };
  }
  const kid = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  const publicKeyPem = key.export({ type: 'spki', format: 'pem' }).toString();
  return { kind: 'ok', key: { kid, publicKeyPem } };
}

/** The clients of the organization. */
export class ClientRegistry {
  readonly #clients: Table<Client>;
  readonly #nextId: () => string;

  constructor(clients: Table<Client>, nextId: () => string) {
    this.#clients = clients;
    this.#nextId = nextId;
  }

  create(request: ClientRequest): ClientOutcome {
    const { publicKeyPem, email } = request;
    if (email !== undefined && this.byEmail(email) !== undefined) return { kind: 'email-taken' };
    const read = publicKeyPem === undefined ? undefined : readPublicKey(publicKeyPem);
    if (read?.kind === 'invalid-key') return read;
    const client: Client = {
      clientId: this.#nextId(),
      name: request.name,
      type: request.type,
      ...(email === undefined ? {} : { email }),
      permissions: request.permissions,
      keys: read === undefined ? [] : [read.key],
    };
    this.#clients.put(client.clientId, client);
    return { kind: 'created', client };
  }

  /** Attaches a public key to a client. Attaching the same key again changes nothing. */
  attachKey(clientId: string, publicKeyPem: string): KeyOutcome {
    const client = this.#clients.get(clientId);
    if (client === undefined) return { kind: 'unknown-client' };
    const read = readPublicKey(publicKeyPem);
    if (read.kind === 'invalid-key') return read;
    const { key } = read;
    if (client.keys.some(({ kid }) => kid === key.kid)) return { kind: 'existing', key };
    if (client.keys.length >= KEYS_PER_CLIENT_MAX) return { kind: 'too-many-keys' };
    this.#clients.put(clientId, { ...client, keys: [...client.keys, key] });
    return { kind: 'created', key };
  }

  /** E-mail addresses of the users, in order of creation. */
  emails(): string[] {
    const users = [...this.#clients.list()].filter(({ type }) => type === 'user');
    return users.flatMap(({ email }) => email ?? []);
  }

  /** In order of creation. */
  list(): IterableIterator<Client> {
    return this.#clients.list();
  }

  byId(clientId: string): Client | undefined {
    return this.#clients.get(clientId);
  }

  /** The user with this e-mail address, in upper or lower case. */
  byEmail(email: string): Client | undefined {
    const wanted = email.toLowerCase();
    for (const client of this.#clients.list()) {
      if (client.type === 'user' && client.email?.toLowerCase() === wanted) return client;
    }
    return undefined;
  }
}
