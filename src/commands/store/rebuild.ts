import { Command } from 'commander';
import { decodeAgain } from '../../intake/decode.ts';
import { rebuild } from '../../store/sqlite/audit/rebuild.ts';
import type { Environment } from '../../ops/config/reading/substitution.ts';
import { stagedProgress } from './staged-progress.ts';
import { refuseDatabase, storeFrom } from './store-path.ts';
import type { Terminal } from '../../daemon/process/terminal.ts';

const HELP = `
Rebuilds every table from the journal in a new file, then replaces the old file with it. Keeps the old
file beside it. Stop the daemon first: the command refuses a store in use. This command also upgrades
a store of an earlier version. Name the store with --store or --config, one of them.

The rebuilt credit feed must equal the old one, because consumers have acted on it. Accept a different
feed only when the old table is known to be damaged.

Exit code 0 when the store is rebuilt, 1 when it is not, and is then as before; 2 for bad usage.

Example:
  counterfoil rebuild --config config.json`;

const JOURNAL_ALONE =
  'PostgreSQL holds the journal alone, without tables to rebuild. To rebuild a replica, stop its receiver, remove the file that receiver.replica names, and start the receiver: it reads the whole journal. Or give the file here as --store.';

/** The command `rebuild`: computes the tables of a store again from its journal. */
export function rebuildCommand(terminal: Terminal, environment: Environment): Command {
  return new Command('rebuild')
    .addHelpText('after', HELP)
    .option('--store <file>', "the store's SQLite file")
    .option('--config <file>', "the daemon's configuration, which names the store")
    .option('--accept-feed', 'accept a credit feed that differs from the old one')
    .option('--json', 'print the result as one JSON line')
    .action((flags: { store?: string; config?: string; acceptFeed?: boolean; json?: boolean }) => {
      refuseDatabase(flags, JOURNAL_ALONE);
      const path = storeFrom(flags, environment);
      const report = rebuild(path, {
        decode: decodeAgain,
        progress: stagedProgress(process.stderr),
        acceptFeed: flags.acceptFeed === true,
      });
      terminal.result(
        flags.json === true
          ? JSON.stringify(report)
          : `${path}: rebuilt from ${report.facts} facts; the previous file is ${report.previous}`,
      );
    });
}
