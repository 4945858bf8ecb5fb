import { BASELINES, type BaselineServer } from './baseline.ts';
import { POSTGRES_BASELINES } from './postgres-baseline.ts';
import { SQLITE_BASELINES } from './sqlite-baseline.ts';

/**
 * A receiver to compare with; its store, where it has one, is below the folder that it is given. A
 * receiver with PostgreSQL can have the address of a database instead.
 */
export type BaselineName =
  keyof typeof BASELINES | keyof typeof SQLITE_BASELINES | keyof typeof POSTGRES_BASELINES;

const ALL: Record<BaselineName, (where: string) => BaselineServer | Promise<BaselineServer>> = {
  ...BASELINES,
  ...SQLITE_BASELINES,
  ...POSTGRES_BASELINES,
};

/** Whether a receiver needs what test/bench/package.json names. */
export function needsPostgres(name: string): boolean {
  return Object.hasOwn(POSTGRES_BASELINES, name);
}

/** Serves until SIGTERM; prints where it listens as one JSON line, as `serve` does. */
export async function serveBaseline(name: BaselineName, where: string): Promise<void> {
  const baseline = await ALL[name](where);
  const { server } = baseline;
  process.once('SIGTERM', () => {
    server.close();
    void Promise.resolve(baseline.close()).then(() => process.exit(0));
  });
  server.listen(0, '127.0.0.1', () => {
    const bound = server.address();
    if (bound === null || typeof bound === 'string') throw new Error('expected a TCP address');
    console.log(JSON.stringify({ url: `http://127.0.0.1:${bound.port}` }));
  });
}
