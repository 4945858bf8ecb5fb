import type { KeyObject } from 'node:crypto';
import { appendFileSync, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Hono } from 'hono';
import PQueue from 'p-queue';
import { CustodyClient } from '../../../src/custody/client.ts';
import { openSharedLog } from '../../../src/custody/budget/shared-request-log.ts';
import type { Clock as ClientClock } from '../../../src/custody/clock.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { CommitQueue } from '../../../src/intake/commit-queue.ts';
import { submitAll } from '../../../src/intake/fact-queue.ts';
import type { Submitted } from '../../../src/store/port.ts';
import { decode } from '../../../src/intake/decode.ts';
import { BodyMemory } from '../../../src/intake/body-memory.ts';
import { createHooks, type HooksEnv } from '../../../src/intake/hooks.ts';
import { PathTokens } from '../../../src/intake/path-token.ts';
import { RefusedBodies } from '../../../src/intake/refused-bodies.ts';
import { Sweep, type SweepResult } from '../../../src/reconcile/sweep/sweep.ts';
import { CreditLatency } from '../../../src/reconcile/verifying/credit-latency.ts';
import { CustodyChanges } from '../../../src/reconcile/verifying/custody-changes.ts';
import { Verifier } from '../../../src/reconcile/verifying/verifier.ts';
import { openForReading, openForWriting } from '../../../src/store/sqlite/file/database.ts';
import { SqliteLedger } from '../../../src/store/sqlite/sqlite-ledger.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import type { VirtualClock } from '../../../src/simulator/clock.ts';
import { policyOf } from './crediting-rules.ts';
import { FragileLedger, never, type CommitFate } from './fragile-ledger.ts';

export const GRACE_MS = 600_000;
/** Short enough that breaks go stale, rise and heal within a simulation. */
const AGES = {
  stale: { depositMs: 1_800_000, withdrawalMs: 3_600_000 },
  escalation: { infoToWarningAfterMs: 7_200_000, warningToCriticalAfterMs: 3_600_000 },
} as const;
const BODY_BYTES_MAX = 1_048_576;
const BATCH_MAX = 64;
const QUEUE_MAX = 1_024;
/** Well above what a simulation garbles: every malformed body shall leave its break. */
const MALFORMED_PER_HOUR_MAX = 10_000;

/** What everything in the product says once its process is dead. */
export const DIED = 'died';

export interface ProductOptions {
  readonly folder: string;
  readonly clock: VirtualClock;
  readonly pathToken: string;
  readonly webhookUrl: string;
  readonly api: { readonly baseUrl: string; readonly clientId: string; readonly key: KeyObject };
  /** What befalls the next commit. */
  readonly fate: (facts: readonly Fact[]) => CommitFate;
  /** Bytes of an unfinished write at the end of the log that a death leaves behind. */
  readonly tornBytes: () => number;
  /** In [0, 1): jitter of the client's backoff. */
  readonly random: () => number;
  /** Rings when the network lets the client's request hang. */
  readonly hangs: () => Promise<void>;
}

/** The daemon's parts as `serve` wires them, but for its own clock, network and mortal writer. */
class Process {
  readonly app: Hono<HooksEnv>;
  readonly reads: SqliteReads;
  readonly queue: CommitQueue;
  readonly client: CustodyClient;
  readonly sweep: () => Promise<SweepResult>;
  readonly verifier: Verifier;
  readonly died: Promise<typeof DIED>;
  readonly #ledger: SqliteLedger;
  readonly #fragile: FragileLedger;
  #sayDied: () => void = () => undefined;
  #dead = false;

  constructor(path: string, options: ProductOptions & { now: () => number; onDeath: () => void }) {
    const { now } = options;
    this.died = new Promise((resolve) => (this.#sayDied = () => resolve(DIED)));
    this.#ledger = new SqliteLedger(openForWriting(path), {
      decode,
      now,
      keysKeptMax: 16,
      askedForMax: 40,
    });
    this.#fragile = new FragileLedger({
      ledger: this.#ledger,
      fate: options.fate,
      die: options.onDeath,
    });
    this.reads = new SqliteReads(openForReading(path));
    this.queue = new CommitQueue({
      ledger: this.#fragile,
      batchMax: BATCH_MAX,
      queueMax: QUEUE_MAX,
      onNews: (news) => this.verifier.take(news),
    });
    this.app = createHooks({
      tokens: new PathTokens([options.pathToken]),
      bodyBytesMax: BODY_BYTES_MAX,
      memory: new BodyMemory(),
      submit: (fact) => this.queue.submit(fact),
      refused: new RefusedBodies(MALFORMED_PER_HOUR_MAX),
      now,
      certificateAccepted: () => true,
      observe: () => undefined,
    });
    const requests = openSharedLog(`${path}.requests`, options.api.clientId);
    if (requests.kind === 'refused') throw new Error(requests.detail);
    this.client = new CustodyClient({
      log: requests.log,
      baseUrl: options.api.baseUrl,
      clientId: options.api.clientId,
      privateKey: options.api.key,
      clock: this.#clientClock(options),
      random: options.random,
    });
    const changes = new CustodyChanges({ custody: this.client, now });
    const judging = {
      reads: this.reads,
      submit: (facts: readonly Fact[]) => submitAll(this.queue, facts),
      custody: this.client,
      changes,
      now,
      graceMs: GRACE_MS,
    };
    this.verifier = new Verifier({
      ...judging,
      latency: new CreditLatency({ observe: () => undefined }),
      wantSweep: () => undefined,
    });
    const sweep = new Sweep({
      ...judging,
      subscription: { webhookUrl: options.webhookUrl, vaults: 'all' },
      ages: AGES,
    });
    const runs = new PQueue({ concurrency: 1 });
    this.sweep = () => runs.add(() => sweep.run());
  }

  /** Ends the process as a kill would: nothing of it goes on, nothing is written any more. */
  kill(): void {
    this.#dead = true;
    this.#fragile.kill();
    this.#sayDied();
  }

  /** Lets go of files and sockets. */
  async release(): Promise<void> {
    this.reads.close();
    this.#ledger.close();
    await this.client.close();
  }

  /**
   * The client's pauses move virtual time. A request's timer does not: the clock stands still while
   * a request is under way, so it rings exactly when the network lets the request hang.
   */
  #clientClock({ clock, now, hangs }: ProductOptions & { now: () => number }): ClientClock {
    return {
      now,
      sleep: async (ms, signal) => {
        if (this.#dead) return never();
        if (signal !== undefined) {
          const ended = new Promise<'ended'>((resolve) => {
            if (signal.aborted) resolve('ended');
            else signal.addEventListener('abort', () => resolve('ended'), { once: true });
          });
          const first = await Promise.race([ended, hangs().then(() => 'rang' as const)]);
          if (first === 'ended') return undefined;
        }
        await clock.advance(Math.max(0, Math.ceil(ms)));
        return this.#dead ? never() : undefined;
      },
    };
  }
}

/**
 * The product over one store: a process that can be killed at any instant and started again on what
 * its file held at that instant.
 */
export class Product {
  readonly #options: ProductOptions;
  readonly #graves: Process[] = [];
  #process: Process | undefined;
  #generation = 0;
  /** Milliseconds by which its clock differs from the world's. */
  skewMs = 0;

  constructor(options: ProductOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#process !== undefined;
  }

  /** Raised with every death: what a process began before must not be answered by the next. */
  get generation(): number {
    return this.#generation;
  }

  get path(): string {
    return join(this.#options.folder, `store-${this.#generation}.db`);
  }

  now(): number {
    return this.#options.clock.now() + this.skewMs;
  }

  /** Starts on the file of the last process; the configured policy becomes a decision. */
  async start(): Promise<void> {
    if (this.#process !== undefined) throw new Error('it is running');
    const born = new Process(this.path, {
      ...this.#options,
      now: () => this.now(),
      onDeath: () => this.kill(),
    });
    this.#process = born;
    await born.verifier.restore();
    if ((await born.reads.configuredPolicy()) !== undefined) return;
    const policy = policyOf(Amount);
    const reason = 'the configuration says so';
    await this.decide(
      { kind: 'policy', source: 'config', policy, configured: policy, reason },
      'config',
    );
  }

  /** Kills the process; what its file and log hold now is what the next one finds. */
  kill(): void {
    const dying = this.#process;
    if (dying === undefined) return;
    this.#process = undefined;
    dying.kill();
    this.#graves.push(dying);
    const from = this.path;
    this.#generation += 1;
    const to = this.path;
    copyFileSync(from, to);
    if (!existsSync(`${from}-wal`)) return;
    copyFileSync(`${from}-wal`, `${to}-wal`);
    const torn = this.#options.tornBytes();
    if (torn > 0) appendFileSync(`${to}-wal`, Buffer.alloc(torn, 0xa5));
  }

  /** A delivery to the webhook path. */
  async deliver(body: Uint8Array, headers: Record<string, string> = {}): Promise<Delivered> {
    const running = this.#process;
    if (running === undefined) return DIED;
    const answer = running.app.request(`/${this.#options.pathToken}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    const first = await Promise.race([Promise.resolve(answer), running.died]);
    return first === DIED ? DIED : first.status;
  }

  /** One reconciliation. */
  async sweep(): Promise<SweepResult | typeof DIED> {
    const running = this.#process;
    if (running === undefined) return DIED;
    const run = running.sweep();
    run.catch(() => undefined);
    return Promise.race([run, running.died]);
  }

  /** A round of the verifier, if anything is due; answers whether it asked. */
  async verify(): Promise<'idle' | 'asked' | typeof DIED> {
    const running = this.#process;
    if (running === undefined) return DIED;
    const dueAt = running.verifier.nextRoundAtMs();
    if (dueAt === null || dueAt > this.now()) return 'idle';
    const round = running.verifier.round().then(() => 'asked' as const);
    round.catch(() => undefined);
    return Promise.race([round, running.died]);
  }

  async decide(decision: Decision, actor: string): Promise<Submitted | typeof DIED> {
    const running = this.#process;
    if (running === undefined) return DIED;
    const fact: Fact = { kind: 'decision', at: this.now(), actor, decision };
    return Promise.race([running.queue.submit(fact), running.died]);
  }

  /** What an API reader sees; undefined while the process is down. */
  get reads(): SqliteReads | undefined {
    return this.#process?.reads;
  }

  /** Ends everything, the frozen remains of dead processes too. */
  async close(): Promise<void> {
    const last = this.#process;
    this.#process = undefined;
    last?.kill();
    for (const each of last === undefined ? this.#graves : [...this.#graves, last]) {
      await each.release();
    }
  }
}

/** HTTP status, or that there was no answer. */
export type Delivered = number | typeof DIED;
