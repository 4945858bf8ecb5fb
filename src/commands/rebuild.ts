import { Command } from 'commander';
import { decodeAgain } from '../intake/decode.ts';
import { rebuild } from '../store/sqlite/rebuild.ts';
import type { Environment } from '../ops/substitution.ts';
import { stagedProgress } from './staged-progress.ts';
import { storeFrom } from './store-path.ts';
import type { Terminal } from './terminal.ts';

const HELP = `
Makes every table anew from the journal, in a new file that then takes the old one's place. The old
file is kept beside it. Stop the daemon first: a store that is in use is refused. This is also how a
store of an earlier version is brought to this one.

The new tables must hold the same credit feed as the old ones, because consumers have acted on it.
Accept another one only when the old table is known to be damaged.`;

export function rebuildCommand(terminal: Terminal, environment: Environment): Command {
  return new Command('rebuild')
    .addHelpText('after', HELP)
    .option('--store <file>', "the store's SQLite file")
    .option('--config <file>', "the daemon's configuration, which names the store")
    .option('--accept-feed', 'accept a credit feed that differs from the old one')
    .option('--json', 'print the result as one JSON line')
    .action((flags: { store?: string; config?: string; acceptFeed?: boolean; json?: boolean }) => {
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
