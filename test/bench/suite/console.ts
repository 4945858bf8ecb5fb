import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { startDaemon, type Daemon } from '../server/daemon.ts';
import { inFolder } from '../folder.ts';
import { faultsIn, load, orderOf } from '../load/generator.ts';
import { BusyCores } from '../load/busy-cores.ts';
import { quantile, type LoadOrder, type LoadResult } from '../load/load.ts';
import { medianOf } from '../figures/median.ts';
import type { Plan } from '../plan.ts';
import { copyStore, storedBooks, type StoredBooks } from '../server/stored.ts';
import type { SuiteResult } from './suite.ts';
import { figure, markdown } from '../figures/table.ts';

/** Mixed traffic makes a deposit of every tenth notification: a million deposits. */
const STORED = 10_000_000;
const CONNECTIONS = 64;
/** Notifications that arrive a second. */
const RATE = 1_000;
/** People at the console at once, and the time between two clicks of one of them. */
const PEOPLE = 20;
const THINK_MS = 1_000;

/** How long a page took until its first byte. */
interface Click {
  readonly page: string;
  /** When it was opened, on this process's monotonic clock. */
  readonly atMs: number;
  readonly firstByteMs: number;
  /** Status and text of an answer without a page; null for a page. */
  readonly refusal: string | null;
  /** Topics whose changes make the page's script render it again. */
  readonly topics: ReadonlySet<string>;
}

interface Round {
  readonly alone: LoadResult;
  readonly beside: LoadResult;
  /** Beside computing that takes as much of the processors as the people and their pages did. */
  readonly besideWork: LoadResult;
  readonly clicks: readonly Click[];
  readonly defects: readonly string[];
}

/** A page's name in the table, and its address in this store. */
type Pages = readonly (readonly [name: string, path: string])[];

async function json<Body>(daemon: Daemon, path: string, method = 'GET'): Promise<Body> {
  const headers = { authorization: daemon.authorization };
  const response = await fetch(`${daemon.url}${path}`, { method, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Body;
}

/** Signs in with the bench's token; resolves with the session's cookie. */
async function signIn(daemon: Daemon): Promise<string> {
  const answer = await fetch(`${daemon.url}/console/session`, {
    method: 'POST',
    body: new URLSearchParams({ token: daemon.authorization.replace('Bearer ', '') }),
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    redirect: 'manual',
  });
  const cookie = answer.headers.get('Set-Cookie')?.split(';')[0];
  if (answer.status !== 303 || cookie === undefined) throw new Error(`sign-in: ${answer.status}`);
  return cookie;
}

interface Listed {
  readonly data: readonly Readonly<Record<string, string | null>>[];
}

/** Pages of the console, with ids that this store has. */
async function pagesOf(daemon: Daemon, { day }: StoredBooks): Promise<Pages> {
  const { data: deposits } = await json<Listed>(daemon, '/v1/deposits?pageSize=1');
  const { data: withdrawals } = await json<Listed>(daemon, '/v1/withdrawals?pageSize=1');
  const { data: balances } = await json<Listed>(daemon, '/v1/balances?pageSize=1');
  const [deposit, position] = [deposits[0] ?? {}, balances[0] ?? {}];
  const { depositId = '', blockchainHash = '', addressId = '', amount = '' } = deposit;
  const parts = new URLSearchParams();
  for (const name of ['vaultId', 'accountId', 'addressId', 'memo', 'asset']) {
    const value = position[name] ?? null;
    if (value !== null) parts.set(name, value);
  }
  return [
    ['overview', ''],
    ['deposits', '/deposits'],
    ['deposits, held', '/deposits?state=held'],
    ['deposits of an address', `/deposits?addressId=${addressId}`],
    ['deposits without a match', '/deposits?memo=none'],
    ['one deposit', `/deposits/${depositId}`],
    ['withdrawals', '/withdrawals'],
    ['one withdrawal', `/withdrawals/${withdrawals[0]?.['transactionId'] ?? ''}`],
    ['books', '/books'],
    ['statement of a position', `/books/statement?${parts.toString()}`],
    ['movements of a hash', `/books/movements/${blockchainHash}`],
    ['breaks', '/breaks'],
    ['breaks by age', '/breaks?age=older'],
    ['guide', '/breaks/guide'],
    ['quarantine', '/quarantine'],
    ['journal body', '/journal/2'],
    ['breaks without assignee', '/breaks?assignee=nobody'],
    ['close', '/close'],
    ['one closed day', `/close/${day}`],
    ['policy', '/policy'],
    ['history of the policy', '/policy/history'],
    ['change of the policy', '/policy/change'],
    ['runs', '/runs'],
    ['audit', '/audit'],
    ['access', '/access'],
    ['settings', '/settings'],
    ['search of a hash', `/search?q=${blockchainHash}`],
    ['search of an amount', `/search?q=${amount}`],
  ];
}

interface Site {
  readonly daemon: Daemon;
  readonly pages: Pages;
  readonly cookie: string;
}

async function open(
  { daemon, cookie }: Site,
  [page, path]: Pages[number],
  more: Readonly<Record<string, string>> = {},
): Promise<Click> {
  const startedMs = performance.now();
  const answer = await fetch(`${daemon.url}/console${path}`, {
    headers: { cookie, ...more },
    redirect: 'manual',
  });
  const firstByteMs = performance.now() - startedMs;
  const text = await answer.text();
  const refusal = answer.status < 400 ? null : `${answer.status} ${text.slice(0, 200)}`;
  const topics = [...text.matchAll(/ data-live="([^"]*)"/g)].flatMap(([, all = '']) =>
    all.split(' '),
  );
  return { page, atMs: startedMs, firstByteMs, refusal, topics: new Set(topics) };
}

/** The page that a person looks at, and what it showed last. */
interface Shown {
  readonly page: Pages[number];
  readonly topics: ReadonlySet<string>;
}

/**
 * Holds the stream of an open page, and renders the page again after each change that it shows, as
 * the page's script does.
 */
async function follow(
  site: Site,
  current: () => Shown | undefined,
  over: AbortSignal,
): Promise<Click[]> {
  const { daemon, cookie } = site;
  const stream = await fetch(`${daemon.url}/console/live`, { headers: { cookie }, signal: over });
  const clicks: Click[] = [];
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream.body ?? []) {
      const text = decoder.decode(chunk as Uint8Array);
      const changed = /event: changed\ndata: (.*)/.exec(text)?.[1]?.split(' ') ?? [];
      const shown = current();
      if (shown === undefined || !changed.some((topic) => shown.topics.has(topic))) continue;
      clicks.push(await open(site, shown.page, { 'X-Live': '1' }));
    }
  } catch (error) {
    if (!over.aborted) throw error;
  }
  return clicks;
}

/** One person, who opens page after page until the load is over. */
async function click(site: Site, person: number, over: AbortSignal): Promise<Click[]> {
  const { pages } = site;
  const clicks: Click[] = [];
  let current: Shown | undefined;
  await pause((THINK_MS / PEOPLE) * person);
  const following = follow(site, () => current, over);
  for (let number = person; !over.aborted; number += 1) {
    const startedMs = performance.now();
    const page = pages[number % pages.length];
    if (page === undefined) throw new Error('there is no page');
    current = undefined;
    const clicked = await open(site, page);
    current = { page, topics: clicked.topics };
    clicks.push(clicked);
    await pause(Math.max(0, THINK_MS - (performance.now() - startedMs)));
  }
  return [...clicks, ...(await following)];
}

/** Pages that were refused, such as by a reader that took too long. */
function refusalsIn(clicks: readonly Click[]): string[] {
  return clicks.flatMap(({ page, refusal }) => (refusal === null ? [] : [`${page}: ${refusal}`]));
}

/** Cores that the people took: their pages in the server, and their client in this process. */
function coresOfPeople(alone: LoadResult, beside: LoadResult): number {
  const pages = (beside.serverCores ?? 0) - (alone.serverCores ?? 0);
  return Math.max(0, pages) + (beside.otherCores ?? 0);
}

/** The intake beside so many busy cores: what the processors leave for it. */
async function loadBesideWork(order: LoadOrder, cores: number): Promise<LoadResult> {
  const busy = new BusyCores(cores);
  try {
    return await load(order);
  } finally {
    await busy.end();
  }
}

/** One round: the intake alone, beside people who click, and beside as much other work. */
async function measure(plan: Plan, books: StoredBooks): Promise<Round> {
  return inFolder(async (folder) => {
    const { program, profile } = plan;
    const storePath = copyStore(books, { folder, withoutCopy: false });
    const daemon = await startDaemon({ program, profile, folder, storePath });
    try {
      await json(daemon, `/v1/reports/daily/${books.day}/close`, 'POST');
      const site: Site = {
        daemon,
        pages: await pagesOf(daemon, books),
        cookie: await signIn(daemon),
      };
      const { hooksUrl: url, pid } = daemon;
      const order = {
        ...orderOf(plan, { connections: CONNECTIONS, url, pid }),
        ratePerSecond: RATE,
      };
      const alone = await load(order);
      const over = new AbortController();
      const startedMs = performance.now();
      const loading = load(order).finally(() => over.abort());
      const people = Array.from({ length: PEOPLE }, (_, person) =>
        click(site, person, over.signal),
      );
      const [beside, clicked] = await Promise.all([loading, Promise.all(people)]);
      const clicks = clicked
        .flat()
        .filter(({ atMs }) => atMs >= startedMs + plan.warmupSeconds * 1_000);
      const besideWork = await loadBesideWork(order, coresOfPeople(alone, beside));
      const loads = [alone, beside, besideWork];
      const defects = [...loads.flatMap(faultsIn), ...refusalsIn(clicks)];
      return { alone, beside, besideWork, clicks, defects };
    } finally {
      await daemon.end();
    }
  });
}

function pageLines(clicks: readonly Click[]): string[][] {
  const pages = [...new Set(clicks.map(({ page }) => page))].toSorted();
  const line = (name: string, own: readonly Click[]): string[] => {
    const sorted = Float64Array.from(own.map(({ firstByteMs }) => firstByteMs)).sort();
    const [p50, p99, longest] = [quantile(sorted, 0.5), quantile(sorted, 0.99), sorted.at(-1) ?? 0];
    return [name, String(own.length), ...[p50, p99, longest].map((ms) => figure(ms, 1))];
  };
  return [
    ...pages.map((name) =>
      line(
        name,
        clicks.filter(({ page }) => page === name),
      ),
    ),
    line('all pages', clicks),
  ];
}

function intakeLine(name: string, seen: readonly LoadResult[]): string[] {
  const median = (of: (one: LoadResult) => number, digits = 1): string =>
    figure(medianOf(seen.map(of)), digits);
  return [
    name,
    median((one) => one.requestsPerSecond),
    median((one) => one.p50Ms),
    median((one) => one.p99Ms),
    median((one) => one.maxMs),
    median((one) => one.serverCores ?? 0, 2),
    median((one) => one.otherCores ?? 0, 2),
  ];
}

/** How fast pages of a full store begin while webhooks arrive, and what people cost the intake. */
export async function measureConsole(plan: Plan): Promise<SuiteResult> {
  const [count = STORED] = plan.stored ?? [];
  const books = await storedBooks(plan.program, { count, vaults: plan.vaults });
  const rounds: Round[] = [];
  for (let round = 1; round <= plan.rounds; round += 1) rounds.push(await measure(plan, books));
  const alone = rounds.map((round) => round.alone);
  const beside = rounds.map((round) => round.beside);
  const besideWork = rounds.map((round) => round.besideWork);
  const clicks = rounds.flatMap((round) => round.clicks);
  const text = [
    `${books.notifications} notifications stored, ${RATE} a second arrive, ${PEOPLE} people click once a second`,
    markdown(['first byte', 'clicks', 'p50 ms', 'p99 ms', 'max ms'], pageLines(clicks)),
    markdown(
      ['intake', 'requests/s', 'p50 ms', 'p99 ms', 'max ms', 'server cores', 'other cores'],
      [
        intakeLine('alone', alone),
        intakeLine('beside the people', beside),
        intakeLine('beside as much other work', besideWork),
      ],
    ),
  ].join('\n\n');
  const defects = rounds.flatMap((one) => one.defects);
  return { text, figures: { books, rounds }, defects };
}
