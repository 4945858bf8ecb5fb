import pino from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { secretMask } from './secret-mask.ts';

export type { Logger } from 'pino';

/** Keys whose values are never logged, at the top of a line and two levels below. */
const SECRET_KEYS = [
  'authorization',
  'token',
  'pathToken',
  'pathTokens',
  'accessToken',
  'refreshToken',
  'privateKey',
  'privateKeyPem',
  'clientSecret',
] as const;

export interface LogOptions {
  readonly level: string;
  /** Standard error by default: standard output is for results. */
  readonly destination?: DestinationStream;
  /** Secrets to mask anywhere, for example the configured path tokens. */
  readonly secrets?: readonly string[];
  /** Fields of every line. */
  readonly base?: Readonly<Record<string, unknown>>;
}

/**
 * A logger of JSON lines. Secrets are removed twice: known keys are redacted, and each finished
 * line is masked by form, because messages, URLs and error texts may hold them.
 */
export function createLog(options: LogOptions): Logger {
  return pino(
    {
      level: options.level,
      base: options.base ?? {},
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
      redact: {
        paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
        censor: '***',
      },
      hooks: { streamWrite: secretMask(options.secrets) },
    },
    // Synchronous, so that a crash does not lose the last lines.
    options.destination ?? standardError(),
  );
}

/** Most bytes that wait while nobody reads the log. */
const BUFFERED_CHARACTERS_MAX = 1_000_000;

/** A full disk must not end the program: lines wait up to a limit, then are dropped. */
function standardError(): DestinationStream {
  const stream = pino.destination({ fd: 2, sync: true, maxLength: BUFFERED_CHARACTERS_MAX });
  stream.on('error', () => undefined);
  return stream;
}
