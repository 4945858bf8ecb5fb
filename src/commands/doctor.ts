import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { WHOLE, type Config } from '../ops/config/config.ts';
import type { SecretFile } from '../ops/config/reading/secret-file.ts';
import type { Environment } from '../ops/config/reading/substitution.ts';
import { loadedFrom } from './config-file.ts';
import { custodyClientOf } from '../daemon/custody/custody-client.ts';
import { commandCounting } from '../daemon/custody/request-log.ts';
import { CommandFailed, type Terminal } from '../daemon/process/terminal.ts';
import { checkProxy } from '../daemon/checks/proxy/proxy-check.ts';
import { contentsOf, withTlsOptions, type TlsFlags } from './link/daemon-link.ts';
import { tokenIn } from './link/token.ts';
import { checkCustody } from '../daemon/checks/custody-check.ts';
import { ok, warning, type Diagnosis } from '../daemon/checks/diagnosis.ts';
import { checkServiceClock } from '../daemon/checks/clock-check.ts';
import { checkHistory } from '../daemon/checks/history-check.ts';
import { checkExemptions } from '../daemon/checks/exemption-check.ts';
import { checkIssuer } from '../daemon/checks/issuer-check.ts';
import { checkJournal } from '../daemon/checks/journal-check.ts';
import { checkListeners } from '../daemon/checks/listener-check.ts';
import { checkNames, policyAhead } from '../daemon/checks/policy-check.ts';
import { checkSecretFiles } from '../daemon/checks/secret-check.ts';
import { checkTokens, checkWebhookUrl } from '../daemon/checks/settings-check.ts';
import { checkStore } from '../daemon/checks/store-check.ts';

const HELP = `
With --config: checks the configuration and everything it names: the store, the servers of a shared
journal and their standby, the API tokens, the provider at which people sign in, the listeners'
certificates and sockets, the access rights of secret files, the custody API with our key and its
clock beside this machine's, the vaults and their subscriptions, the names in the crediting policy
and in the exemption rules, and whether webhooks can show the depths that the policy requires.
Before a first start it also says whether the custody service has deposits from before, which would
be credited.
Changes nothing. Exit code 0 without problems, also with warnings; 1 with any problem.

With --proxy: tries from outside what a proxy lets through, and names the lines of its file to change.
Sends requests without a certificate, with forged headers, odd paths, without TLS, and slow and large
ones. Give a certificate that the proxy accepts (--cert, --key) to try what is behind that check, and
the path token (--token-file) to try a body that stalls behind the daemon's check of the token too.
Delivers nothing. --ca, --cert, --key, --token-file and --plain-port are for --proxy.

Examples:
  counterfoil doctor --config config.json
  counterfoil doctor --proxy https://hooks.example.com
  counterfoil doctor --proxy https://localhost --ca test/ca.pem --cert test/valid.pem --key test/valid.key`;

/** Where a proxy that redirects, and a daemon that nobody hides, answer without TLS. */
const PLAIN_PORTS = ['80', '8080'];

const MARK = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' } as const;

interface DoctorFlags extends TlsFlags {
  readonly config?: string;
  readonly proxy?: string;
  readonly plainPort: string[];
  readonly tokenFile?: string;
  readonly json?: boolean;
}

/**
 * The command `doctor`: checks configuration, store, proxy and custody API. Its exit code is 1 when a
 * check finds a problem.
 */
export function doctorCommand(terminal: Terminal, environment: Environment): Command {
  const command = new Command('doctor')
    .addHelpText('after', HELP)
    .option('--config <file>', 'the configuration (JSON)')
    .option('--proxy <url>', 'the public https address of a proxy, to be tried from outside')
    .option('--plain-port <port...>', 'ports that must not take webhooks without TLS', PLAIN_PORTS)
    .option('--token-file <file>', 'a file that holds the path token, for --proxy')
    .option('--json', 'print the diagnoses as one JSON line');
  return withTlsOptions(command, 'proxy').action(async (flags: DoctorFlags) => {
    const diagnoses = await diagnosesFor(flags, environment);
    const sound = diagnoses.every((one) => one.status !== 'problem');
    terminal.result(flags.json === true ? JSON.stringify({ sound, diagnoses }) : asText(diagnoses));
    terminal.exitWith(sound ? 0 : 1);
  });
}

function diagnosesFor(flags: DoctorFlags, environment: Environment): Promise<Diagnosis[]> {
  const { config, proxy } = flags;
  if (config !== undefined && proxy === undefined) {
    return diagnose({ ...loadedFrom(WHOLE, config, environment), path: config });
  }
  if (proxy === undefined || config !== undefined) {
    throw new CommandFailed('give either --config FILE or --proxy URL', 2);
  }
  return checkProxy({ ...proxyOf(proxy, flags), ...tokenAndPair(flags) });
}

function proxyOf(proxy: string, { plainPort }: DoctorFlags) {
  if (!URL.canParse(proxy) || new URL(proxy).protocol !== 'https:') {
    // Whoever gives the webhook URL gives its token: the address is not repeated.
    throw new CommandFailed('--proxy needs an https address, such as https://hooks.example.com', 2);
  }
  const ports = plainPort.map(Number);
  if (!ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536)) {
    throw new CommandFailed('--plain-port takes numbers of ports', 2);
  }
  return { url: new URL(proxy), plainPorts: ports };
}

function tokenAndPair(flags: DoctorFlags) {
  const { ca, cert, key } = contentsOf(flags);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { pair: { cert, key } }),
    ...(flags.tokenFile === undefined ? {} : { token: tokenIn(flags.tokenFile) }),
  };
}

interface Subject {
  readonly config: Config;
  readonly path: string;
  readonly secretFiles: readonly SecretFile[];
}

async function diagnose({ config, path, secretFiles }: Subject): Promise<Diagnosis[]> {
  const store = config.store.path;
  const { timezone, close: pattern } = config.reconcile;
  const ahead = await policyAhead(config.crediting, store, {
    isShared: config.receiver !== undefined,
  });
  const rules = [...config.reconcile.exemptions, ...ahead.added];
  const own = [
    ok('configuration', `${path} is well-formed`),
    ...(await checkStore(store, {
      now: Date.now(),
      close: { timezone, pattern },
      configPath: path,
    })),
    ...(await checkJournal(config.store, Date.now)),
    checkTokens(config),
    ...(await checkIssuer(config.console.oidc)),
    ...checkListeners(config, Date.now()),
    ...checkSecretFiles({ secretFiles, pathTokens: config.intake.pathTokens, configPath: path }),
    ahead.diagnosis,
    ...checkExemptions(rules, Date.now()),
  ];
  if (config.custody === undefined) {
    const detail = 'none is configured: books and the local half only, nothing is ever credited';
    return [...own, warning('custody API', detail), ...(await checkNames(ahead, rules, null))];
  }
  let clock: Diagnosis[] = [];
  const client = custodyClientOf(config.custody, {
    ...commandCounting(config.store, config.custody),
    observe: ({ serviceAtMs }) => {
      if (serviceAtMs !== null) clock = checkServiceClock(serviceAtMs, Date.now());
    },
  });
  try {
    const { custody } = config;
    own.push(checkWebhookUrl(config, custody.webhookUrl));
    const about = { config: custody, path, crediting: ahead.policy, now: Date.now() };
    const { diagnoses, networks } = await checkCustody(client, about);
    const history = existsSync(store) ? [] : await checkHistory(client, about);
    return [
      ...own,
      ...clock,
      ...diagnoses,
      ...history,
      ...(await checkNames(ahead, rules, networks)),
    ];
  } finally {
    await client.close();
  }
}

function asText(diagnoses: readonly Diagnosis[]): string {
  const lines = diagnoses.map((one) => `${MARK[one.status]}${one.check}: ${one.detail}`);
  return [...lines, ...countLine(diagnoses)].join('\n');
}

/** The last line: between lines that are ok, a warning is easy to miss. */
function countLine(diagnoses: readonly Diagnosis[]): string[] {
  const countOf = (status: Diagnosis['status']): number =>
    diagnoses.filter((one) => one.status === status).length;
  const [problems, warnings] = [countOf('problem'), countOf('warning')];
  if (problems + warnings === 0) return [];
  const counted = (count: number, noun: string): string =>
    count === 0 ? `no ${noun}` : `${count} ${noun}${count === 1 ? '' : 's'}`;
  const text = `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`;
  return [`${text.charAt(0).toUpperCase()}${text.slice(1)}: read the lines above.`];
}
