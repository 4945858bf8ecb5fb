import { Command } from 'commander';
import { errors, request } from 'undici';
import { z } from 'zod';
import { REQUESTS_MAX } from '../custody/budget/lane.ts';
import { systemClock, type Clock } from '../custody/clock.ts';
import type { ProgressStream } from '../ops/progress.ts';
import type { Environment } from '../ops/config/reading/substitution.ts';
import { answerOf, refusedBy, unreached } from './link/daemon-answer.ts';
import { linkTo, withTlsOptions, type DaemonLink, type TlsFlags } from './link/daemon-link.ts';
import { CommandFailed, type Terminal } from '../daemon/process/terminal.ts';
import { tokenOf } from './link/token.ts';
import { showingStatus } from './status-line.ts';

interface ReconcileFlags extends TlsFlags {
  readonly url: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
}

const byName = z.record(z.string(), z.number());
type Counts = z.infer<typeof byName>;

/** What the command prints of the API's run; `--json` prints all of it. */
const runAnswer = z.looseObject({
  matched: z.number(),
  break: z.number(),
  exempt: byName,
  skipped: byName,
  requests: z.number(),
  repairs: z.looseObject({
    replayed: z.number(),
    pulledForward: z.number(),
    backfilled: z.number(),
  }),
  incomplete: z.string().nullable(),
});
type Run = z.infer<typeof runAnswer>;

/** A run takes at most a minute, longer when other runs are queued. */
const ANSWER_MS_MAX = 300_000;

const NOTE = `The daemon ends the run that is under way, then does yours. Both keep to the custody API's limits of requests, the last
fifth of which is for deposits that wait: this may take minutes. Ctrl-C ends the waiting and not the run, which
GET /v1/reconciliations lists when it is done.`;

const HELP = `
Asks a running daemon to reconcile now, waits, and prints the result of all comparisons. Needs a
token of role operator or admin, in --token-file or in the environment variable COUNTERFOIL_TOKEN.
The run may take minutes: a running reconciliation ends first, and both obey the custody API's request
limits. Meanwhile a terminal shows how many requests are used.
Exit code 0 without a break, also with exempt or skipped comparisons; 1 when there is a break, the
custody API could not be read completely, or the daemon does not answer; 2 for bad usage.

Examples:
  COUNTERFOIL_TOKEN=… counterfoil reconcile --url http://127.0.0.1:8080
  COUNTERFOIL_TOKEN=… counterfoil reconcile --url https://counterfoil.internal --ca ca.pem`;

/** The command `reconcile`: asks a running daemon to reconcile now, and prints the outcome. */
export function reconcileCommand(terminal: Terminal, environment: Environment): Command {
  const command = new Command('reconcile')
    .addHelpText('after', HELP)
    .option('--url <url>', "the daemon's address", 'http://127.0.0.1:8080')
    .option('--token-file <file>', 'a file that holds the token');
  return withTlsOptions(command)
    .option('--json', 'print the run as one JSON line')
    .action(async (flags: ReconcileFlags) => {
      const run = await reconcileAt({
        link: linkTo(flags),
        token: tokenOf(flags, environment),
        stream: process.stderr,
        clock: systemClock,
      });
      terminal.result(flags.json === true ? JSON.stringify(run) : asText(run));
      terminal.exitWith(run.break === 0 && run.incomplete === null ? 0 : 1);
    });
}

/**
 * Asks the daemon to reconcile and shows on a terminal why it waits. Throws `CommandFailed` when the
 * daemon is unreachable or refuses.
 */
export async function reconcileAt(options: {
  readonly link: DaemonLink;
  readonly token: string;
  readonly stream: ProgressStream;
  readonly clock: Clock;
}): Promise<Run> {
  const { link, token, stream, clock } = options;
  const why = (signal: AbortSignal): Promise<string | null> => reasonToWait(link, signal);
  return showingStatus(ask(link, token), { stream, clock, note: NOTE, why });
}

async function ask({ at, dispatcher }: DaemonLink, token: string): Promise<Run> {
  const where = at('/v1/reconciliations');
  try {
    const answer = await request(where, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
      headersTimeout: ANSWER_MS_MAX,
    });
    const text = await answer.body.text();
    if (answer.statusCode === 200) return answerOf(where, text, runAnswer);
    throw refusedBy(where, answer.statusCode, text);
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    if (error instanceof errors.HeadersTimeoutError) {
      throw new CommandFailed(
        `${where.href} has not answered for ${ANSWER_MS_MAX / 1_000} s: other runs are queued before yours; yours still runs, and GET ${where.pathname} will list it`,
      );
    }
    throw unreached(where, error);
  }
}

/** The part of `/readyz` that explains a slow run. */
const readiness = z.looseObject({
  custody: z.looseObject({
    circuit: z.string(),
    requests: z.object({ minute: z.int(), hour: z.int() }),
  }),
});

/** Null when the daemon does not say, or has no custody API. */
async function reasonToWait(
  { at, dispatcher }: DaemonLink,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const answer = await request(at('/readyz'), { dispatcher, signal });
    const { circuit, requests } = readiness.parse(await answer.body.json()).custody;
    if (circuit !== 'closed') return 'the custody API does not answer as it should';
    const { minute, hour } = REQUESTS_MAX;
    return `requests used: ${requests.minute} of ${minute} this minute, ${requests.hour} of ${hour} this hour`;
  } catch {
    return null;
  }
}

/** Formats the run for a person. */
export function asText(run: Run): string {
  return [
    `matched   ${run.matched}`,
    `break     ${run.break}`,
    `exempt    ${countsText(run.exempt)}`,
    `skipped   ${countsText(run.skipped)}`,
    `repaired  ${repairsText(run.repairs)}`,
    `requests  ${run.requests}`,
    ...(run.incomplete === null ? [] : [`incomplete: ${run.incomplete}`]),
  ].join('\n');
}

function repairsText({ replayed, pulledForward, backfilled }: Run['repairs']): string {
  return countsText({ replayed, 'pulled forward': pulledForward, backfilled });
}

function countsText(counts: Counts): string {
  const each = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  return each.length === 0 ? 'none' : each.join(', ');
}
