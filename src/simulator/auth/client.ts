import { createHash, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Table } from '../state/table.ts';
import type { Permission } from './permission.ts';

/** The shortest RSA key that RS256 accepts (RFC 7518, section 3.3). */
const RSA_MODULUS_BITS_MIN = 2048;

export type ClientType = 'api' | 'user';

/** An API client or a human user (section "Modes"). */
export interface Client {
  readonly clientId: string;
  readonly name: string;
  readonly type: ClientType;
  readonly email?: string;
  readonly permissions: readonly Permission[];
  /** Attached public key, if any; `kid` is the hex SHA-256 of its DER SubjectPublicKeyInfo. */
  readonly key?: { readonly kid: string; readonly publicKeyPem: string };
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

function readPublicKey(
  pem: string,
): { kind: 'ok'; key: KeyObject } | { kind: 'invalid-key'; message: string } {
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    return { kind: 'invalid-key', message: 'publicKeyPem is not a public key in PEM form' };
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < RSA_MODULUS_BITS_MIN) {
    const message = `publicKeyPem must be an RSA key of at least ${RSA_MODULUS_BITS_MIN} bits`;
    return { kind: 'invalid-key', message };
  }
  return { kind: 'ok', key };
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
    let key: Client['key'];
    if (publicKeyPem !== undefined) {
      const read = readPublicKey(publicKeyPem);
      if (read.kind === 'invalid-key') return read;
      const der = read.key.export({ type: 'spki', format: 'der' });
      const pem = read.key.export({ type: 'spki', format: 'pem' }).toString();
      key = { kid: createHash('sha256').update(der).digest('hex'), publicKeyPem: pem };
    }
    const client: Client = {
      clientId: this.#nextId(),
      name: request.name,
      type: request.type,
      ...(email === undefined ? {} : { email }),
      permissions: request.permissions,
      ...(key === undefined ? {} : { key }),
    };
    this.#clients.put(client.clientId, client);
    return { kind: 'created', client };
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
