import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Connection, type Answer } from './connection.ts';
import { Deliveries } from './delivery.ts';
import { sampleUsage, ratesBetween, type UsageSample, type Rates } from './usage-sample.ts';
import { postingsOf } from './postings.ts';
import { extrasOf, Traffic, type Sending, type TrafficName } from './traffic.ts';

/** The options of a load generator. */
export interface LoadOrder {
  /**
   * Where to deliver; `https:` with a certificate, else `http:`. Connections take turns over several
   * servers, which share one path.
   */
  readonly urls: readonly string[];
  /**
   * Whether each server has its own traffic. Otherwise all servers share one: a repeat may go to
   * another server than the first delivery.
   */
  readonly isApart?: boolean;
  /** The client's certificate and key, PEM; null for plain HTTP. */
  readonly pair: { readonly cert: string; readonly key: string } | null;
  readonly connections: number;
  readonly traffic: TrafficName;
  readonly vaults: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  /** Deliveries a second over all connections; absent: as many as are answered. */
  readonly ratePerSecond?: number;
  /** Processes of the server, whose CPU time is read where the system reports it. */
  readonly serverPids: readonly number[];
}

/** What was answered, from the first request to the last, warm-up included. */
export interface Answers {
  /** First deliveries that were answered 2xx. */
  firsts: number;
  /** Deliveries that had been acknowledged before, answered 2xx. */
  repeats: number;
  /** 2xx answers that said `accepted`, `duplicate`. */
  accepted: number;
  duplicates: number;
  /** Lines that a double-entry ledger posts for the first deliveries that were answered 2xx. */
  postings: number;
  /** Other answers, and requests that ended without one. */
  errors: number;
  /** Body of the first answer that was not 2xx. */
  firstError: string | null;
}

/** What a load generator saw. */
export interface LoadResult extends Answers, Rates {
  /** False when it gave up: not every connection was answered in time. */
  readonly complete: boolean;
  /** How long 2xx answers of the measured time took. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/**
 * Connections that are opened together. libuv accepts one connection per turn of the event loop.
 * With more at once, the bench would measure a server while connections still wait to be accepted.
 */
const CONNECTIONS_TOGETHER = 8;

/**
 * A server that does not come to answer every connection is given up after this. One that makes
 * every request durable alone needs a quarter of it for 256 connections on a disk of 1 ms.
 */
const RAMP_SECONDS_MAX = 180;

/** The value below which this part of a sorted list lies; 0 for an empty list. */
export function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Counts answers in the measured time, and CPU time at both of its ends. */
class Window {
  readonly #order: LoadOrder;
  readonly #startedMs: number;
  readonly #latenciesMs: number[] = [];
  #opened: UsageSample | undefined;
  #closed: UsageSample | undefined;

  constructor(order: LoadOrder, now: number) {
    this.#order = order;
    this.#startedMs = now;
  }

  get closed(): boolean {
    return this.#closed !== undefined;
  }

  /** The measured time begins after the warm-up, and not before every connection had an answer. */
  answer(now: number, answer: { latencyMs: number; isOk: boolean; allAnswered: boolean }): void {
    const { warmupSeconds, seconds } = this.#order;
    if (this.#opened === undefined) {
      const isWarm = now >= this.#startedMs + warmupSeconds * 1000;
      if (answer.allAnswered && isWarm) this.#opened = sampleUsage(this.#order.serverPids, now);
    } else if (now >= this.#opened.at + seconds * 1000) {
      this.#closed ??= sampleUsage(this.#order.serverPids, now);
    } else if (answer.isOk) {
      this.#latenciesMs.push(answer.latencyMs);
    }
  }

  result(): Omit<LoadResult, keyof Answers | 'complete'> {
    const sorted = Float64Array.from(this.#latenciesMs).sort();
    return {
      ...ratesBetween(sorted.length, this.#opened, this.#closed),
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      p999Ms: quantile(sorted, 0.999),
      maxMs: sorted.at(-1) ?? 0,
    };
  }
}

function count(
  answers: Answers,
  { delivery, isRepeat }: Sending,
  { status, body }: Answer,
): boolean {
  if (status < 200 || status >= 300) {
    answers.errors += 1;
    answers.firstError ??= `${status} ${body}`;
    return false;
  }
  if (isRepeat) answers.repeats += 1;
  else answers.firsts += 1;
  if (!isRepeat) answers.postings += postingsOf(delivery);
  if (body.includes('"accepted"')) answers.accepted += 1;
  else if (body.includes('"duplicate"')) answers.duplicates += 1;
  return true;
}

function headOf(url: URL): (bodyBytes: number) => string {
  return (bodyBytes) =>
    `POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${bodyBytes}\r\n\r\n`;
}

function inTurn<Item>(items: readonly Item[], turn: number): Item {
  const item = items[turn % items.length];
  if (item === undefined) throw new TypeError('a load needs the address of a server');
  return item;
}

/** One run of the generator: its connections, opened a few at a time, and what they have seen. */
class Run {
  readonly #order: LoadOrder;
  readonly #urls: readonly URL[];
  readonly #deliveries: Deliveries;
  /** One, or one for each server. */
  readonly #traffics: readonly Traffic[];
  readonly #window: Window;
  readonly #answers: Answers = {
    firsts: 0,
    repeats: 0,
    accepted: 0,
    duplicates: 0,
    postings: 0,
    errors: 0,
    firstError: null,
  };
  readonly #open = new Set<Connection>();
  readonly #startedMs = performance.now();
  /** Deliveries scheduled so far, where a rate is asked for. */
  #scheduled = 0;
  #opened = 0;
  #answered = 0;
  #done: () => void = () => undefined;

  constructor(order: LoadOrder) {
    this.#order = order;
    this.#urls = order.urls.map((url) => new URL(url));
    this.#deliveries = new Deliveries({
      vaults: order.vaults,
      seed: randomBytes(4).readInt32LE(),
      extras: extrasOf(order.traffic),
      headOf: headOf(inTurn(this.#urls, 0)),
    });
    const apart = order.isApart === true ? this.#urls : this.#urls.slice(0, 1);
    this.#traffics = apart.map(() => new Traffic(order.traffic));
    this.#window = new Window(order, performance.now());
  }

  async result(): Promise<LoadResult> {
    const { warmupSeconds, seconds } = this.#order;
    const timer = setTimeout(
      () => this.#open.forEach((connection) => connection.end()),
      (warmupSeconds + seconds + RAMP_SECONDS_MAX) * 1000,
    );
    await new Promise<void>((resolve) => {
      this.#done = resolve;
      this.#openMore();
    });
    clearTimeout(timer);
    return { complete: this.#window.closed, ...this.#answers, ...this.#window.result() };
  }

  #openMore(): void {
    const until = Math.min(this.#order.connections, this.#opened + CONNECTIONS_TOGETHER);
    for (; this.#opened < until; this.#opened += 1) this.#openOne();
  }

  /**
   * Sends at once, or at the next time that the rate gives. A delivery whose time has passed,
   * because every connection waited for the server, counts from that time.
   */
  #whenDue(send: (dueMs: number) => void): void {
    const { ratePerSecond } = this.#order;
    const now = performance.now();
    if (ratePerSecond === undefined) return send(now);
    this.#scheduled += 1;
    const dueMs = this.#startedMs + (this.#scheduled * 1000) / ratePerSecond;
    if (dueMs <= now) return send(dueMs);
    setTimeout(() => send(performance.now()), dueMs - now);
  }

  #openOne(): void {
    let underWay: Sending | null = null;
    let sentMs = 0;
    let isFirst = true;
    const send = (dueMs: number): void => {
      underWay = traffic.next();
      const bytes = this.#deliveries.write(connection.request, underWay.delivery);
      sentMs = dueMs;
      connection.send(bytes);
    };
    const sendNext = (): void => this.#whenDue(send);
    const url = inTurn(this.#urls, this.#opened);
    const traffic = inTurn(this.#traffics, this.#opened);
    const connection = new Connection({
      host: url.hostname,
      port: Number(url.port),
      pair: this.#order.pair,
      requestBytesMax: this.#deliveries.bytesMax,
      onOpen: sendNext,
      onAnswer: (answer) => {
        const now = performance.now();
        const sending = underWay;
        underWay = null;
        if (sending === null) return connection.end();
        const isOk = count(this.#answers, sending, answer);
        if (isOk && !sending.isRepeat) traffic.acknowledged(sending.delivery);
        if (isFirst) this.#answered += 1;
        isFirst = false;
        const allAnswered = this.#answered === this.#order.connections;
        this.#window.answer(now, { latencyMs: now - sentMs, isOk, allAnswered });
        // Between an answer and the next request nothing is under way on this connection.
        if (this.#window.closed) connection.end();
        else sendNext();
        if (this.#answered === this.#opened) this.#openMore();
      },
      onEnd: () => {
        this.#open.delete(connection);
        if (underWay !== null || isFirst) this.#answers.errors += 1;
        if (this.#open.size === 0) this.#done();
      },
    });
    this.#open.add(connection);
  }
}

/**
 * Opens the connections a few at a time and delivers over all of them for a while; then lets every
 * request under way end, so that what was acknowledged can be counted to the last one.
 */
export function generateLoad(order: LoadOrder): Promise<LoadResult> {
  return new Run(order).result();
}
