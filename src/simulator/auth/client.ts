import { createHash, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Table } from '../state/table.ts';
import type { Permission } from './permission.ts';

/** The shortest RSA key that RS256 accepts (RFC 7518, section 3.3). */
const RSA_MODULUS_BITS_MIN = 2048;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
/** Enough to change keys at leisure; a signature names its key, so more would cost nothing else. */
export const KEYS_PER_CLIENT_MAX = 10;

export type ClientType = 'api' | 'user';

/** A public key of a client; `kid` is the hex SHA-256 of its DER SubjectPublicKeyInfo. */
export interface ClientKey {
  readonly kid: string;
  readonly publicKeyPem: string;
}

/** An API client or a human user (section "Modes"). */
export interface Client {
  readonly clientId: string;
  readonly name: string;
  readonly type: ClientType;
  readonly email?: string;
  readonly permissions: readonly Permission[];
  /** Attached public keys, oldest first: more than one while a client changes its key. */
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

/** What attaching a public key came to. */
export type KeyOutcome =
  | { readonly kind: 'created' | 'existing'; readonly key: ClientKey }
  | { readonly kind: 'invalid-key'; readonly message: string }
  | { readonly kind: 'too-many-keys' }
  | { readonly kind: 'unknown-client' };

function readPublicKey(
  text: string,
): { kind: 'ok'; key: ClientKey } | { kind: 'invalid-key'; message: string } {
  // `createPublicKey` takes one too, and works out its public half; but "the private key never
  // reaches the service" (section "Self-signed JWT", 1), and whoever sent it has to know.
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

/** The clients of the organization, by id, and users by e-mail. */
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

  /** Idempotent on the key. */
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

  /** E-mail addresses of users compare without regard to case. */
  byEmail(email: string): Client | undefined {
    const wanted = email.toLowerCase();
    for (const client of this.#clients.list()) {
      if (client.type === 'user' && client.email?.toLowerCase() === wanted) return client;
    }
    return undefined;
  }
}
