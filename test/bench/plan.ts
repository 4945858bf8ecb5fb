import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY } from '../house/source.ts';

/** What is measured, from the least that a receiver can do to the product. */
export const CONTENDERS = ['node-http', 'hono', 'one-transaction', 'counterfoil'] as const;
export type ContenderName = (typeof CONTENDERS)[number];

/** Senders at once: a custody service delivers one vault's queue at a time, over many vaults. */
export const CONNECTIONS = [64, 256] as const;

/** What one run measures. */
export interface Plan {
  readonly contenders: readonly ContenderName[];
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

  --seconds N    measured seconds of each server at each number of connections (default 5)
  --warmup N     seconds before them that are not measured (default 2)
  --rounds N     rounds, of which the median is told (default 3)
  --only NAME    only this server (may be given several times): ${CONTENDERS.join(', ')}
  --program FILE the built program (default dist/main.js; \`npm run build\` makes it)
  --profile DIR  write CPU profiles of counterfoil there (\`node --cpu-prof\`)
  --json FILE    also write every figure to this file

Stores are made below the system's folder for temporary files: TMPDIR chooses the disk.
Exit codes: 0 ok, 1 an answer was not 2xx or a store did not hold what was acknowledged, 2 bad usage.`;

function isContender(name: string): name is ContenderName {
  return CONTENDERS.some((one) => one === name);
}

function whole(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^[1-9][0-9]{0,3}$/.test(text)) throw new TypeError(`--${name} wants a number from 1`);
  return Number(text);
}

/** Reads the command's arguments; throws `TypeError` on bad usage. */
export function readPlan(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string' },
      warmup: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string', multiple: true },
      program: { type: 'string' },
      profile: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const only = values.only ?? [];
  const unknown = only.find((name) => !isContender(name));
  if (unknown !== undefined) throw new TypeError(`no server ${unknown} to measure`);
  return {
    contenders: CONTENDERS.filter((name) => only.length === 0 || only.includes(name)),
    rounds: whole('rounds', values.rounds, 3),
    seconds: whole('seconds', values.seconds, 5),
    warmupSeconds: whole('warmup', values.warmup, 2),
    program: values.program ?? join(REPOSITORY, 'dist/main.js'),
    profile: values.profile ?? null,
    json: values.json ?? null,
  };
}
