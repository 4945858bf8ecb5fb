import autocannon from 'autocannon';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Deliveries } from './delivery.ts';

/** What a load generator is told. */
export interface LoadOrder {
  readonly url: string;
  readonly connections: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  /** Process of the server, whose CPU time is read where the system tells it. */
  readonly serverPid: number;
}

/** What a load generator saw. */
export interface LoadResult {
  /** False when it gave up: then requests under way were cut, and nothing can be counted. */
  readonly complete: boolean;
  /** 2xx answers from the first request to the last, warm-up included. */
  readonly acknowledged: number;
  /** Other answers, and requests that ended without one. */
  readonly errors: number;
  /** 2xx answers per second of the measured time. */
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU seconds per second of measured time; null where the system does not tell. */
  readonly serverCores: number | null;
  readonly generatorCores: number;
}

/**
 * Connections that are opened together. libuv accepts one connection per turn of the event loop: a
 * crowd that connects at once to a server with long turns would be measured while it still waits.
 */
const CONNECTIONS_TOGETHER = 8;

/**
 * A server that does not come to answer every connection is given up after this. One that makes
 * every request durable alone needs a quarter of it for 256 connections on a disk of 1 ms.
 */
const RAMP_SECONDS_MAX = 180;

/** Ticks per second in /proc, the same on every Linux that Node runs on. */
const CLOCK_TICKS_PER_SECOND = 100;

/** CPU seconds that a process has used, or null where there is no /proc. */
function cpuSecondsOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it is in parentheses and may hold blanks; user and system time are 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** The value below which this part of a sorted list lies. */
function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

interface Look {
  readonly at: number;
  readonly server: number | null;
  readonly own: number;
}

/**
 * Counts answers in the measured time, and CPU time at both of its ends. The measured time begins
 * after the warm-up, but not before every connection has been answered once.
 */
class Window {
  readonly #order: LoadOrder;
  readonly #startedMs: number;
  readonly #latenciesMs: number[] = [];
  readonly #answered = new Set<autocannon.Client>();
  #opened: Look | undefined;
  #closed: Look | undefined;

  constructor(order: LoadOrder, now: number) {
    this.#order = order;
    this.#startedMs = now;
  }

  /** How many connections have had an answer. */
  get answered(): number {
    return this.#answered.size;
  }

  get closed(): boolean {
    return this.#closed !== undefined;
  }

  answer(client: autocannon.Client, latencyMs: number, acknowledged: boolean): void {
    const now = performance.now();
    const { connections, seconds } = this.#order;
    if (this.#answered.size < connections) this.#answered.add(client);
    if (this.#opened === undefined) {
      this.#openWhenReady(now);
    } else if (now >= this.#opened.at + seconds * 1000) {
      this.#closed ??= this.#look(now);
    } else if (acknowledged) {
      this.#latenciesMs.push(latencyMs);
    }
  }

  result(): Omit<LoadResult, 'acknowledged' | 'errors' | 'complete'> {
    const opened = this.#opened;
    const closed = this.#closed;
    if (opened === undefined || closed === undefined) {
      return {
        requestsPerSecond: 0,
        p50Ms: 0,
        p99Ms: 0,
        serverCores: null,
        generatorCores: 0,
      };
    }
    const seconds = (closed.at - opened.at) / 1000;
    const sorted = Float64Array.from(this.#latenciesMs).sort();
    return {
      requestsPerSecond: sorted.length / seconds,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      serverCores:
        opened.server === null || closed.server === null
          ? null
          : (closed.server - opened.server) / seconds,
      generatorCores: (closed.own - opened.own) / seconds,
    };
  }

  #openWhenReady(now: number): void {
    const { connections, warmupSeconds } = this.#order;
    if (this.#answered.size < connections || now < this.#startedMs + warmupSeconds * 1000) return;
    this.#opened = this.#look(now);
  }

  #look(at: number): Look {
    return { at, server: cpuSecondsOf(this.#order.serverPid), own: ownCpuSeconds() };
  }
}

type Answered = (client: autocannon.Client, status: number, latencyMs: number) => void;

/** Delivers over a few connections, each with one request under way, until `answered` cuts them. */
function deliver(order: LoadOrder, deliveries: Deliveries, answered: Answered) {
  const options: autocannon.Options = {
    url: order.url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    connections: CONNECTIONS_TOGETHER,
    duration: order.warmupSeconds + order.seconds + RAMP_SECONDS_MAX,
    sampleInt: 100,
    requests: [{ setupRequest: (request) => ({ ...request, body: deliveries.next() }) }],
  };
  return new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error: unknown, seen: autocannon.Result) =>
      error instanceof Error ? reject(error) : resolve(seen),
    );
    instance.on('response', (client, status, _, latencyMs) => answered(client, status, latencyMs));
  });
}

/**
 * Opens the connections a few at a time and delivers over all of them for a while; then lets every
 * request under way end, so that what was acknowledged can be counted to the last one.
 */
export async function generateLoad(order: LoadOrder): Promise<LoadResult> {
  const deliveries = new Deliveries();
  const window = new Window(order, performance.now());
  const runs: Promise<autocannon.Result>[] = [];
  let acknowledged = 0;
  let refused = 0;
  const answered: Answered = (client, status, latencyMs) => {
    const ok = status >= 200 && status < 300;
    if (ok) acknowledged += 1;
    else refused += 1;
    window.answer(client, latencyMs, ok);
    const connected = runs.length * CONNECTIONS_TOGETHER;
    if (window.answered === connected && connected < order.connections) {
      runs.push(deliver(order, deliveries, answered));
    }
    // Between an answer and the next request nothing is under way on this connection.
    if (window.closed) (client as autocannon.Client & { destroy(): void }).destroy();
  };
  runs.push(deliver(order, deliveries, answered));
  let unanswered = 0;
  // The list grows while the first of them run.
  for (const run of runs) {
    const { errors } = await run;
    unanswered += errors;
  }
  return {
    complete: window.closed,
    acknowledged,
    errors: refused + unanswered,
    ...window.result(),
  };
}
