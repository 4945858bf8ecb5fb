import { startPostgres } from './cluster.ts';
import { NOT_INSTALLED, postgresPrograms } from '../../src/commands/demo/postgres/installation.ts';
import { SUPERUSER } from '../../src/commands/demo/postgres/server.ts';
import { PASSWORD } from './server.ts';

/** The role for the receivers; `init` grants it what it needs. */
const RECEIVERS = 'receivers';

/** Ends at the first signal. A terminal and npm both send one, so later ones are ignored. */
async function signalled(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve());
  });
}

/** Runs a primary and its synchronous standby on loopback until Ctrl-C. */
async function run(): Promise<void> {
  const stop = signalled();
  const cluster = await startPostgres({ standby: true });
  try {
    await cluster.sql(`CREATE ROLE ${RECEIVERS} LOGIN PASSWORD '${PASSWORD}' IN ROLE pg_monitor`);
    const address = cluster.url('postgres').replace(`:${PASSWORD}@`, '@');
    process.stdout.write(`A primary and its synchronous standby are running.

  address    ${address}
  password   ${PASSWORD}
  receivers  ${address.replace(`//${SUPERUSER}@`, `//${RECEIVERS}@`)}

Next, in another shell: create the journal, then look at it.

  export PGPASSWORD=${PASSWORD}
  node dist/main.js init --store '${address}' --runtime-role ${RECEIVERS}
  psql -h 127.0.0.1 -p ${cluster.primary.port} -U ${SUPERUSER} postgres -c 'TABLE counterfoil.ownership'

Ctrl-C stops both servers and removes their folder.
`);
    await stop;
  } finally {
    await cluster.stop();
  }
}

if (postgresPrograms(process.env) === undefined) {
  process.stderr.write(`${NOT_INSTALLED}\n`);
  process.exitCode = 1;
} else {
  await run();
}
