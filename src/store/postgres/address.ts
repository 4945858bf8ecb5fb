import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** Where the shared journal is, as `store` says it. */
export interface JournalAddress {
  /** The servers in the order in which they are tried; at least one. */
  readonly hosts: readonly Host[];
  readonly database: string;
  readonly user: string;
  /** Never part of a message. */
  readonly password: string | undefined;
  /** Where the password comes from, for messages. */
  readonly passwordFrom: string;
  readonly schema: string;
  /** False connects without TLS. */
  readonly tls: false | ConnectionOptions;
}

export interface Host {
  readonly host: string;
  readonly port: number;
}

/** A PostgreSQL address that cannot be used. The message says what to write instead. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

const IN_ADDRESS = 'the one in the address of the store';

const DEFAULT_SCHEMA = 'counterfoil';
const DEFAULT_PORT = 5432;

const FORM = 'postgres://USER@HOST[:PORT][,HOST[:PORT]…]/DATABASE[?sslmode=verify-full&…]';
// A second @ belongs to a password that is not encoded: messages show hosts, and would show a part of it.
const URL_PARTS = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/([^/?#]+)(?:\?([^#]*))?$/;
const HOST = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/;
const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;

const PARAMETERS = [
  'schema',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'target_session_attrs',
] as const;
type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>;

/**
 * Reads a PostgreSQL address. It may name several hosts, separated by commas. Parameters:
 *
 * | parameter | meaning |
 * |---|---|
 * | `schema` | the schema that holds the journal; `counterfoil` by default |
 * | `sslmode` | `verify-full`, `verify-ca`, `require` or `disable`, as in libpq; `verify-full` by default, `disable` when every host is this machine |
 * | `sslrootcert`, `sslcert`, `sslkey` | PEM files: the authority of the server's certificate, and the client's certificate and key |
 * | `target_session_attrs` | `read-write`, which is always meant |
 *
 * `given` replaces the password of the address, if it has one. Throws `AddressRefused`.
 */
export function journalAddress(
  text: string,
  given?: { readonly password: string | undefined; readonly from: string },
): JournalAddress {
  const parts = URL_PARTS.exec(text);
  if (parts === null) {
    throw new AddressRefused(
      `the store's address is not of the form ${FORM}; write @ of a password as %40, and / ? # as %2F %3F %23`,
    );
  }
  const [, credentials = '', authority = '', database = '', query = ''] = parts;
  const [user = '', ...passwords] = credentials.split(':');
  if (user === '') throw new AddressRefused(`the store's address names no user: write ${FORM}`);
  const parameters = parametersOf(query);
  const hosts = authority.split(',').map(hostOf);
  const inAddress = passwords.length === 0 ? undefined : decoded(passwords.join(':'));
  return {
    hosts,
    database: decoded(database),
    user: decoded(user),
    password: given?.password ?? inAddress,
    passwordFrom: given?.password === undefined ? IN_ADDRESS : given.from,
    schema: schemaOf(parameters.schema ?? DEFAULT_SCHEMA),
    tls: tlsOf(parameters, hosts),
  };
}

/** The address without its password, for messages. */
export function shownAddress({ hosts, database, user, schema }: JournalAddress): string {
  const names = hosts.map(shownHost).join(',');
  return `postgres://${user}@${names}/${database} (schema ${schema})`;
}

/** A host and its port as in a URL; an IPv6 address has brackets. */
export function shownHost({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AddressRefused("the store's address has a % that begins no escape: write %25 for it");
  }
}

function hostOf(text: string): Host {
  const parts = HOST.exec(text);
  const port = Number(parts?.[2] ?? DEFAULT_PORT);
  if (parts?.[1] === undefined || port < 1 || port > 65_535) {
    throw new AddressRefused(
      `the store's address has the host ${JSON.stringify(text)}: write ${FORM}`,
    );
  }
  return { host: decoded(parts[1].replace(/^\[(.*)\]$/, '$1')), port };
}

function parametersOf(query: string): Parameters {
  const found: Parameters = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const known = PARAMETERS.find((one) => one === name);
    if (known === undefined) {
      throw new AddressRefused(
        `the store's address has the unknown parameter ${name}: it may have ${PARAMETERS.join(', ')}`,
      );
    }
    found[known] = value;
  }
  const target = found.target_session_attrs;
  if (target !== undefined && target !== 'read-write') {
    throw new AddressRefused(
      `target_session_attrs is ${target}: receivers write, so leave it out or write read-write`,
    );
  }
  return found;
}

function schemaOf(name: string): string {
  if (SCHEMA.test(name)) return name;
  throw new AddressRefused(
    `the schema ${JSON.stringify(name)} is no plain name: use up to 63 of a to z, 0 to 9 and _`,
  );
}

function isThisMachine({ host }: Host): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.') || host.startsWith('/');
}

/** The TLS settings: `require` encrypts only, `verify-ca` does not look at the host's name. */
function tlsOf(parameters: Parameters, hosts: readonly Host[]): JournalAddress['tls'] {
  const mode = parameters.sslmode ?? (hosts.every(isThisMachine) ? 'disable' : 'verify-full');
  const files = {
    ...(parameters.sslrootcert !== undefined && { ca: pem('sslrootcert', parameters.sslrootcert) }),
    ...(parameters.sslcert !== undefined && { cert: pem('sslcert', parameters.sslcert) }),
    ...(parameters.sslkey !== undefined && { key: pem('sslkey', parameters.sslkey) }),
  };
  switch (mode) {
    case 'verify-full':
      return files;
    case 'verify-ca':
      // Without an authority of one's own, everybody with a public certificate would pass.
      if (parameters.sslrootcert === undefined) {
        throw new AddressRefused(
          'sslmode verify-ca needs sslrootcert: name the authority, or write verify-full',
        );
      }
      return { ...files, checkServerIdentity: () => undefined };
    case 'require':
      return { ...files, rejectUnauthorized: false };
    case 'disable':
      return false;
    default:
      throw new AddressRefused(
        `sslmode is ${mode}: write verify-full, verify-ca, require or disable`,
      );
  }
}

function pem(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new AddressRefused(`${parameter} of the store's address cannot be read: ${cause}`);
  }
}
