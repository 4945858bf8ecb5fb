import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { startDaemon, type Daemon } from '../server/daemon.ts';
import { inFolder } from '../folder.ts';
import { faultsIn, load, orderOf } from '../load/generator.ts';
import type { LoadResult } from '../load/load.ts';
import { medianOf, medianOrNull } from '../figures/median.ts';
import type { Plan } from '../plan.ts';
import { copyStore, storedBooks, type StoredBooks } from '../server/stored.ts';
import type { SuiteResult } from './suite.ts';
import { figure, markdown } from '../figures/table.ts';

/** Notifications whose ledger entries have a little more than a million lines. */
const STORED = 1_350_000;
const CONNECTIONS = 64;
const PAGE_SIZE = 1_000;

/** What is asked for again and again while deliveries are taken. */
const READINGS = ['nothing', 'balances as of noon', 'close of the day', 'daily report'] as const;
type Reading = (typeof READINGS)[number];

interface Read {
  readonly reading: Reading;
  readonly round: number;
  readonly seen: LoadResult;
  /** How long each answer took. */
  readonly readMs: readonly number[];
  readonly defects: readonly string[];
}

async function ask(daemon: Daemon, method: 'GET' | 'POST', path: string): Promise<number> {
  const startedMs = performance.now();
  const headers = { authorization: daemon.authorization };
  const response = await fetch(`${daemon.url}${path}`, { method, headers });
  const body = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${body}`);
  return performance.now() - startedMs;
}

function requestOf(reading: Reading, { day }: StoredBooks): ['GET' | 'POST', string] | null {
  switch (reading) {
    case 'nothing':
      return null;
    case 'balances as of noon':
      return ['GET', `/v1/balances?asOf=${day}T12:00:00Z&pageSize=${PAGE_SIZE}`];
    case 'close of the day':
      return ['POST', `/v1/reports/daily/${day}/close`];
    case 'daily report':
      return ['GET', `/v1/reports/daily/${day}`];
    default:
      return reading satisfies never;
  }
}

/** One kind of reading, from the end of the warm-up to the end of the load; a day closes once. */
async function measure(
  { reading, round }: Pick<Read, 'reading' | 'round'>,
  plan: Plan,
  books: StoredBooks,
): Promise<Read> {
  return inFolder(async (folder) => {
    const { program, profile } = plan;
    // Always a copy: a day that is closed stays closed.
    const storePath = copyStore(books, { folder, withoutCopy: false });
    const daemon = await startDaemon({ program, profile, folder, storePath });
    try {
      // A report is there to be read once its day is closed.
      const close = requestOf('close of the day', books);
      if (reading === 'daily report' && close !== null) await ask(daemon, ...close);
      const readMs: number[] = [];
      const over = new AbortController();
      const request = requestOf(reading, books);
      const order = orderOf(plan, {
        connections: CONNECTIONS,
        url: daemon.hooksUrl,
        pid: daemon.pid,
      });
      const loading = load(order).finally(() => over.abort());
      const asking = async (): Promise<void> => {
        if (request === null) return;
        await pause(plan.warmupSeconds * 1000);
        while (!over.signal.aborted) {
          readMs.push(await ask(daemon, ...request));
          if (reading === 'close of the day') over.abort();
        }
      };
      const [seen] = await Promise.all([loading, asking()]);
      const defects = faultsIn(seen).map((fault) => `${reading}, round ${round}: ${fault}`);
      return { reading, round, seen, readMs, defects };
    } finally {
      await daemon.end();
    }
  });
}

/** What reading the books, and closing a day, does to those who deliver meanwhile. */
export async function measureReads(plan: Plan): Promise<SuiteResult> {
  const [count = STORED] = plan.stored ?? [];
  const books = await storedBooks(plan.program, { count, vaults: plan.vaults });
  const all: Read[] = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const reading of READINGS) all.push(await measure({ reading, round }, plan, books));
  }
  const lines = READINGS.map((reading) => {
    const own = all.filter((one) => one.reading === reading);
    const median = (of: (seen: LoadResult) => number): number =>
      medianOf(own.map(({ seen }) => of(seen)));
    const longest = own.map(({ readMs }) => (readMs.length === 0 ? null : Math.max(...readMs)));
    return [
      reading,
      figure(
        median((seen) => seen.requestsPerSecond),
        0,
      ),
      figure(
        median((seen) => seen.p50Ms),
        1,
      ),
      figure(
        median((seen) => seen.p99Ms),
        1,
      ),
      figure(
        median((seen) => seen.p999Ms),
        1,
      ),
      figure(
        median((seen) => seen.maxMs),
        1,
      ),
      figure(medianOf(own.map(({ readMs }) => readMs.length)), 0),
      figure(medianOrNull(own.flatMap(({ readMs }) => [...readMs])), 0),
      figure(medianOrNull(longest), 0),
    ];
  });
  const head = ['meanwhile', 'requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms'];
  const text =
    `${books.notifications} notifications, ${books.postings} postings, ${CONNECTIONS} connections\n\n` +
    markdown([...head, 'reads', 'read p50 ms', 'read max ms'], lines);
  const defects = all.flatMap((one) => one.defects);
  return { text, figures: { books, measurements: all }, defects };
}
