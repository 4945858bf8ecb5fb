import { Command } from 'commander';
import { CommandFailed, type Terminal } from '../../daemon/process/terminal.ts';
import { journalAddress, shownAddress } from '../../store/postgres/address.ts';
import { copyToJournal, copyToStore, type Copied } from './copy-journal.ts';
import { LEASE_SECONDS, withJournal, type CommandContext } from './journal-at.ts';
import { stagedProgress } from './staged-progress.ts';
import { refuseNoFile } from './store-path.ts';

const HELP = `
Copies a store between SQLite and PostgreSQL: the same facts, ids, seals, credit feed and report hashes.
Stop every daemon of the store first. A copy into PostgreSQL needs an empty journal
(\`counterfoil init\`); a copy into SQLite needs a new file. PGPASSWORD holds the database's password.

Afterwards the SQLite file is a valid replica: name it as \`receiver.replica\` of the first receiver,
so that this receiver need not read the whole journal.

Exit code 0 when everything is copied, 1 when it is not, 2 for bad usage.

Examples:
  counterfoil copy --from sqlite:store.db --to postgres://counterfoil@db1,db2/books
  counterfoil copy --from postgres://counterfoil@db1,db2/books --to sqlite:copy.db`;

interface Flags {
  readonly from: string;
  readonly to: string;
  readonly withoutStandby?: boolean;
  readonly json?: boolean;
}

/** The command `copy`: moves a store between SQLite and PostgreSQL. */
export function copyCommand(terminal: Terminal, context: CommandContext): Command {
  return new Command('copy')
    .addHelpText('after', HELP)
    .requiredOption('--from <store>', 'sqlite:FILE or postgres://…')
    .requiredOption('--to <store>', 'sqlite:FILE (a new one) or postgres://… (an empty journal)')
    .option('--without-standby', 'copy into PostgreSQL although it has no synchronous standby')
    .option('--json', 'print the result as one JSON line')
    .action(async (flags: Flags) => {
      const file = fileIn(flags.from) ?? fileIn(flags.to);
      const url = fileIn(flags.from) === undefined ? flags.from : flags.to;
      if (file === undefined || fileIn(url) !== undefined) {
        throw new CommandFailed(
          'give one store as sqlite:FILE and the other as postgres://…; `counterfoil backup` copies a SQLite store',
          2,
        );
      }
      if (url === flags.to) refuseNoFile(file, "check the path of the store's file");
      const standby = flags.withoutStandby === true ? 'ignored' : 'required';
      const { stillOwned, ...copied } = await withJournal<Copied>(
        url,
        { ...context, command: 'copy', standby },
        (journal) => {
          const progress = stagedProgress(process.stderr);
          return url === flags.to
            ? copyToJournal(file, journal, progress)
            : copyToStore(journal, file, progress);
        },
      );
      terminal.result(
        flags.json === true
          ? JSON.stringify(copied)
          : `${shown(flags.to)}: ${copied.facts} facts in ${copied.commits} commits copied`,
      );
      if (stillOwned !== undefined) {
        terminal.note(
          `Everything is copied. The copy's lease of the journal could not be ended (${stillOwned}), and ends by itself within ${LEASE_SECONDS} seconds: a receiver that starts earlier waits until then.`,
        );
      }
    });
}

function fileIn(store: string): string | undefined {
  return /^sqlite:(.+)$/s.exec(store)?.[1];
}

function shown(store: string): string {
  return fileIn(store) ?? shownAddress(journalAddress(store));
}
