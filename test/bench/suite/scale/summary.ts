import { medianOrNull } from '../../figures/median.ts';
import { figure, markdown } from '../../figures/table.ts';
import type { LoadResult } from '../../load/load.ts';
import { ALONE, aloneOf, FAR, isSame, type Kind, type Setup } from './setups.ts';

/** One setup under load once. */
export interface Measured {
  readonly setup: Setup;
  readonly round: number;
  readonly seen: LoadResult;
  readonly perCommit: number;
  /** Bytes of the database's log, and of its files, for each notification. */
  readonly walBytes: number;
  readonly storedBytes: number;
  readonly loadAverage: number;
  readonly defects: readonly string[];
}

/** The primary and its standby are the last two processes. */
const DATABASE_PIDS = 2;

/** CPU microseconds for each notification of some processes; null where the system does not report it. */
function cpuOf({ seen }: Measured, from: number, to?: number): number | null {
  const cores = seen.coresByPid.slice(from, to);
  if (cores.includes(null) || seen.requestsPerSecond === 0) return null;
  const sum = cores.reduce<number>((total, one) => total + (one ?? 0), 0);
  return (sum / seen.requestsPerSecond) * 1e6;
}

/** The median of a figure's ratios to another setup, each within one round. */
function ratioTo(
  all: readonly Measured[],
  { setup, other }: { readonly setup: Setup; readonly other: Setup },
  of: (one: Measured) => number | null,
): number | null {
  const own = all.filter((one) => isSame(one.setup, setup));
  return medianOrNull(
    own.map((one) => {
      const beside = all.find((at) => at.round === one.round && isSame(at.setup, other));
      const [above, below] = [of(one), beside === undefined ? null : of(beside)];
      return above === null || below === null || below === 0 ? null : above / below;
    }),
  );
}

const rateOf = ({ seen }: Measured): number => seen.requestsPerSecond;
const allCpuOf = (one: Measured): number | null => cpuOf(one, 0);

const HEAD = [
  'server',
  'journals',
  'receivers of each',
  'connections',
  'added ms',
  'notifications/s',
  '× row by row',
  '× one statement',
  '× one alone',
  'CPU µs',
  'of receivers',
  'of database',
  'CPU × one alone',
  'p50 ms',
  'p99 ms',
  'per commit',
  'log bytes',
  'stored bytes',
  'other cores',
];

function lineOf(all: readonly Measured[], setup: Setup): string[] {
  const own = all.filter((one) => isSame(one.setup, setup));
  const median = (of: (one: Measured) => number | null): number | null => medianOrNull(own.map(of));
  const beside = (kind: Kind): number | null =>
    ratioTo(all, { setup, other: { ...setup, kind, journals: 1, receivers: 1 } }, rateOf);
  const toAlone = (of: (one: Measured) => number | null): number | null =>
    ratioTo(all, { setup, other: aloneOf(setup) }, of);
  return [
    setup.kind,
    String(setup.journals),
    String(setup.receivers),
    String(setup.connections),
    String(setup.delayMs),
    figure(median(rateOf), 0),
    figure(beside('express-postgres'), 2),
    figure(beside('fastify-postgres'), 2),
    figure(toAlone(rateOf), 2),
    figure(median(allCpuOf), 0),
    figure(
      median((one) => cpuOf(one, 0, -DATABASE_PIDS)),
      0,
    ),
    figure(
      median((one) => cpuOf(one, -DATABASE_PIDS)),
      0,
    ),
    figure(toAlone(allCpuOf), 2),
    figure(
      median(({ seen }) => seen.p50Ms),
      1,
    ),
    figure(
      median(({ seen }) => seen.p99Ms),
      1,
    ),
    figure(
      median(({ perCommit }) => perCommit),
      0,
    ),
    figure(
      median(({ walBytes }) => walBytes),
      0,
    ),
    figure(
      median(({ storedBytes }) => storedBytes),
      0,
    ),
    figure(
      median(({ seen }) => seen.otherCores),
      2,
    ),
  ];
}

/** A line for each setup, in the order of the first round. */
export function tableOf(all: readonly Measured[]): string {
  const setups = all.filter(({ round }) => round === 1).map(({ setup }) => setup);
  return markdown(
    HEAD,
    setups.map((setup) => lineOf(all, setup)),
  );
}

interface Goal {
  readonly goal: string;
  readonly measured: number | null;
  readonly isReached: (measured: number) => boolean;
}

/** What the design is to reach, with what was measured. */
export function goalsOf(all: readonly Measured[]): string {
  const ratio = (setup: Setup, other: Setup, of: (one: Measured) => number | null) =>
    ratioTo(all, { setup, other }, of);
  const toAlone = (setup: Setup, of: (one: Measured) => number | null) =>
    ratio(setup, aloneOf(setup), of);
  const linear = (setup: Setup): number | null => {
    const speedUp = toAlone(setup, rateOf);
    return speedUp === null ? null : speedUp / (setup.journals * setup.receivers);
  };
  const goals: Goal[] = [
    {
      goal: 'at least 5 × the rate of row by row',
      measured: ratio(ALONE, { ...ALONE, kind: 'express-postgres' }, rateOf),
      isReached: (measured) => measured >= 5,
    },
    {
      goal: 'at least 2.5 × the rate of one statement',
      measured: ratio(ALONE, { ...ALONE, kind: 'fastify-postgres' }, rateOf),
      isReached: (measured) => measured >= 2.5,
    },
    {
      goal: 'CPU with 4 receivers of one journal at most 1.15 × that with one',
      measured: toAlone({ ...ALONE, receivers: 4 }, allCpuOf),
      isReached: (measured) => measured <= 1.15,
    },
    {
      goal: 'the same with 4 journals of one receiver',
      measured: toAlone({ ...ALONE, journals: 4 }, allCpuOf),
      isReached: (measured) => measured <= 1.15,
    },
    {
      goal: 'with 5 ms more to the database, 4 receivers of one journal at least 0.9 × linear',
      measured: linear({ ...FAR, receivers: 4 }),
      isReached: (measured) => measured >= 0.9,
    },
    {
      goal: 'the same with 4 journals of one receiver, 4 connections to each',
      measured: linear({ ...FAR, journals: 4, connections: 16 }),
      isReached: (measured) => measured >= 0.9,
    },
    {
      goal: 'the control with one chain row falls to at most half of one statement',
      measured: ratio(
        { ...ALONE, kind: 'fastify-postgres-chain' },
        { ...ALONE, kind: 'fastify-postgres' },
        rateOf,
      ),
      isReached: (measured) => measured <= 0.5,
    },
  ];
  const lines = goals.map(({ goal, measured, isReached }) => {
    const verdict = measured === null ? 'not measured' : isReached(measured) ? 'yes' : 'no';
    return [goal, figure(measured, 2), verdict];
  });
  return markdown(['goal', 'measured', 'reached'], lines);
}
