import path from 'node:path';
import { z } from 'zod';
import type { FileChecks } from './reading/named-file.ts';
import { strict } from './reading/strict.ts';
import { fileIn, text, whole } from './reading/value.ts';

/** A SQLite store. `path` is absolute, or `:memory:`. */
interface SqliteStoreConfig {
  readonly kind: 'sqlite';
  readonly path: string;
}

/** The journal that several receivers share, and this receiver's replica of it. */
export interface PostgresStoreConfig {
  readonly kind: 'postgres';
  /** May hold a password: never show it. */
  readonly url: string;
  /** The replica's file; absolute. */
  readonly path: string;
  /** Whether nothing is kept while PostgreSQL has no synchronous standby. */
  readonly standby: 'required' | 'optional';
}

export type StoreConfig = SqliteStoreConfig | PostgresStoreConfig;

/** The key `store` alone, before the replica's path is known. */
type StoreKey = SqliteStoreConfig | Omit<PostgresStoreConfig, 'path' | 'standby'>;

const STORE_FORM = 'must be "sqlite:PATH" or "postgres://USER@HOST[:PORT][,HOST…]/DATABASE"';

/** Scheme, user and password, hosts, database, parameters. */
const DATABASE_URL = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?(.*))?$/s;

const HOST = /^(?:\[[0-9a-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?$/;

/** The flaw of a database's URL, or null. Never quotes it: it may hold a password. */
function databaseUrlFlaw(url: string): string | null {
  const [form, user, hosts = '', database = ''] = DATABASE_URL.exec(url) ?? [];
  if (form === undefined) {
    return `${STORE_FORM}; write @, :, / and # of a password as %40, %3A, %2F and %23`;
  }
  if (user === undefined || user.split(':', 1)[0] === '') return 'names no user: USER@HOST';
  if (hosts === '') return 'names no host';
  const wrong = hosts.split(',').findIndex((host) => {
    const [known, port] = HOST.exec(host) ?? [];
    return known === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535;
  });
  if (wrong >= 0) return `host ${wrong + 1} is not a name or address with an optional port`;
  if (database === '') return 'names no database: HOST/DATABASE';
  try {
    for (const part of [user, database]) decodeURIComponent(part);
  } catch {
    return 'has a % that begins no percent-encoding; write it as %25';
  }
  return null;
}

/** The password in a valid database URL, decoded; null without one. */
export function passwordIn(url: string): string | null {
  const [, user = ''] = DATABASE_URL.exec(url) ?? [];
  const colon = user.indexOf(':');
  return colon < 0 ? null : decodeURIComponent(user.slice(colon + 1));
}

/** The key `store`. A relative path starts at `folder`, the folder of the configuration. */
export function storeIn(folder: string) {
  return z.string(STORE_FORM).transform((value, context): StoreKey => {
    const file = /^sqlite:(.+)$/s.exec(value)?.[1];
    if (file !== undefined) {
      return { kind: 'sqlite', path: file === ':memory:' ? file : path.resolve(folder, file) };
    }
    const isDatabase = /^postgres(ql)?:/.test(value);
    const flaw = isDatabase ? databaseUrlFlaw(value) : STORE_FORM;
    if (flaw === null) return { kind: 'postgres', url: value };
    context.addIssue({ code: 'custom', message: flaw });
    return z.NEVER;
  });
}

function isOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(value);
  const others = [username, password, search, hash];
  return /^https?:$/.test(protocol) && pathname === '/' && others.every((part) => part === '');
}

/** As long as a path token: whoever knows it can write facts. */
const SECRET_CHARS_MIN = 32;

/** The key `receiver`. Relative paths start at `folder`, the folder of the configuration. */
export function receiverIn(folder: string, checks: FileChecks) {
  return strict({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9._-]{1,64}$/,
        'must be 1 to 64 letters, digits or ._- ; one name for each',
      ),
    /** Where the other receivers reach this one. */
    url: z
      .string()
      .refine(isOrigin, 'must be an http or https address: a scheme, a host and a port alone')
      .transform((value) => new URL(value).origin),
    /** Authority of the other receivers' certificates, for https addresses; read at the start. */
    caFile: fileIn(folder, checks, 'certificate').exactOptional(),
    secret: z
      .string()
      .regex(
        /^[\x21-\x7e]{32,256}$/,
        `must be ${SECRET_CHARS_MIN} to 256 characters without blanks, the same for all receivers; \`openssl rand -hex 32\` makes one`,
      ),
    replica: text
      .refine(
        (file) => !/^(sqlite:|:memory:$)/.test(file),
        'must be the path of a file, without "sqlite:"; a replica cannot be in memory',
      )
      .transform((file) => path.resolve(folder, file)),
    /** How long an owner that stops keeps its ownership. */
    leaseSeconds: whole(1, 60).default(3),
    /** Whether nothing is kept while PostgreSQL has no synchronous standby. */
    standby: z
      .enum(['required', 'optional'], 'must be "required" or "optional"')
      .default('required'),
  });
}

export type ReceiverConfig = z.infer<ReturnType<typeof receiverIn>>;

/** Joins a store with its replica. `report`: receives a problem of a key at the top of the file. */
export function storeWithReplica(
  { store, receiver }: { store: StoreKey; receiver?: Pick<ReceiverConfig, 'replica' | 'standby'> },
  report: (key: string, message: string) => void,
): StoreConfig | null {
  if (store.kind === 'sqlite') {
    if (receiver === undefined) return store;
    report('receiver', 'is for a store of PostgreSQL; remove it, or write store: "postgres://…"');
    return null;
  }
  if (receiver !== undefined) {
    return { ...store, path: receiver.replica, standby: receiver.standby };
  }
  report(
    'receiver',
    'is missing; a store of PostgreSQL needs receiver.name, url, secretFile and replica',
  );
  return null;
}
