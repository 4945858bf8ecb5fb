import { Command } from 'commander';
import { CommandFailed, type Terminal } from '../../daemon/process/terminal.ts';
import { readText, unreadableText } from '../../ops/config/reading/named-file.ts';
import type { Environment } from '../../ops/config/reading/substitution.ts';
import {
  AddressRefused,
  journalAddress,
  shownAddress,
  type JournalAddress,
} from '../../store/postgres/address.ts';
import { initJournal, type Initialised } from '../../store/postgres/init.ts';
import { JournalUnavailable } from '../../store/replicated/shared-journal.ts';

const HELP = `
Creates the journal that several receivers share, in a PostgreSQL database (release 15 or later). A
journal that is there already stays as it is. A store in a SQLite file needs no init.

The address:
  postgres://USER@HOST[:PORT][,HOST[:PORT]...]/DATABASE[?sslmode=verify-full&sslrootcert=FILE&schema=NAME]
  Name every server of the cluster; receivers write to the one that takes writes. The schema is
  counterfoil by default. TLS is verify-full unless every host is this machine.

Two roles:
  The role of the address owns the tables. Use it for init alone.
  The runtime role is for the receivers: it may append, and it cannot change or delete what the
  journal holds. Create it first; init grants it what it needs.

Password: --password-file, or the environment's PGPASSWORD. Do not write it into the address: other
users of the machine can see a command line.

Example:
  createdb exchange
  psql exchange -c "CREATE ROLE counterfoil LOGIN PASSWORD '...' IN ROLE pg_monitor"
  counterfoil init --store postgres://owner@db1,db2/exchange --password-file owner.password --runtime-role counterfoil

Then configure synchronous_standby_names: without it a failover loses acknowledged notifications.

Exit code 0 when the journal is there, 1 when it is not, 2 for bad usage.`;

interface InitFlags {
  readonly store: string;
  readonly runtimeRole?: string;
  readonly passwordFile?: string;
  readonly json?: boolean;
}

/** The command `init`: creates the shared journal in a schema of its own. */
export function initCommand(terminal: Terminal, environment: Environment): Command {
  return new Command('init')
    .addHelpText('after', HELP)
    .requiredOption('--store <address>', 'the database, as postgres://…')
    .option('--runtime-role <name>', "the receivers' role, which must exist")
    .option('--password-file <file>', "the file with the password of the address's role")
    .option('--json', 'print one JSON line')
    .action(async (flags: InitFlags) => {
      const address = addressOf(flags, environment);
      const created = await initialised(address, flags.runtimeRole);
      terminal.result(
        flags.json === true ? JSON.stringify(created) : asText(created, address, flags),
      );
    });
}

function addressOf(flags: InitFlags, environment: Environment): JournalAddress {
  if (flags.store.startsWith('sqlite:') || !flags.store.includes('://')) {
    const why =
      'a store in a SQLite file needs no init: `counterfoil serve` makes the file at its first start';
    throw new CommandFailed(`${why}. For a shared journal, give --store postgres://…`, 2);
  }
  try {
    return journalAddress(flags.store, {
      password: passwordOf(flags, environment),
      from: flags.passwordFile === undefined ? 'PGPASSWORD' : `the file ${flags.passwordFile}`,
    });
  } catch (error) {
    if (error instanceof AddressRefused) throw new CommandFailed(error.message, 2);
    throw error;
  }
}

function passwordOf({ passwordFile }: InitFlags, environment: Environment): string | undefined {
  if (passwordFile === undefined) return environment['PGPASSWORD'];
  const content = readText(passwordFile);
  if (content.kind === 'unreadable') {
    throw new CommandFailed(`--password-file: ${unreadableText(passwordFile, content.reason)}`, 2);
  }
  // An editor ends the file with a line break, which is not part of the password.
  return content.text.replace(/\r?\n$/, '');
}

async function initialised(
  address: JournalAddress,
  runtimeRole: string | undefined,
): Promise<Initialised> {
  try {
    return await initJournal(address, { runtimeRole, nowMs: Date.now() });
  } catch (error) {
    if (error instanceof JournalUnavailable) throw new CommandFailed(error.message);
    throw error;
  }
}

function asText(
  { isNew, storeId }: Initialised,
  address: JournalAddress,
  { runtimeRole }: InitFlags,
): string {
  const role =
    runtimeRole === undefined
      ? 'No runtime role: call init again with --runtime-role, so that receivers cannot change the journal.'
      : `Role ${runtimeRole} may append to it, and cannot change or delete what it holds.`;
  return [
    `${shownAddress(address)}: the journal ${isNew ? 'is created' : 'was there already'} (store ${storeId}).`,
    role,
  ].join('\n');
}
