import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { CommandFailed, type Terminal } from '../../daemon/process/terminal.ts';
import { jsonOf } from '../link/daemon-answer.ts';
import { checksOf, downloadedReport, headOf, type DownloadedReport } from './downloaded-report.ts';

const HELP = `
Checks daily reports that were downloaded as JSON. Needs no store, no daemon and no network.

  hash        the sealed text is unchanged: its SHA-256 is the file's reportHash
  figures     each total rolls forward from its opening to its closing
  signatures  a preparer and another person as reviewer signed this hash
  day before  the report of the day before, if its file is given too, has the hash that this one names

The files prove that they agree with themselves, not who wrote them. Ask both signers, by another way than
the files, for the hash that they signed. Whoever has the store audits the journal with
\`counterfoil report --verify\`.

Exit code 0 without a problem, also with warnings; 1 with a problem; 2 when a file is no downloaded report.

Examples:
  counterfoil check-report counterfoil-2025-11-20.json
  counterfoil check-report counterfoil-2025-11-*.json`;

const NOT_PROVED =
  'Not proved by files: who signed. Ask both signers, by another way, for the hash that they signed.';

interface Given {
  readonly path: string;
  readonly report: DownloadedReport;
}

function readGiven(path: string): Given {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new CommandFailed(`${path} cannot be read: name a report that was downloaded as JSON`, 2);
  }
  const report = downloadedReport(text);
  if (report !== undefined) return { path, report };
  throw new CommandFailed(
    jsonOf(text) !== undefined
      ? `${path} is no report as it was downloaded as JSON: another program may have written it anew. Download it again`
      : `${path} is not JSON, and only the JSON of a report can be checked: download it as JSON from the day's page in the console, or with \`counterfoil report --format json\``,
    2,
  );
}

/** The command `check-report`: checks downloaded reports by themselves. */
export function checkReportCommand(terminal: Terminal): Command {
  return new Command('check-report')
    .addHelpText('after', HELP)
    .argument('<files...>', 'daily reports, downloaded as JSON')
    .option('--json', 'print the result as one JSON line')
    .action((paths: readonly string[], flags: { readonly json?: boolean }) => {
      const given = paths.map(readGiven);
      const reports = given.map(({ report }) => report);
      const checked = given.map(({ path, report }) => ({
        file: path,
        day: report.day,
        reportHash: report.reportHash,
        head: headOf(report),
        checks: checksOf(report, reports),
      }));
      const lines = checked.flatMap(({ file, head, checks }) => [
        `${file}: ${head}`,
        ...checks.map(({ name, status, detail }) => `  ${status.padEnd(8)}${name}: ${detail}`),
      ]);
      terminal.result(
        flags.json === true
          ? JSON.stringify(checked.map(({ head: _, ...one }) => one))
          : [...lines, NOT_PROVED].join('\n'),
      );
      const isSound = checked.every(({ checks }) =>
        checks.every(({ status }) => status !== 'PROBLEM'),
      );
      if (!isSound) terminal.exitWith(1);
    });
}
