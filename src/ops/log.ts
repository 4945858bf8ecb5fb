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
] as const;

export interface LogOptions {
  readonly level: string;
  /** Standard error where absent: standard output is for results. */
  readonly destination?: DestinationStream;
  /** Secrets that are masked wherever they stand, e.g. the configured path tokens. */
  readonly secrets?: readonly string[];
  /** Fields of every line. */
  readonly base?: Readonly<Record<string, unknown>>;
}

/**
 * JSON lines. Secrets are kept out twice: known keys are redacted, and each finished line is masked
 * by form, for what got into a message, a URL or an error's text.
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
    // Synchronous, so that the last lines before a crash are not lost with it.
    options.destination ?? standardError(),
  );
}

/** What waits to be logged at most while nobody takes it. */
const WAITING_CHARACTERS_MAX = 1_000_000;

/** A full disk under the log must not end who logs: lines wait for room there, then are dropped. */
function standardError(): DestinationStream {
  const stream = pino.destination({ fd: 2, sync: true, maxLength: WAITING_CHARACTERS_MAX });
  stream.on('error', () => undefined);
  return stream;
}
