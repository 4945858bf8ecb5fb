import { Command } from 'commander';
import { decodeAgain } from '../../intake/decode.ts';
import { verify, type AuditReport } from '../../store/sqlite/audit/verify.ts';
import type { Environment } from '../../ops/config/substitution.ts';
import { stagedProgress } from './staged-progress.ts';
import { storeFrom } from './store-path.ts';
import type { Terminal } from '../../daemon/process/terminal.ts';

const HELP = `
Audits a store without changing it; the daemon may be running:
  integrity        SQLite's own check of its pages, indexes and references
  hash_chain       no fact of the journal was changed, dropped, added or moved
  entries_balance  every ledger entry sums to zero per asset
  balances         every balance is the sum of its postings
  closes           every closed day's report matches its hash, names the previous hash, and rolls forward
  keys             no notification id occurs twice, and every row is found by its key
  projections      every table equals a replay of the journal into an empty store

Exit code 0 when all checks pass, 1 otherwise.`;

const TITLES = {
  integrity: 'database integrity',
  hash_chain: 'journal hash chain',
  entries_balance: 'entries sum to zero per asset',
  balances: 'balances equal their postings',
  closes: 'closed days are a chain of unchanged reports',
  keys: 'rows are found by their keys, once',
  projections: 'tables equal a replay of the journal',
} as const;

export function verifyCommand(terminal: Terminal, environment: Environment): Command {
  return new Command('verify')
    .addHelpText('after', HELP)
    .option('--store <file>', "the store's SQLite file")
    .option('--config <file>', "the daemon's configuration, which names the store")
    .option('--json', 'print the report as one JSON line')
    .action((flags: { store?: string; config?: string; json?: boolean }) => {
      const path = storeFrom(flags, environment);
      const report = verify(path, {
        decode: decodeAgain,
        progress: stagedProgress(process.stderr),
      });
      terminal.result(flags.json === true ? JSON.stringify(report) : asText(path, report));
      terminal.exitWith(report.sound ? 0 : 1);
    });
}

function asText(path: string, report: AuditReport): string {
  const lines = report.checks.map((check) => {
    const verdict = check.problemCount === 0 ? 'ok    ' : 'FAILED';
    const problems = check.problems.map((problem) => `\n           ${problem}`).join('');
    const more = check.problemCount - check.problems.length;
    const rest = more > 0 ? `\n           and ${more} more` : '';
    return `  ${verdict}  ${TITLES[check.check]} (${check.examined})${problems}${rest}`;
  });
  const next = report.sound
    ? 'sound'
    : 'NOT sound. If only balances or tables differ, `counterfoil rebuild` rebuilds them from the journal; if the hash chain is broken, or rebuild refuses the file as damaged, restore a backup.';
  return [`${path}: ${report.facts} facts`, ...lines, next].join('\n');
}
