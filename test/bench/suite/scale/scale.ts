import { loadavg } from 'node:os';
import { startPostgres, type PostgresCluster } from '../../../postgres/cluster.ts';
import {
  NOT_INSTALLED,
  postgresPrograms,
} from '../../../../src/commands/demo/postgres/installation.ts';
import { SUPERUSER } from '../../../../src/commands/demo/postgres/server.ts';
import { PASSWORD } from '../../../postgres/server.ts';
import { install } from '../../baseline/installed.ts';
import { inFolder } from '../../folder.ts';
import { faultsIn, load, orderOf } from '../../load/generator.ts';
import type { Plan } from '../../plan.ts';
import type { SuiteResult } from '../suite.ts';
import { delayedLink } from './delayed-link.ts';
import { startServers } from './servers.ts';
import { SETUPS, shownSetup, type Setup } from './setups.ts';
import { goalsOf, tableOf, type Measured } from './summary.ts';

/** As the intake suite sets them, so that small caches and checkpoints are not measured. */
const SETTINGS = { shared_buffers: '512MB', max_wal_size: '4GB', jit: 'off' };

/** Where the log of changes and the database's files end, bytes. */
interface Sizes {
  readonly wal: number;
  readonly stored: number;
}

async function sizesOf(cluster: PostgresCluster, database: string): Promise<Sizes> {
  const [sizes] = await cluster.sql<Sizes>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal,
      pg_database_size(current_database())::float8 AS stored`,
    { database },
  );
  if (sizes === undefined) throw new Error('the server did not tell its sizes');
  return sizes;
}

/** An empty database for one run, behind a slower link if the setup asks for one. */
async function inDatabase<Result>(
  cluster: PostgresCluster,
  { database, delayMs }: { readonly database: string; readonly delayMs: number },
  work: (address: string) => Promise<Result>,
): Promise<Result> {
  await cluster.sql(`CREATE DATABASE ${database}`);
  const { port } = cluster.primary;
  const link = delayMs === 0 ? null : await delayedLink(port, delayMs);
  try {
    return await work(
      `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${link?.port ?? port}/${database}`,
    );
  } finally {
    link?.close();
    await cluster.sql(`DROP DATABASE ${database} WITH (FORCE)`);
    await cluster.sql('CHECKPOINT');
  }
}

interface ScaleRun {
  readonly plan: Plan;
  readonly setup: Setup;
  readonly round: number;
}

async function measure(
  { plan, setup, round }: ScaleRun,
  { cluster, database, address }: { cluster: PostgresCluster; database: string; address: string },
): Promise<Measured> {
  return inFolder(async (folder) => {
    const servers = await startServers(plan, setup, { cluster, database, address, folder });
    try {
      const postgres = [cluster.primary, cluster.standby].flatMap((one) => one?.pid ?? []);
      const before = await sizesOf(cluster, database);
      const seen = await load({
        ...orderOf(plan, { connections: setup.connections, url: '', pid: 0 }),
        urls: servers.urls,
        isApart: setup.journals > 1,
        serverPids: [...servers.pids, ...postgres],
      });
      const after = await sizesOf(cluster, database);
      const { defects, perCommit } = await servers.measure(seen);
      const notifications = seen.firsts + seen.repeats;
      return {
        setup,
        round,
        seen,
        perCommit,
        walBytes: (after.wal - before.wal) / notifications,
        storedBytes: (after.stored - before.stored) / notifications,
        loadAverage: loadavg()[0] ?? 0,
        defects: [...faultsIn(seen), ...defects].map(
          (defect) => `${shownSetup(setup)}, round ${round}: ${defect}`,
        ),
      };
    } finally {
      await servers.end();
    }
  });
}

async function measureAll(plan: Plan, cluster: PostgresCluster): Promise<Measured[]> {
  const all: Measured[] = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    // Every other round goes backwards: no server always follows the same one.
    for (const setup of round % 2 === 1 ? SETUPS : SETUPS.toReversed()) {
      const database = `bench_${all.length + 1}`;
      const measured = await inDatabase(cluster, { database, delayMs: setup.delayMs }, (address) =>
        measure({ plan, setup, round }, { cluster, database, address }),
      );
      all.push(measured);
      const rate = measured.seen.requestsPerSecond.toFixed(0);
      console.error(`round ${round}  ${shownSetup(setup)}  ${rate} notifications/s`);
    }
  }
  return all;
}

/**
 * One, two and four receivers of one journal, and several journals, beside servers that write every
 * notification alone, all over one primary with its synchronous standby.
 */
export async function measureScale(plan: Plan): Promise<SuiteResult> {
  const problem = postgresPrograms(process.env) === undefined ? NOT_INSTALLED : install();
  if (problem !== null) return { text: `skipped: ${problem}`, figures: null, defects: [] };
  const cluster = await startPostgres({ standby: true, settings: SETTINGS });
  try {
    const all = await measureAll(plan, cluster);
    const averages = all.map(({ loadAverage }) => loadAverage);
    const text = [
      `load average during the run ${Math.min(...averages).toFixed(1)} to ${Math.max(...averages).toFixed(1)}`,
      tableOf(all),
      goalsOf(all),
    ].join('\n\n');
    return { text, figures: all, defects: all.flatMap(({ defects }) => defects) };
  } finally {
    await cluster.stop();
  }
}
