import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY } from '../house/source.ts';
import { TRAFFICS, type TrafficName } from './traffic.ts';

/** What is measured, from the least that a receiver can do to the product. */
export const CONTENDERS = [
  'node-http',
  'hono',
  'hono-json',
  'one-transaction',
  'express-postgres',
  'fastify-postgres',
  'counterfoil',
] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** Senders at once: a custody service delivers one vault's queue at a time, over many vaults. */
const CONNECTIONS = [16, 64, 256] as const;

/** What one run measures. */
export interface Plan {
  readonly contenders: readonly ContenderName[];
  readonly connections: readonly number[];
  readonly traffic: TrafficName;
  readonly vaults: number;
  readonly rounds: number;
  /** Measured time of one contender at one number of connections. */
  readonly seconds: number;
  /** Time before it in which answers are checked but not measured: code is compiled meanwhile. */
  readonly warmupSeconds: number;
  /** The built program, `main.js`. */
  readonly program: string;
  /** Folder for CPU profiles of the product; profiling costs a few per cent. */
  readonly profile: string | null;
  /** Where the figures go as JSON. */
  readonly json: string | null;
}

export const USAGE = `npm run bench -- [options]

  --only NAME      only this server (may be given several times):
                   ${CONTENDERS.join(', ')}
  --connections N  this many senders at once (may be given several times; default ${CONNECTIONS.join(', ')})
  --traffic NAME   ${TRAFFICS.join(' or ')} (default mixed)
  --vaults N       vaults that deliveries are spread over (default 500)
  --seconds N      measured seconds of each server at each number of connections (default 5)
  --warmup N       seconds before them that are not measured (default 2)
  --rounds N       rounds, of which the median is told (default 3)
  --program FILE   the built program (default dist/main.js; \`npm run build\` makes it)
  --profile DIR    write CPU profiles of counterfoil there (\`node --cpu-prof\`)
  --json FILE      also write every figure to this file

Stores are made below the system's folder for temporary files: TMPDIR chooses the disk.
Exit codes: 0 ok, 1 an answer was not 2xx or a store did not hold what was acknowledged, 2 bad usage.`;

function oneOf<Name extends string>(what: string, names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new TypeError(`no ${what} ${text}: ${names.join(', ')}`);
  return found;
}

function whole(name: string, text: string): number {
  if (!/^[1-9][0-9]{0,7}$/.test(text)) throw new TypeError(`--${name} wants a number from 1`);
  return Number(text);
}

/** Reads the command's arguments; throws `TypeError` on bad usage. */
export function readPlan(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [...CONTENDERS] },
      connections: { type: 'string', multiple: true, default: CONNECTIONS.map(String) },
      traffic: { type: 'string', default: 'mixed' },
      vaults: { type: 'string', default: '500' },
      seconds: { type: 'string', default: '5' },
      warmup: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      program: { type: 'string', default: join(REPOSITORY, 'dist/main.js') },
      profile: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const only = values.only.map((name) => oneOf('server', CONTENDERS, name));
  return {
    contenders: CONTENDERS.filter((name) => only.includes(name)),
    connections: values.connections.map((text) => whole('connections', text)),
    traffic: oneOf('traffic', TRAFFICS, values.traffic),
    vaults: whole('vaults', values.vaults),
    rounds: whole('rounds', values.rounds),
    seconds: whole('seconds', values.seconds),
    warmupSeconds: whole('warmup', values.warmup),
    program: values.program,
    profile: values.profile ?? null,
    json: values.json ?? null,
  };
}
