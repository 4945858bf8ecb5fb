import { Command } from 'commander';
import { decodeAgain } from '../../intake/decode.ts';
import type { Environment } from '../../ops/config/reading/substitution.ts';
import { backup, restore } from '../../store/sqlite/file/backup.ts';
import { verify } from '../../store/sqlite/audit/verify.ts';
import { StoreRefused } from '../../store/refusal.ts';
import { isSameFile } from '../out-file.ts';
import { stagedProgress } from './staged-progress.ts';
import {
  refuseDatabase,
  refuseNoFile,
  refuseReplica,
  storeFrom,
  storePathFrom,
} from './store-path.ts';
import { CommandFailed, type Terminal } from '../../daemon/process/terminal.ts';

const BACKUP_HELP = `
Copies the store into a new file while the daemon runs, and audits the copy like \`counterfoil verify\`,
because an unchecked backup may be useless. An existing file is not overwritten. Name the store with
--store or --config, one of them.

Exit code 0 when the copy is sound, 1 when it is not or could not be made, 2 for bad usage.

Example:
  counterfoil backup --config config.json --out /backups/store-2026-11-20.db`;

const RESTORE_HELP = `
Audits a backup and replaces the store with it. Keeps an existing store beside it. Stop the daemon
first: the command refuses a store in use. The backup lacks what arrived after it was made; the next
reconciliations find that and repair it from the custody API. Lost for good are decisions, signatures and
acknowledgements of after the backup. A token that was revoked since is valid again, and a halt since is
over. docs/how-to/back-up-and-restore.md says what to do before and after. Name the store with --store or
--config, one of them; with --store, the daemon's configuration must name the same file.

Exit code 0 when the store is restored, 1 when it is not, and is then as before; 2 for bad usage.

Example:
  counterfoil restore --from /backups/store-2026-11-20.db --config config.json`;

const AFTER_RESTORE = `Its sweeps bring back from the custody API what came after the backup, once that is
older than \`reconcile.graceSeconds\` (ten minutes by default). A consumer of the credit feed that had read
further gets 409. It reads again from 0, skips every creditId that it has booked, and acknowledges again.
People decide again. They must name the same owners: the consumer skips a booked credit even if its owner
is now another one. Look at your bookings first.
Tokens and halts are as in the backup: one that was revoked or rotated since is valid again. Revoke such
tokens, and halt again what was halted.`;

const POSTGRES_BACKUP =
  "PostgreSQL's own tools back up and restore a database (pg_basebackup, pgBackRest); audit what was restored with `counterfoil verify --store postgres://…`.";

/** How the daemon starts from a restored store. Only `--config` names the store that it starts from. */
function startFrom(store: string, config: string | undefined): string {
  return config === undefined
    ? `Next: set \`store\` to \`sqlite:${store}\` in the daemon's configuration, unless it names this file, and start the daemon.`
    : 'Next: start the daemon.';
}

/** The command `backup`: copies a store while the daemon may run. */
export function backupCommand(terminal: Terminal, environment: Environment): Command {
  return new Command('backup')
    .addHelpText('after', BACKUP_HELP)
    .requiredOption('--out <file>', 'the new file')
    .option('--store <file>', "the store's SQLite file")
    .option('--config <file>', "the daemon's configuration, which names the store")
    .option('--json', 'print the result as one JSON line')
    .action(async (flags: { out: string; store?: string; config?: string; json?: boolean }) => {
      refuseDatabase(flags, POSTGRES_BACKUP);
      const path = storeFrom(flags, environment);
      await backup(path, flags.out, stagedProgress(process.stderr));
      const facts = auditOfCopy(flags.out);
      terminal.result(
        flags.json === true
          ? JSON.stringify({ backup: flags.out, facts })
          : `${flags.out}: ${facts} facts, sound`,
      );
    });
}

/** The command `restore`: makes a store of a backup, and keeps the previous file beside it. */
export function restoreCommand(terminal: Terminal, environment: Environment): Command {
  return new Command('restore')
    .addHelpText('after', RESTORE_HELP)
    .requiredOption('--from <file>', 'the backup')
    .option('--store <file>', "the store's SQLite file")
    .option('--config <file>', "the daemon's configuration, which names the store")
    .option('--json', 'print the result as one JSON line')
    .action(async (flags: { from: string; store?: string; config?: string; json?: boolean }) => {
      refuseNoFile(flags.from, 'give the backup with --from');
      refuseDatabase(flags, POSTGRES_BACKUP);
      const store = storePathFrom(flags, environment);
      refuseReplica(flags, environment, POSTGRES_BACKUP);
      refuseItself(flags.from, store);
      const facts = auditOf(flags.from);
      const { previous } = await restore(flags.from, store, { decode: decodeAgain, now: Date.now });
      const kept = previous === null ? '' : `; the previous file is ${previous}`;
      terminal.result(
        flags.json === true
          ? JSON.stringify({ store, facts, previous })
          : `${store}: restored with ${facts} facts, and fact ${facts + 1} records the restore${kept}\n${startFrom(store, flags.config)} ${AFTER_RESTORE}`,
      );
    });
}

/** Refuses a restore that would only renumber the feed, so that every consumer reads it again. */
function refuseItself(from: string, store: string): void {
  if (!isSameFile(from, store)) return;
  throw new CommandFailed(
    `${from} is the store itself: restoring it would change nothing but the numbers of its credit feed. Give a backup with --from`,
    2,
  );
}

/** Says that the copy is there when its audit cannot run, because a second copy takes long. */
function auditOfCopy(path: string): number {
  try {
    return auditOf(path);
  } catch (error) {
    if (!(error instanceof StoreRefused)) throw error;
    throw new CommandFailed(
      `${path} is copied but not audited. ${error.message}; then run \`counterfoil verify --store ${path}\``,
    );
  }
}

function auditOf(path: string): number {
  const report = verify(path, { decode: decodeAgain, progress: stagedProgress(process.stderr) });
  if (report.sound) return report.facts;
  throw new CommandFailed(
    `${path} is not sound: \`counterfoil verify --store ${path}\` says what is wrong with it`,
  );
}
