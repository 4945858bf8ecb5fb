import { Command } from 'commander';
import { decodeAgain } from '../../intake/decode.ts';
import { verify, type AuditReport } from '../../store/sqlite/audit/verify.ts';
import { stagedProgress } from './staged-progress.ts';
import { isDatabase, withJournal, type CommandContext } from './journal-at.ts';
import { storeFrom } from './store-path.ts';
import { verifyJournal } from './verify-journal.ts';
import type { Terminal } from '../../daemon/process/terminal.ts';
import { journalAddress, shownAddress } from '../../store/postgres/address.ts';

const HELP = `
Audits a store in a file without changing it; the daemon may be running. Name the store with --store or
--config, one of them. The checks, with their names in the JSON:
  database integrity  SQLite's own check of its pages, indexes and references (integrity)
  journal hash chain  no fact of the journal was changed, dropped, added or moved (hash_chain)
  entries             every ledger entry sums to zero per asset (entries_balance)
  balances            every balance is the sum of its postings (balances)
  closed days         every report matches its hash, names the previous one, and rolls forward (closes)
  keys                no notification id occurs twice, and every row is found by its key (keys)
  tables              every table equals a replay of the journal into an empty store (projections)

Give postgres://… to audit the journal that receivers share; they may be running. The command reads the
journal into a replica in a temporary folder (TMPDIR), then audits this replica:
  shared journal      no commit is missing, every body is readable, every seal is right (shared_journal)
It changes no fact. Like a receiver, it reports itself in the table receivers, under the name verify.
PGPASSWORD holds the database's password.

Exit code 0 when all checks pass, 1 when one fails or the store cannot be read, 2 for bad usage, for
example a folder, or a file that does not exist.

Examples:
  counterfoil verify --config config.json
  counterfoil verify --store /backups/store-2026-11-20.db --json`;

const TITLES = {
  shared_journal: 'shared journal: commits, bodies and seals',
  integrity: 'database integrity',
  hash_chain: 'journal hash chain',
  entries_balance: 'entries sum to zero per asset',
  balances: 'balances equal their postings',
  closes: 'closed days are a chain of unchanged reports',
  keys: 'rows are found by their keys, once',
  projections: 'tables equal a replay of the journal',
} as const;

interface Flags {
  readonly store?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** The command `verify`: audits a store. Its exit code is 1 when a check finds a problem. */
export function verifyCommand(terminal: Terminal, context: CommandContext): Command {
  return new Command('verify')
    .addHelpText('after', HELP)
    .option('--store <store>', "the store's SQLite file, or postgres://…")
    .option('--config <file>', "the daemon's configuration, which names the store")
    .option('--json', 'print the report as one JSON line')
    .action(async (flags: Flags) => {
      const { name, report } = await audited(flags, context);
      terminal.result(flags.json === true ? JSON.stringify(report) : asText(name, report));
      terminal.exitWith(report.sound ? 0 : 1);
    });
}

/** The report, and the name of what was audited. */
async function audited(
  flags: Flags,
  context: CommandContext,
): Promise<{ readonly name: string; readonly report: AuditReport }> {
  const { store, config } = flags;
  const options = { decode: decodeAgain, progress: stagedProgress(process.stderr) };
  if (store === undefined || config !== undefined || !isDatabase(store)) {
    const path = storeFrom(flags, context.environment);
    return { name: path, report: verify(path, options) };
  }
  // An audit appends nothing, so it neither waits for the standby nor ends the waits of receivers.
  const opening = { ...context, command: 'verify', standby: 'ignored' } as const;
  const report = await withJournal(store, opening, (journal) => verifyJournal(journal, options));
  return { name: shownAddress(journalAddress(store)), report };
}

const FILE_NOT_SOUND =
  'NOT sound. If only balances or tables differ, `counterfoil rebuild` rebuilds them from the journal; if the hash chain is broken, or rebuild refuses the file as damaged, restore a backup.';
const JOURNAL_NOT_SOUND =
  'NOT sound. Audit the replica of each receiver with --store FILE: a sound one can be copied into a new schema (`counterfoil copy`). Else restore a backup of the database.';

function asText(name: string, report: AuditReport): string {
  const lines = report.checks.map((check) => {
    const verdict = check.problemCount === 0 ? 'ok    ' : 'FAILED';
    const problems = check.problems.map((problem) => `\n           ${problem}`).join('');
    const more = check.problemCount - check.problems.length;
    const rest = more > 0 ? `\n           and ${more} more` : '';
    return `  ${verdict}  ${TITLES[check.check]} (${check.examined})${problems}${rest}`;
  });
  const isJournal = report.checks[0]?.check === 'shared_journal';
  const notSound = isJournal ? JOURNAL_NOT_SOUND : FILE_NOT_SOUND;
  const next = report.sound ? 'sound' : notSound;
  return [`${name}: ${report.facts} facts`, ...lines, next].join('\n');
}
