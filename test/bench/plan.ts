import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY } from '../house/source.ts';
import { TRAFFICS, type TrafficName } from './load/traffic.ts';

/** What is measured, from the least that a receiver can do to the product. */
export const CONTENDERS = [
  'node-http',
  'hono',
  'hono-json',
  'one-row',
  'one-transaction',
  'group-commit',
  'express-postgres',
  'fastify-postgres',
  'counterfoil',
] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** Senders at once: a custody service delivers one vault's queue at a time, over many vaults. */
const CONNECTIONS = [16, 64, 256] as const;

/** What can be measured: each prints a table of its own. */
export const SUITES = [
  'intake',
  'growth',
  'reads',
  'reconcile',
  'ledger',
  'credit',
  'proxy',
  'console',
  'scale',
] as const;
export type SuiteName = (typeof SUITES)[number];

/** What the credit suite can measure. */
export const SCENARIOS = ['a', 'b', 'c', 'd', 'e1', 'e2', 'e3', 'f'] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

/** What one run measures. */
export interface Plan {
  readonly suites: readonly SuiteName[];
  /** How much is in the store beforehand; null for what a suite measures by itself. */
  readonly stored: readonly number[] | null;
  /** Measure on the filled stores themselves, which then grow, and not on copies. */
  readonly withoutCopy: boolean;
  readonly contenders: readonly ContenderName[];
  readonly connections: readonly number[];
  readonly traffic: TrafficName;
  readonly vaults: number;
  readonly rounds: number;
  /** Measured time of one contender at one number of connections. */
  readonly seconds: number;
  /** Time before it in which answers are checked but not measured: code is compiled meanwhile. */
  readonly warmupSeconds: number;
  readonly scenarios: readonly ScenarioName[];
  /** Virtual minutes of each scenario: `short`, `full`, or so many. */
  readonly lasts: 'short' | 'full' | number;
  /** The built program, `main.js`. */
  readonly program: string;
  /** Folder for CPU profiles of the product; profiling costs a few per cent. */
  readonly profile: string | null;
  /** Where the figures go as JSON. */
  readonly json: string | null;
  /** Where a chart of the intake suite goes, as SVG. */
  readonly chart: string | null;
}

export const USAGE = `npm run bench -- [options]

  --suite NAME     what to measure (may be given several times; default intake):
                     intake     every server under load
                     growth     counterfoil under load, on stores of 0, 1, 5 and 10 million notifications
                     reads      counterfoil under load while its books are read and a day is closed
                     reconcile  counterfoil's sweep over 100,000 waiting deposits
                     ledger     \`counterfoil verify\` and \`rebuild\` of a store
                     credit     from the block to the credit in the feed, in virtual time
                     console    pages of a store of 10 million notifications while 1,000 a second
                                arrive, and what twenty people cost the intake
                     proxy      counterfoil behind nginx with mTLS, behind nginx without TLS, and alone
                     scale      1, 2 and 4 receivers over PostgreSQL with a synchronous standby, beside
                                servers that write every notification alone
  --all            all of them
  --stored N       notifications that are in counterfoil's store beforehand (may be given several
                   times). Stores are filled once and kept in TMPDIR/counterfoil-bench-stores
  --in-place       take load on those stores and not on copies; they grow by what is sent
                   (reads and ledger always have copies)
  --only NAME      only this server (may be given several times):
                   ${CONTENDERS.join(', ')}
  --connections N  this many senders at once (may be given several times; default ${CONNECTIONS.join(', ')})
  --traffic NAME   ${TRAFFICS.join(' or ')} (default mixed)
  --vaults N       vaults that deliveries are spread over (default 500)
  --seconds N      measured seconds of each server at each number of connections (default 5)
  --warmup N       seconds before them that are not measured (default 2)
  --rounds N       rounds, of which the median is told (default 3)
  --scenario NAME  only this scenario of the credit suite (may be given several times):
                   ${SCENARIOS.join(', ')}
  --full           the credit suite as long as it is published: b and c two virtual hours each.
                   It takes hours; without, some ten minutes
  --minutes N      each scenario of the credit suite for so many virtual minutes
  --program FILE   the built program (default dist/main.js; \`npm run build\` makes it)
  --profile DIR    write CPU profiles of counterfoil there (\`node --cpu-prof\`), one a thread,
                   and flame charts of them (SVG)
  --json FILE      also write every figure to this file
  --chart FILE     also draw the intake suite, as SVG

Stores are made below the system's folder for temporary files: TMPDIR chooses the disk.
Exit codes: 0 ok, 1 an answer was not 2xx or a store did not hold what was acknowledged, 2 bad usage.`;

function oneOf<Name extends string>(what: string, names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new TypeError(`no ${what} ${text}: ${names.join(', ')}`);
  return found;
}

function whole(name: string, text: string, from = 1): number {
  if (!/^[0-9]{1,8}$/.test(text) || Number(text) < from) {
    throw new TypeError(`--${name} wants a number from ${from}`);
  }
  return Number(text);
}

/** Reads the command's arguments; throws `TypeError` on bad usage. */
export function readPlan(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: { type: 'string', multiple: true, default: ['intake'] },
      all: { type: 'boolean', default: false },
      stored: { type: 'string', multiple: true },
      'in-place': { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [...CONTENDERS] },
      connections: { type: 'string', multiple: true, default: CONNECTIONS.map(String) },
      traffic: { type: 'string', default: 'mixed' },
      vaults: { type: 'string', default: '500' },
      seconds: { type: 'string', default: '5' },
      warmup: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      scenario: { type: 'string', multiple: true, default: [...SCENARIOS] },
      full: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      program: { type: 'string', default: join(REPOSITORY, 'dist/main.js') },
      profile: { type: 'string' },
      json: { type: 'string' },
      chart: { type: 'string' },
    },
  });
  const only = values.only.map((name) => oneOf('server', CONTENDERS, name));
  const suites = values.suite.map((name) => oneOf('suite', SUITES, name));
  const scenarios = values.scenario.map((name) => oneOf('scenario', SCENARIOS, name));
  const usual = values.full ? 'full' : 'short';
  return {
    suites: SUITES.filter((name) => values.all || suites.includes(name)),
    stored: values.stored?.map((text) => whole('stored', text, 0)) ?? null,
    withoutCopy: values['in-place'],
    contenders: CONTENDERS.filter((name) => only.includes(name)),
    connections: values.connections.map((text) => whole('connections', text)),
    traffic: oneOf('traffic', TRAFFICS, values.traffic),
    vaults: whole('vaults', values.vaults),
    rounds: whole('rounds', values.rounds),
    seconds: whole('seconds', values.seconds),
    warmupSeconds: whole('warmup', values.warmup),
    scenarios: SCENARIOS.filter((name) => scenarios.includes(name)),
    lasts: values.minutes === undefined ? usual : whole('minutes', values.minutes),
    program: values.program,
    profile: values.profile ?? null,
    json: values.json ?? null,
    chart: values.chart ?? null,
  };
}
