import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { LAST_PORT, parsePort } from '../core.ts';
import { CommandFailed, type Terminal } from '../../daemon/process/terminal.ts';
import { Child } from './child.ts';
import { consumeCredits } from './people/consumer.ts';
import { CoreClient, CoreControl } from './core-client.ts';
import { CreditLatency } from './end/credit-latency.ts';
import { ProductAccess } from './product-access.ts';
import { freePort } from './free-port.ts';
import { Ending } from './end/ending.ts';
import { Operator } from './people/operator.ts';
import type { Environment } from '../../ops/config/reading/substitution.ts';
import { OneDaemon } from './one-daemon.ts';
import { postgresPrograms } from './postgres/installation.ts';
import type { Product } from './product.ts';
import { Receivers } from './receivers/receivers.ts';
import { SeededRandom } from './story/random.ts';
import { setScene, subscribeAll, type Scene } from './story/scene.ts';
import { playScript } from './story/script.ts';
import { drain } from './end/drain.ts';
import { summarise, summaryText } from './end/summary.ts';
import { tieOut } from './end/tie-out.ts';
import { Traffic } from './story/traffic.ts';

const STORES = ['sqlite', 'postgres'] as const;

interface DemoFlags {
  readonly store: (typeof STORES)[number];
  readonly for?: number;
  readonly seed: number;
  readonly port: number;
  readonly corePort: number;
  readonly json?: boolean;
}

/** API clients that place orders: each may make 100 requests a minute and 1,000 an hour. */
const TRADERS = 4;

const HELP = `
Starts a simulated custody core and the daemon, with simulated traffic: customers deposit, and the
exchange pays out and sweeps. One fault follows another; the terminal reports each: a chain
reorganisation, a killed daemon, a credit whose deposit disappears, a deposit without a known customer,
lost answers to webhooks, a daemon that answers nothing, a failing custody API. The system recovers
from each fault. Open the console and the core's inspector, whose URLs are printed, and watch. Sign in
to the console with the printed token of role admin to close a break.

Ctrl-C ends the traffic, waits until all is credited, and compares the books with the simulated chain.
A second Ctrl-C ends at once. Exit code 0 when the books balance, 1 when they do not.

With --store postgres, two receivers behind a proxy share a journal in PostgreSQL: a primary and two
standbys on this machine, in a temporary folder. The demo kills the owner of the journal, then the
primary, and measures how long nothing is acknowledged. The exit code is also 1 when the journal lacks
a notification that a receiver acknowledged.

Examples:
  counterfoil demo                          until Ctrl-C
  counterfoil demo --for 30s --seed 7       ends by itself
  counterfoil demo --store postgres         needs PostgreSQL: apt-get install postgresql`;

const POSTGRES_MISSING =
  '--store postgres needs PostgreSQL on this machine: install it (`apt-get install postgresql`; no cluster has to run). `npm start` alone needs none.';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function parseDuration(text: string): number {
  const [, count, unit] = /^([0-9]+)([smh])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  if (count === undefined || unitMs === undefined || Number(count) === 0) {
    throw new InvalidArgumentError('a duration is a number and s, m or h: 30s, 5m, 1h');
  }
  return Number(count) * unitMs;
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new InvalidArgumentError('a seed is a whole number from 0');
  }
  return seed;
}

/**
 * The command `demo`: runs core and daemon with seeded traffic and faults. Its exit code is 1 when the
 * books do not balance in the end.
 */
export function demoCommand(terminal: Terminal, environment: Environment): Command {
  return new Command('demo')
    .addHelpText('after', HELP)
    .addOption(
      new Option('--store <kind>', 'one daemon with SQLite, or two receivers with PostgreSQL')
        .choices(STORES)
        .default('sqlite'),
    )
    .option('--for <duration>', 'end by itself after this time: 30s, 5m or 1h', parseDuration)
    .option('--seed <number>', 'same seed: the same payments in the same order', parseSeed, 1)
    .option('--port <port>', 'port of the daemon, 0 for any free one', parsePort, 8080)
    .option(
      '--core-port <port>',
      'port of the core (its control port is one above)',
      parsePort,
      4100,
    )
    .option('--json', 'print one last JSON line instead of text')
    .action(async (flags: DemoFlags) => {
      if (flags.corePort === LAST_PORT) {
        const why = 'has no port above it for the control calls: give a lower one';
        throw new CommandFailed(`--core-port ${flags.corePort} ${why}`, 2);
      }
      if (flags.store === 'postgres' && postgresPrograms(environment) === undefined) {
        throw new CommandFailed(POSTGRES_MISSING);
      }
      const isSound = await runDemo(flags, terminal, environment);
      terminal.exitWith(isSound ? 0 : 1);
    });
}

/** Whether the books balance, and nothing acknowledged is lost. */
async function runDemo(
  flags: DemoFlags,
  terminal: Terminal,
  environment: Environment,
): Promise<boolean> {
  const ending = new Ending(terminal.signals, (text) => terminal.note(text));
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-demo-'));
  const leaveNothing = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', leaveNothing);
  const failed = new AbortController();
  const coreArgs = ['core', '--port', String(flags.corePort), '--seed', String(flags.seed)];
  let core: Child<CoreReady> | undefined;
  let product: Product | undefined;
  try {
    core = await Child.start<CoreReady>([...coreArgs, '--no-mine', '--json'], failed);
    const control = new CoreControl(core.ready.controlUrl);
    const { scene, client, traders } = await prepare(control, core.ready.url);
    // The daemon's configuration names its own webhook URL, so the port is known before the start.
    const access = new ProductAccess(flags.port === 0 ? await freePort() : flags.port);
    const { signal } = failed;
    const context = { folder, access, coreUrl: core.ready.url, client, signal };
    if (flags.store === 'postgres') terminal.note('starting PostgreSQL and two receivers');
    product =
      flags.store === 'postgres'
        ? await Receivers.create(context, environment)
        : new OneDaemon(context);
    await product.start();
    await subscribeAll(client, scene.vaultIds, access.webhookUrl);
    announce(terminal, { access, product, core: core.ready, flags });
    const acting = { flags, ending, terminal, control, access, product, scene, client, traders };
    return await perform(acting);
  } finally {
    failed.abort();
    await product?.stop();
    await core?.stop();
    leaveNothing();
  }
}

interface CoreReady {
  readonly url: string;
  readonly controlUrl: string;
}

async function prepare(
  control: CoreControl,
  url: string,
): Promise<{ scene: Scene; client: CoreClient; traders: CoreClient[] }> {
  const client = await CoreClient.create({ control, url, name: 'counterfoil' });
  const scenery = await CoreClient.create({ control, url, name: 'scenery' });
  const scene = await setScene(control, scenery);
  const traders: CoreClient[] = [];
  for (let number = 1; number <= TRADERS; number += 1) {
    traders.push(await CoreClient.create({ control, url, name: `trader ${number}` }));
  }
  return { scene, client, traders };
}

function announce(
  terminal: Terminal,
  about: { access: ProductAccess; product: Product; core: CoreReady; flags: DemoFlags },
): void {
  const { access, product, core, flags } = about;
  const end =
    flags.for === undefined ? 'Ctrl-C ends it' : `ends by itself after ${flags.for / 1000} s`;
  terminal.note(
    [
      `console   ${access.url}/console`,
      `API       ${access.url}/docs   (Authorization: Bearer TOKEN)`,
      `token     ${access.tokens.admin}   role admin`,
      `token     ${access.tokens.crediting}   role crediting, for a program that books credits`,
      `core      ${core.controlUrl}/inspector   (API: ${core.url}/docs, control: ${core.controlUrl}/sim)`,
      ...product.parts,
      `seed ${flags.seed}; ${end}`,
    ].join('\n'),
  );
}

async function perform(stage: {
  flags: DemoFlags;
  ending: Ending;
  terminal: Terminal;
  control: CoreControl;
  access: ProductAccess;
  product: Product;
  scene: Scene;
  client: CoreClient;
  traders: CoreClient[];
}): Promise<boolean> {
  const { flags, ending, terminal, control, access, product, scene, client, traders } = stage;
  const random = new SeededRandom(flags.seed);
  const traffic = new Traffic({ control, traders, scene, random });
  const { over } = ending;
  ending.begin(flags.for);
  const consumer = new AbortController();
  const consuming = consumeCredits(access.apiOf('crediting'), consumer.signal);
  // The demo ends when its consumer fails; the error is thrown where the consumer is awaited.
  consuming.catch(() => ending.end());
  const latency = new CreditLatency();
  let outstanding;
  try {
    const note = (text: string): void => terminal.note(text);
    const operator = new Operator(access.apiOf('admin'));
    const { vaultIds } = scene;
    const acting = { traffic, control, access, operator, vaultIds, latency };
    await playScript({ ...acting, over, note }, product.episodes);
    terminal.note('traffic has ended; waiting until everything has arrived');
    outstanding = await drain({ traffic, control, access, client, vaultIds });
  } finally {
    ending.end();
    consumer.abort();
    await consuming;
  }
  await product.takeLatency(latency);
  const summary = await summarise(product.storePaths, {
    consumed: await consuming,
    creditLatency: latency.figures(),
    outstanding,
    tieOut: await tieOut(access.apiOf('admin'), control),
    failover: await product.failover(),
  });
  terminal.result(flags.json === true ? JSON.stringify(summary) : summaryText(summary));
  return summary.tieOut.balanced && (summary.failover?.lost ?? 0) === 0;
}
