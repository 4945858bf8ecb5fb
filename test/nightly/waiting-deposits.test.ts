import { createPrivateKey } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { CustodyClient } from '../../src/custody/client.ts';
import type { Clock } from '../../src/custody/clock.ts';
import { generateKeyPair } from '../../src/custody/token.ts';
import { CommitQueue } from '../../src/intake/commit-queue.ts';
import { submitAll } from '../../src/intake/fact-queue.ts';
import { Sweep } from '../../src/reconcile/sweep/sweep.ts';
import { openForReading } from '../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../src/store/sqlite/reads/sqlite-reads.ts';
import { factOf, openLedgerFile, SIX_DEEP, START } from '../store/open-ledger.ts';
import { startCustodyListServer, webhookOfRow } from './custody-list-server.ts';

const DEPOSITS = Number(process.env['DEPOSITS'] ?? 100_000);
/** How long the service takes to answer, on the virtual clock. */
const LATENCY_MS = 200;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** A webhook is submitted this often while the sweeps run, and waits for its commit. */
const PROBE_MS = 20;
const BATCH_MAX = 256;

/** A clock that moves by what is waited for; `sent` is when each request left. */
class VirtualClock implements Clock {
  readonly sent: number[] = [];
  at = START + 86_400_000;

  now(): number {
    return this.at;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal === undefined) {
      this.at += Math.max(0, Math.ceil(ms));
      return;
    }
    // Only the timer of a request comes with a signal: it ends with the answer, and never rings.
    this.sent.push(this.at);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

/** The most requests in any span of this length. */
function mostWithin(sent: readonly number[], spanMs: number): number {
  let from = 0;
  let most = 0;
  for (const [index, at] of sent.entries()) {
    while ((sent[from] ?? at) < at - spanMs) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

function spread(durationsMs: readonly number[]): string {
  const sorted = durationsMs.toSorted((one, two) => one - two);
  const at = (share: number): string =>
    (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  return `median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`;
}

async function clientOf(baseUrl: string, clock: VirtualClock): Promise<CustodyClient> {
  const { privateKeyPem } = await generateKeyPair();
  const client = new CustodyClient({
    baseUrl,
    clientId: 'nightly',
    privateKey: createPrivateKey(privateKeyPem),
    clock,
    random: () => 0.5,
    observe: () => {
      clock.at += LATENCY_MS;
    },
  });
  onTestFinished(() => client.close());
  return client;
}

test(`${DEPOSITS} waiting deposits are verified and credited within one hour's requests`, async () => {
  const clock = new VirtualClock();
  const { open, path } = await openLedgerFile(SIX_DEEP);
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  const commits: number[] = [];
  const queue = new CommitQueue({
    ledger: {
      commit: async (facts) => {
        const began = performance.now();
        const result = await open.ledger.commit(facts);
        commits.push(performance.now() - began);
        return result;
      },
    },
    batchMax: BATCH_MAX,
    queueMax: 8_192,
  });
  const filling = performance.now();
  for (let from = 0; from < DEPOSITS; from += 4_096) {
    const count = Math.min(4_096, DEPOSITS - from);
    const facts = Array.from({ length: count }, (_, index) =>
      factOf(webhookOfRow(from + index), START),
    );
    await submitAll(queue, facts);
  }
  const filledMs = performance.now() - filling;
  expect((await reads.waitingDeposits()).length).toBe(DEPOSITS);
  const service = await startCustodyListServer({ deposits: DEPOSITS, newestAt: START + 1_000 });
  onTestFinished(() => service.end());
  const client = await clientOf(service.url, clock);
  const sweep = new Sweep({
    reads,
    submit: (facts) => submitAll(queue, facts),
    custody: client,
    now: () => clock.now(),
    graceMs: 600_000,
  });

  commits.length = 0;
  const startedAt = clock.now();
  const started = performance.now();
  const cpu = process.cpuUsage();
  const probe = probing((index) =>
    queue.submit(factOf({ ...webhookOfRow(0), id: `probe-${index}` }, START)),
  );
  let runs = 0;
  let heapBytes = 0;
  for (let left = DEPOSITS; left > 0;) {
    const began = clock.now();
    const result = await sweep.run();
    if (result.kind !== 'ran') throw new Error(result.cause);
    runs += 1;
    heapBytes = Math.max(heapBytes, process.memoryUsage().heapUsed);
    left = DEPOSITS - (await reads.counts()).credits.credits;
    expect(clock.now() - began).toBeLessThanOrEqual(MINUTE_MS);
    // The next tick of the schedule.
    if (left > 0) clock.at = Math.ceil(clock.at / MINUTE_MS) * MINUTE_MS;
    expect(clock.now() - startedAt).toBeLessThan(HOUR_MS);
  }
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const waits = await probe.end();
  console.log(
    [
      `deposits          ${DEPOSITS} (stored in ${(filledMs / 1000).toFixed(1)} s)`,
      `requests          ${clock.sent.length} in ${runs} runs; most in 60 s ${mostWithin(clock.sent, MINUTE_MS)}, in 3,600 s ${mostWithin(clock.sent, HOUR_MS)}`,
      `virtual time      ${((clock.now() - startedAt) / 1000).toFixed(0)} s`,
      `wall time         ${(wallMs / 1000).toFixed(1)} s, CPU ${((user + system) / 1e6).toFixed(1)} s, heap at most ${(heapBytes / 2 ** 20).toFixed(0)} MiB`,
      `commits           ${commits.length}: ${spread(commits)}`,
      `webhook meanwhile ${waits.length} waited: ${spread(waits)}`,
    ].join('\n'),
  );
  expect(open.rows("SELECT count(*) AS n FROM deposits WHERE state = 'credited'")).toEqual([
    { n: DEPOSITS },
  ]);
  expect(open.rows('SELECT count(DISTINCT deposit_id) AS n FROM credits')).toEqual([
    { n: DEPOSITS },
  ]);
  expect(mostWithin(clock.sent, MINUTE_MS)).toBeLessThanOrEqual(100);
  expect(mostWithin(clock.sent, HOUR_MS)).toBeLessThanOrEqual(1_000);
});

/** Submits a webhook again and again, and says how long each waited for its commit, in ms. */
function probing(submit: (index: number) => Promise<unknown>): { end(): Promise<number[]> } {
  const waits: number[] = [];
  const pending: Promise<void>[] = [];
  const timer = setInterval(() => {
    const due = performance.now();
    const index = pending.length;
    pending.push(submit(index).then(() => void waits.push(performance.now() - due)));
  }, PROBE_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(pending);
      return waits;
    },
  };
}
