import { jsonOf } from './link/daemon-answer.ts';
import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { startCore, type CoreOptions, type RunningCore } from '../simulator/core.ts';
import { CommandFailed, type Terminal } from '../daemon/process/terminal.ts';
import { MAIL_FROM_DEFAULT } from '../simulator/mail/smtp-sender.ts';
import { shutdownOf } from '../daemon/process/shutdown.ts';

interface CoreFlags {
  readonly port: number;
  readonly host: string;
  readonly controlPort?: number;
  readonly seed?: string;
  readonly db?: string;
  readonly clock?: 'real' | 'virtual';
  readonly startTime?: number;
  readonly rateLimit: boolean;
  readonly strictPermissions?: boolean;
  readonly controlHostName?: string[];
  readonly mine: boolean;
  readonly allowLoopbackWebhooks?: boolean;
  readonly smtpUrl?: string;
  readonly mailFrom?: string;
  readonly publicUrl?: string;
  readonly callbackUrl?: string[];
  readonly identityProvider?: IdentityProvider[];
  readonly json?: boolean;
}

type IdentityProvider = NonNullable<CoreOptions['identityProviders']>[number];

const providerForm = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  issuer: z.url(),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).exactOptional(),
});

/** Commander passes the earlier values, so that the option can be repeated. */
function parseIdentityProvider(
  text: string,
  before: readonly IdentityProvider[] = [],
): IdentityProvider[] {
  const parsed = providerForm.safeParse(jsonOf(text));
  if (!parsed.success) {
    throw new InvalidArgumentError(
      'give JSON: {"name":"corp","issuer":"https://…","clientId":"…","clientSecret":"…"}',
    );
  }
  return [...before, parsed.data];
}

/** Time limit for open requests and deliveries at shutdown. */
const STOP_MS_MAX = 10_000;

const HELP = `
A simulation of the custody service of the interface specification, with its blockchains, for
development and tests. Its API is at /api/v1, its OpenAPI at /docs.
The state is in memory without --db: the next start begins anew, with the same ids and hashes for the
same seed.

The control port (default: port + 1) needs no credentials, and is on loopback whatever --host is. It
controls clients, vaults, deposits, blocks, reorgs, faults and the clock, and shows the true balances.
Its web pages, the inspector, are at /inspector: deliveries, transactions, chains, faults, mails and
snapshots, to see and to change.

Exit code 0 after SIGTERM or Ctrl-C; 1 when it cannot start or run, for example when another process
uses the port; 2 for bad usage.

Examples:
  counterfoil core --port 4100 --seed 7 --clock virtual
  curl -sX POST localhost:4101/sim/vaults -H 'content-type: application/json' -d '{"name":"demo"}'
  open http://localhost:4101/inspector in a browser`;

/** Reads a port from an option: 0 (any free one) to 65535. Throws `InvalidArgumentError` otherwise. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > LAST_PORT) {
    throw new InvalidArgumentError('a port is a number from 0 (any free one) to 65535');
  }
  return port;
}

/** Reads URLs of these schemes from an option, which throws `InvalidArgumentError` for other texts. */
function parseUrl(...schemes: readonly [string, ...string[]]) {
  return (text: string): string => {
    if (!URL.canParse(text) || !schemes.includes(new URL(text).protocol)) {
      throw new InvalidArgumentError(`a URL begins with ${schemes.join('// or ')}//`);
    }
    return text;
  };
}

const parseWebUrl = parseUrl('https:', 'http:');

/** Commander passes the earlier values, so that the option can be repeated. */
function parseCallbackUrl(text: string, before: readonly string[] = []): string[] {
  return [...before, parseWebUrl(text)];
}

/** The control port follows the API port; port 65535 has no successor. */
export const LAST_PORT = 65_535;

function refuseLastPort({ port, controlPort }: CoreFlags): void {
  if (port !== LAST_PORT || controlPort !== undefined) return;
  throw new CommandFailed(`--port ${port} has no port above it: give --control-port too`, 2);
}

function parseStartTime(text: string): number {
  const timeMs = z.iso.datetime({ offset: true }).safeParse(text).success ? Date.parse(text) : NaN;
  if (!(timeMs >= 0)) {
    throw new InvalidArgumentError('give a time from 1970 on in ISO 8601: 2026-01-01T00:00:00Z');
  }
  return timeMs;
}

function refuseStartTime({ clock, startTime }: CoreFlags): void {
  if (startTime === undefined || clock === 'virtual') return;
  throw new CommandFailed(
    '--start-time needs --clock virtual: a real clock shows the real time',
    2,
  );
}

/** The command `core`: runs the simulated custody core until a signal ends it. */
export function coreCommand(terminal: Terminal): Command {
  return new Command('core')
    .addHelpText('after', HELP)
    .option('--port <port>', 'port of the API, 0 for any free one', parsePort, 4100)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--control-port <port>', 'port of the /sim calls (default: port + 1)', parsePort)
    .option(
      '--seed <seed>',
      'the same seed and calls give the same events, byte for byte (default: 1, or the seed of --db)',
    )
    .option('--db <file>', 'keep all state in this SQLite file; the next start continues from it')
    .addOption(
      new Option(
        '--clock <kind>',
        'real time (default, unless --db has another), or a clock that only POST /sim/clock moves',
      ).choices(['real', 'virtual']),
    )
    .option(
      '--start-time <time>',
      'start time of a virtual clock (default: 2026-01-01T00:00:00Z, or the time of --db)',
      parseStartTime,
    )
    .option('--no-mine', 'produce blocks only on POST /sim/blocks')
    .option(
      '--strict-permissions',
      'refuse orders of clients without any permission (default for a new core)',
    )
    .option('--no-strict-permissions', 'let every client order')
    .option('--no-rate-limit', 'apply no request limits')
    .option(
      '--control-host-name <name...>',
      'further host names, besides loopback, for the /sim calls',
    )
    .option(
      '--allow-loopback-webhooks',
      'let webhooks go to this machine when --host is not loopback',
    )
    .option(
      '--smtp-url <url>',
      'also send login codes by mail: smtp://[user:password@]host:port',
      parseUrl('smtp:', 'smtps:'),
    )
    .option('--mail-from <address>', `sender of those mails (default: ${MAIL_FROM_DEFAULT})`)
    .option(
      '--public-url <url>',
      'URL of the API for browsers, for logins (default: the listening address)',
      parseWebUrl,
    )
    .option(
      '--callback-url <url...>',
      'the values of callback_url that /auth/login accepts (default: http://127.0.0.1:3000/callback)',
      parseCallbackUrl,
    )
    .option(
      '--identity-provider <json>',
      'an OIDC provider instead of the development one; repeatable',
      parseIdentityProvider,
    )
    .option('--json', 'print the listening addresses as one JSON line')
    .action(async (flags: CoreFlags) => {
      const lifecycle = shutdownOf(terminal);
      lifecycle.listen(terminal.signals);
      refuseLastPort(flags);
      refuseStartTime(flags);
      const core = await startCore(coreOptions(flags)).catch(refusePort);
      lifecycle.onShutdown({ name: 'core', shareMs: STOP_MS_MAX, run: () => core.stop() });
      terminal.result(flags.json === true ? whereJson(core) : where(core));
    });
}

/** Advice for common start failures, by system error code. */
const LISTEN_REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'stop what uses the port, or choose others with --port and --control-port',
  EACCES: 'take ports from 1024 on with --port and --control-port',
  EADDRNOTAVAIL: '--host must be an address of this machine',
  ENOTFOUND: '--host must be an address of this machine',
};

function refusePort(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const remedy = LISTEN_REMEDIES[code];
  if (!(error instanceof Error) || remedy === undefined) throw error;
  throw new CommandFailed(`${error.message}: ${remedy}`);
}

/** Omits options that were not given, so that their defaults apply. */
function given<Name extends keyof CoreOptions>(
  name: Name,
  value: CoreOptions[Name] | undefined,
): Partial<CoreOptions> {
  return value === undefined ? {} : { [name]: value };
}

function coreOptions(flags: CoreFlags): CoreOptions {
  const {
    json: _,
    mine,
    startTime,
    controlHostName,
    callbackUrl,
    identityProvider,
    ...same
  } = flags;
  return {
    ...same,
    autoMine: mine,
    ...given('startMs', startTime),
    ...given('controlHostNames', controlHostName),
    ...given('callbackUrls', callbackUrl),
    ...given('identityProviders', identityProvider),
  };
}

function whereJson(core: RunningCore): string {
  const { url, controlUrl, port, controlPort } = core;
  return JSON.stringify({ url, controlUrl, port, controlPort });
}

function where(core: RunningCore): string {
  return [
    `custody core on ${core.url}/api/v1  (documents: ${core.url}/docs)`,
    `control calls on ${core.controlUrl}/sim, inspector on ${core.controlUrl}/inspector`,
    core.clock.isRepeatable
      ? 'the clock is stopped: move it with POST /sim/clock {"advanceMs":60000}'
      : 'the clock is real; Ctrl-C stops it',
  ].join('\n');
}
