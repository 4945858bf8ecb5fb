import { Cron, CronPattern } from 'croner';
import { z } from 'zod';
import { checkTogether, clientCertificateIn } from './client-certificate.ts';
import { creditingPolicy } from './crediting-policy.ts';
import { exemptions } from './exemptions.ts';
import { adminIn, listenIn } from './listening.ts';
import type { FileChecks } from './reading/named-file.ts';
import { plainMessage, problemsOf } from './reading/plain-message.ts';
import { openId } from './open-id.ts';
import type { Problem } from './reading/problem.ts';
import { role } from './role.ts';
import { receiverIn, storeIn, storeWithReplica, type StoreConfig } from './shared-store.ts';
import { strict } from './reading/strict.ts';
import { fileIn, text, unique, whole } from './reading/value.ts';

/** Long enough that nobody guesses the URL, which is a webhook's only proof. */
const PATH_TOKEN_CHARS_MIN = 32;

/** Two during a rotation; more only helps guessing. */
const PATH_TOKENS_MAX = 16;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const pathToken = z
  .string()
  .regex(
    /^[A-Za-z0-9._~-]{32,256}$/,
    `must be ${PATH_TOKEN_CHARS_MIN} to 256 letters, digits or ._~- ; \`openssl rand -hex 32\` makes one`,
  );

const address = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine((value) => {
    if (!URL.canParse(value)) return true;
    const url = new URL(value);
    return [url.username, url.password, url.search, url.hash].every((part) => part === '');
  }, 'must not hold credentials, a query or a fragment');

const cron = z.string().refine((pattern) => {
  try {
    // The 30th of February is a pattern too, but nothing would ever run.
    const form = new CronPattern(pattern).pattern !== '';
    return form && new Cron(pattern, { paused: true }).nextRun() !== null;
  } catch {
    return false;
  }
}, 'must be a cron pattern, e.g. "* * * * *" for every minute, that matches a real time');

const timezone = z.string().refine((zone) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}, 'must be a time zone of the IANA database, e.g. "UTC" or "Europe/Zurich"');

const apiToken = strict({
  name: text.refine(
    (name) => !name.startsWith('person:'),
    'must not begin with "person:", as the names of people do who sign in at a provider',
  ),
  role,
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be the SHA-256 of the token, 64 hexadecimal digits')
    .toLowerCase(),
});

const INTAKE = {
  pathTokens: z
    .array(pathToken)
    .min(1, 'needs at least one token')
    .max(PATH_TOKENS_MAX, `takes at most ${PATH_TOKENS_MAX} tokens`)
    .refine(
      unique((token) => token),
      'contains the same token twice',
    ),
  /** Largest body that intake reads, in bytes. */
  maxBodyBytes: whole(1_024, 67_108_864).default(1_048_576),
  /** Most facts that wait for their commit; one more is answered 503. */
  queueMax: whole(1, 1_000_000).default(8_192),
  /** Most facts of one commit. */
  batchMax: whole(1, 10_000).default(256),
  /** Refused bodies kept as evidence. */
  malformedPerHourMax: whole(0, 100_000).default(100),
};

function intakeIn(folder: string, checks: FileChecks) {
  return strict({
    ...INTAKE,
    clientCertificate: clientCertificateIn(folder, checks).exactOptional(),
  });
}

/** Up to a year. */
const age = whole(1, 31_536_000);

const reconcile = strict({
  sweep: cron.default('* * * * *'),
  close: cron.default('5 0 * * *'),
  timezone: timezone.default('UTC'),
  graceSeconds: whole(0, 604_800).default(600),
  exemptions,
  /** Seconds without progress after which a deposit or withdrawal opens a break. */
  stale: strict({
    depositSeconds: age.default(21_600),
    withdrawalSeconds: age.default(86_400),
  }).prefault({}),
  /** Seconds after which an unresolved break becomes more severe; null: never. */
  escalation: strict({
    infoToWarningAfterSeconds: age.nullable().default(604_800),
    warningToCriticalAfterSeconds: age.nullable().default(86_400),
  }).prefault({}),
});

const addressTransactions = z
  .string()
  .regex(
    /^\/.*\{addressId\}/,
    'must be a path relative to /api/v1 that holds {addressId}, e.g. /addresses/{addressId}/blockchain-transactions',
  );

const api = strict({
  tokens: z
    .array(apiToken)
    .superRefine((tokens, context) => {
      for (const key of ['name', 'sha256'] as const) {
        for (const [index, token] of tokens.entries()) {
          const first = tokens.findIndex((one) => one[key] === token[key]);
          if (first === index) continue;
          const message = `is also the ${key} of api.tokens[${first}]: give each token its own`;
          context.addIssue({ code: 'custom', path: [index, key], message });
        }
      }
    })
    .default([]),
});

const VAULTS_FORM = 'must be "all" or a list of vault ids';

function custodyIn(folder: string, checks: FileChecks) {
  return strict({
    baseUrl: address,
    clientId: text,
    privateKeyFile: fileIn(folder, checks, 'custody key'),
    webhookUrl: address,
    vaults: z.union([z.literal('all'), z.array(text).min(1, VAULTS_FORM)], { error: VAULTS_FORM }),
    paths: strict({ addressTransactions: addressTransactions.exactOptional() }).default({}),
  });
}

function configIn(folder: string, checks: FileChecks) {
  return strict({
    listen: listenIn(folder, checks).prefault({}),
    admin: adminIn(folder, checks).exactOptional(),
    store: storeIn(folder),
    receiver: receiverIn(folder, checks).exactOptional(),
    intake: intakeIn(folder, checks),
    custody: custodyIn(folder, checks).exactOptional(),
    crediting: creditingPolicy,
    reconcile: reconcile.prefault({}),
    api: api.prefault({}),
    console: strict({
      public: z.boolean().default(false),
      /** Whether browsers use HTTPS; a proxy that ends TLS is invisible to us. */
      secureCookie: z.boolean().exactOptional(),
      /** A session ends after this many seconds without a request. */
      idleMinutes: z.int().min(1).max(720).default(30),
      oidc: openId.exactOptional(),
    }).prefault({}),
    log: strict({
      level: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
    }).prefault({}),
  });
}

/** The configuration with its defaults; file paths are absolute, amounts `bigint`. */
export type Config = Omit<z.infer<ReturnType<typeof configIn>>, 'store'> & {
  readonly store: StoreConfig;
};
export type CustodyConfig = NonNullable<Config['custody']>;

/** The part of the configuration that a command reads; it ignores other keys. */
export interface Part<Value> {
  /** The part's keys in the file; null: all keys, and no others. */
  readonly keys: readonly string[] | null;
  readonly schemaIn: (folder: string, checks: FileChecks) => z.ZodType<Value>;
}

export const WHOLE: Part<Config> = {
  keys: null,
  schemaIn: (...given) =>
    // A transformation, because it runs only when each key is sound alone.
    configIn(...given).transform((config, context): Config => {
      checkTogether(config, (key, message) =>
        context.addIssue({ code: 'custom', path: ['intake', 'clientCertificate', key], message }),
      );
      return withReplica(config, context);
    }),
};

function withReplica<Keys extends Parameters<typeof storeWithReplica>[0]>(
  keys: Keys,
  context: z.RefinementCtx,
): Omit<Keys, 'store'> & { readonly store: StoreConfig } {
  const store = storeWithReplica(keys, (key, message) =>
    context.addIssue({ code: 'custom', path: [key], message }),
  );
  return store === null ? z.NEVER : { ...keys, store };
}

/** The store: auditing, copying and reporting need no secret. */
export const STORE: Part<Pick<Config, 'store'>> = {
  keys: ['store', 'storeFile', 'receiver'],
  schemaIn: (...given) =>
    configIn(...given)
      .pick({ store: true, receiver: true })
      .transform((config, context) => ({ store: withReplica(config, context).store })),
};

/** The custody service and our key for it. */
export const CUSTODY: Part<Pick<Config, 'custody'>> = {
  keys: ['custody'],
  schemaIn: (...given) => configIn(...given).pick({ custody: true }),
};

/** What intake takes: the webhook URL must end with one of its tokens. */
export const INTAKE_ALONE: Part<Pick<Config, 'intake'>> = {
  keys: ['intake'],
  schemaIn: (...given) => configIn(...given).pick({ intake: true }),
};

export type Parsed<Value> =
  | { readonly kind: 'ok'; readonly config: Value }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** Checks a JSON value and reports every problem. Relative file paths begin at `folder`. */
export function parseConfig<Value>(
  json: unknown,
  options: { part: Part<Value>; folder: string; checks: FileChecks },
): Parsed<Value> {
  const schema = options.part.schemaIn(options.folder, options.checks);
  const parsed = schema.safeParse(json, { error: plainMessage });
  if (parsed.success) return { kind: 'ok', config: parsed.data };
  return { kind: 'invalid', problems: problemsOf(parsed.error) };
}
