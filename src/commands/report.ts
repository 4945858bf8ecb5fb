import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { request } from 'undici';
import { z } from 'zod';
import type { DailyReport } from '../domain/close/report.ts';
import { decodeAgain } from '../intake/decode.ts';
import type { Environment } from '../ops/config/reading/substitution.ts';
import {
  documentsFrom,
  FORMATS,
  ReportChanged,
  type DocumentBody,
  type Format,
} from '../report/document.ts';
import { statusText } from '../report/critical-breaks.ts';
import { openForReading } from '../store/sqlite/file/database.ts';
import { SqliteReads } from '../store/sqlite/reads/sqlite-reads.ts';
import { verify, type AuditReport } from '../store/sqlite/audit/verify.ts';
import { answerOf, refusedBy, unreached } from './link/daemon-answer.ts';
import {
  givesTls,
  linkTo,
  withTlsOptions,
  type DaemonLink,
  type TlsFlags,
} from './link/daemon-link.ts';
import { isPartOfDatabase, isSameFile, isSqliteFile, notCreated, notWhole } from './out-file.ts';
import { stagedProgress } from './store/staged-progress.ts';
import { refuseDatabase, storeFrom } from './store/store-path.ts';
import { CommandFailed, type Terminal } from '../daemon/process/terminal.ts';
import { tokenOf } from './link/token.ts';

interface ReportFlags extends TlsFlags {
  readonly date?: string;
  readonly format: Format;
  readonly json?: boolean;
  readonly out?: string;
  readonly verify?: boolean;
  readonly store?: string;
  readonly config?: string;
  readonly url?: string;
  readonly tokenFile?: string;
}

const NOT_CLOSED =
  'no day is closed yet; POST /v1/reports/daily/DATE/close closes one that has ended';

const ASK_A_RECEIVER =
  'Ask a running receiver with --url, or give the file of its replica (receiver.replica) as --store.';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

const HELP = `
Gives the sealed report of a closed day. Reads the store's file (--store, or --config for the daemon's
store; the daemon may be running), or asks a running daemon (--url, with a token in --token-file or in
COUNTERFOIL_TOKEN). Without --date: the day that was closed last.

  json       the sealed text, followed by its hash and signatures
  csv        one line per record, amounts in smallest units
  html       one page to read and print         xlsx  a workbook (needs --out): amounts as numbers and exact texts
  hledger    a journal that asserts the closing balances        beancount  the same for beancount

--verify audits the store first: it replays the journal, computes every report again, and checks the
chain of hashes from day to day. If the audit finds a difference, no report is given.

To sign the report, a preparer and a reviewer each send the reportHash that is printed beside it:
POST /v1/reports/daily/DATE/sign {"role":"preparer","reason":"…","reportHash":"…"}.

Exit code 0 when the report is balanced, also with open differences; 1 when it holds exceptions, or when
none is given: no such day, a text that is not the sealed one, an audit with differences; 2 for bad usage.

Examples:
  counterfoil report --store counterfoil.db --date 2025-11-20 --format html --out close.html
  counterfoil report --config config.json --verify
  COUNTERFOIL_TOKEN=… counterfoil report --url http://127.0.0.1:8080 --format csv`;

/** The command `report`: prints the report of a closed day in one of its formats. */
export function reportCommand(terminal: Terminal, environment: Environment): Command {
  const command = new Command('report')
    .addHelpText('after', HELP)
    .option('--date <date>', 'the day, YYYY-MM-DD (default: the last closed day)')
    .addOption(
      new Option('--format <format>', 'output format').choices([...FORMATS]).default('json'),
    )
    .option('--json', 'the same as --format json')
    .option('--out <file>', 'write the report to this file instead of printing it')
    .option('--verify', 'audit the store first, and print what differs')
    .option('--store <file>', "the store's SQLite file")
    .option('--config <file>', "the daemon's configuration, which names the store")
    .option('--url <url>', 'a running daemon to ask instead')
    .option('--token-file <file>', 'a file that holds the token for --url');
  return withTlsOptions(command).action(async (flags: ReportFlags) => {
    refuseBadUsage(flags);
    refuseLoss(flags);
    if (flags.verify === true) refuseUnsound(terminal, storeFrom(flags, environment));
    const given =
      flags.url === undefined
        ? await fromStore(storeFrom(flags, environment), flags)
        : await fromDaemon(flags.url, flags, environment);
    if (flags.out !== undefined) write(flags.out, given.body);
    else terminal.result(Buffer.from(given.body).toString('utf8').trimEnd());
    const { day, status, reportHash } = given;
    terminal.note(`${day}: ${statusText(given)}, reportHash ${reportHash}`);
    terminal.exitWith(status === 'exceptions' ? 1 : 0);
  });
}

/** Whether a text is a calendar day. `Date.parse` would turn 30 February into a day of March. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  return DATE.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function refuseBadUsage(flags: ReportFlags): void {
  const { date, out, url, verify: audits, store, config } = flags;
  if (date !== undefined && !isDay(date)) {
    throw new CommandFailed(`--date ${date} is no date: give one like 2025-11-20`, 2);
  }
  refuseDatabase(flags, ASK_A_RECEIVER);
  if (formatOf(flags) === 'xlsx' && out === undefined) {
    throw new CommandFailed('--format xlsx is no text: give the file to write with --out', 2);
  }
  if (url === undefined && store === undefined && config === undefined) {
    throw new CommandFailed(
      "give the store with --store FILE or the daemon's --config FILE, or a running daemon with --url",
      2,
    );
  }
  if (url === undefined) {
    if (!givesTls(flags)) return;
    throw new CommandFailed('--ca, --cert and --key are for a running daemon: give --url too', 2);
  }
  if (store !== undefined || config !== undefined) {
    throw new CommandFailed('give --url, or the store with --store or --config, not both', 2);
  }
  if (audits === true) {
    throw new CommandFailed('--verify reads the store itself: give --store or --config', 2);
  }
}

/** Refuses to write the report over a store or a backup, or over a file that the command reads. */
function refuseLoss(flags: ReportFlags): void {
  const { out } = flags;
  if (out === undefined) return;
  const what = whatIs(out, flags);
  if (what === null) return;
  throw new CommandFailed(
    `${out} ${what}, and the report would replace it: choose another --out`,
    2,
  );
}

/** What a file is that a report must not replace; null for any other file. */
function whatIs(
  out: string,
  { config, tokenFile, ca, cert, key }: Omit<ReportFlags, 'out'>,
): string | null {
  const read = [config, tokenFile, ca, cert, key];
  if (read.some((file) => file && isSameFile(file, out))) return 'is read by this command';
  if (isSqliteFile(out)) return 'is a SQLite database';
  return isPartOfDatabase(out) ? 'is part of a SQLite database' : null;
}

interface Given {
  readonly day: string;
  readonly status: string;
  readonly reportHash: string;
  /** The breaks that were open at the cut-off. */
  readonly openBreaks: readonly { readonly severity: string }[];
  readonly body: DocumentBody;
}

function formatOf({ format, json }: ReportFlags): Format {
  return json === true ? 'json' : format;
}

async function fromStore(path: string, flags: ReportFlags): Promise<Given> {
  const reads = new SqliteReads(openForReading(path));
  try {
    const day = flags.date ?? (await reads.lastClose())?.day;
    if (day === undefined) throw new CommandFailed(`${path}: ${NOT_CLOSED}`);
    const closed = await reads.closedDay(day);
    const document = await documentsFrom(reads)(day, formatOf(flags));
    if (closed === undefined || document === undefined) {
      throw new CommandFailed(`${path}: ${await notClosed(day, reads)}`);
    }
    const { status, reportHash } = closed.close;
    const { openBreaks } = JSON.parse(closed.close.report) as DailyReport;
    return { day, status, reportHash, openBreaks, body: document.body };
  } catch (error) {
    if (error instanceof ReportChanged) throw new CommandFailed(`${path}: ${error.message}`);
    throw error;
  } finally {
    reads.close();
  }
}

/** Says which days are closed. Days are closed in order, so only a later one can still be closed. */
async function notClosed(day: string, reads: SqliteReads): Promise<string> {
  const newest = await reads.closes({ page: 0, pageSize: 1 });
  const oldest = await reads.closes({ page: Math.max(0, newest.total - 1), pageSize: 1 });
  const [last, first] = [newest.items[0]?.close.day, oldest.items[0]?.close.day];
  if (last === undefined) return NOT_CLOSED;
  const closed = `${day} is not closed: the closed days are ${first} to ${last}`;
  if (day < last) return closed;
  return `${closed}; POST /v1/reports/daily/${day}/close closes it after its cut-off`;
}

/** What the command reads of the API's answers. */
const closedDay = z.object({
  status: z.string(),
  reportHash: z.string(),
  openBreaks: z.array(z.object({ severity: z.string() })),
});
const closedDays = z.object({ data: z.array(z.object({ day: z.string() })) });

async function fromDaemon(
  url: string,
  flags: ReportFlags,
  environment: Environment,
): Promise<Given> {
  const link = linkTo({ ...flags, url });
  const token = tokenOf(flags, environment);
  const ask = (path: string): Promise<Buffer> => askDaemon(link, path, token);
  const read = async <Value>(path: string, form: z.ZodType<Value>): Promise<Value> =>
    answerOf(link.at(path), (await ask(path)).toString('utf8'), form);
  const day = flags.date ?? (await read('/v1/reports/daily?pageSize=1', closedDays)).data[0]?.day;
  if (day === undefined) throw new CommandFailed(NOT_CLOSED);
  const path = `/v1/reports/daily/${day}`;
  const closed = await read(path, closedDay);
  const body = new Uint8Array(await ask(`${path}?format=${formatOf(flags)}`));
  return { day, ...closed, body };
}

async function askDaemon(
  { at, dispatcher }: DaemonLink,
  path: string,
  token: string,
): Promise<Buffer> {
  const where = at(path);
  try {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await request(where, { dispatcher, headers });
    const body = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode === 200) return body;
    throw refusedBy(where, answer.statusCode, body.toString('utf8'));
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw unreached(where, error);
  }
}

/** Audits the store. Prints each problem to standard error, and throws `CommandFailed` if there is one. */
function refuseUnsound(terminal: Terminal, path: string): void {
  const audit: AuditReport = verify(path, {
    decode: decodeAgain,
    progress: stagedProgress(process.stderr),
  });
  for (const { check, problems } of audit.checks) {
    for (const problem of problems) terminal.note(`${check}: ${problem}`);
  }
  const facts = `${audit.facts} facts replayed`;
  if (!audit.sound) {
    throw new CommandFailed(
      `NOT sound: ${facts}. No report is given, because it may be false: see "counterfoil verify --help"`,
    );
  }
  terminal.note(`verified: ${facts}`);
}

function write(file: string, body: DocumentBody): void {
  try {
    writeFileSync(file, body);
  } catch (error) {
    throw notCreated(file, error, 2) ?? notWhole(file, error, 2);
  }
}
