import { NOT_INSTALLED, postgresPrograms } from '../../src/commands/demo/postgres/installation.ts';

/** Whether tests can start PostgreSQL servers; says once in each process why they cannot. */
export const isInstalled = postgresPrograms(process.env) !== undefined;
if (!isInstalled) console.warn(`skipped: ${NOT_INSTALLED}`);
