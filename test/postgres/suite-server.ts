import type { TestProject } from 'vitest/node';
import { startPostgres } from './cluster.ts';

/**
 * Starts the server on which the project `postgres` keeps its journals, and returns how to stop it.
 * What a crash of it would lose is another test's subject, so it does not wait for the disk.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startPostgres({
    standby: false,
    settings: { fsync: 'off', max_connections: '200' },
  });
  project.provide('postgresUrl', cluster.url('postgres'));
  return () => cluster.stop();
}
