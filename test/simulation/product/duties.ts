import PQueue from 'p-queue';
import { openSharedLog } from '../../../src/custody/budget/shared-request-log.ts';
import { CustodyClient } from '../../../src/custody/client.ts';
import type { Clock as ClientClock } from '../../../src/custody/clock.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { submitAll, type FactQueue } from '../../../src/intake/fact-queue.ts';
import { CloseCalendar } from '../../../src/reconcile/close/calendar.ts';
import { Closer, type CloseResult } from '../../../src/reconcile/close/close.ts';
import { Sweep, type SweepResult } from '../../../src/reconcile/sweep/sweep.ts';
import { CreditLatency } from '../../../src/reconcile/verifying/credit-latency.ts';
import { CustodyChanges } from '../../../src/reconcile/verifying/custody-changes.ts';
import { Verifier } from '../../../src/reconcile/verifying/verifier.ts';
import type { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { policyOf } from './crediting-rules.ts';
import type { Life } from './process-state.ts';
import type { ProductOptions, WantedDays } from './product.ts';

export const GRACE_MS = 600_000;
/** Short enough that breaks go stale, rise and heal within a simulation. */
const AGES = {
  stale: { depositMs: 1_800_000, withdrawalMs: 3_600_000, reversals: true },
  escalation: { infoToWarningAfterMs: 7_200_000, warningToCriticalAfterMs: 3_600_000 },
} as const;
/** As the product's own default: five minutes after midnight. */
const CALENDAR = new CloseCalendar({ timezone: 'UTC', pattern: '5 0 * * *' });
const DAY_MS = 86_400_000;
/** A full disk refuses some commits in a row, never so many. */
const POLICY_TRIES_MAX = 50;

interface DutiesOptions extends ProductOptions {
  /** The process, as the network names it. */
  readonly name: string;
  readonly life: Life;
  readonly reads: SqliteReads;
  readonly queue: Pick<FactQueue, 'submit'>;
  readonly requestLogPath: string;
  readonly now: () => number;
}

/** What the owner of the books does, as the daemon's duties wire it, at the simulation's command. */
export class Duties {
  readonly verifier: Verifier;
  readonly #options: DutiesOptions;
  readonly #client: CustodyClient;
  readonly #sweep: Sweep;
  readonly #closer: Closer;
  readonly #runs = new PQueue({ concurrency: 1 });
  readonly #rounds = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: DutiesOptions) {
    this.#options = options;
    const { reads, queue, now } = options;
    this.#client = clientOf(options);
    const changes = new CustodyChanges({ custody: this.#client, now });
    const judging = {
      reads,
      submit: (facts: readonly Fact[]) => submitAll(queue, facts),
      custody: this.#client,
      changes,
      now,
      graceMs: GRACE_MS,
    };
    this.verifier = new Verifier({
      ...judging,
      latency: new CreditLatency({ observe: () => undefined }),
      wantSweep: () => undefined,
    });
    this.#sweep = new Sweep({
      ...judging,
      subscription: { webhookUrl: options.webhookUrl, vaults: 'all' },
      ages: AGES,
    });
    this.#closer = new Closer({ ...judging, calendar: CALENDAR });
  }

  /** The configured policy becomes a decision. */
  async prepare(): Promise<void> {
    const { reads, queue, now } = this.#options;
    await this.verifier.restore();
    if ((await reads.configuredPolicy()) !== undefined) return;
    const policy = policyOf(Amount);
    const reason = 'the configuration says so';
    const fact: Fact = {
      kind: 'decision',
      at: now(),
      actor: 'config',
      decision: { kind: 'policy', source: 'config', policy, configured: policy, reason },
    };
    for (let tries = 0; tries < POLICY_TRIES_MAX; tries += 1) {
      if ((await queue.submit(fact)).kind === 'taken') return;
    }
    throw new Error('the policy could not be kept');
  }

  /** One reconciliation, after those that run. */
  sweep(): Promise<SweepResult> {
    return this.#runs.add(() => this.#sweep.run());
  }

  /** Closes days after a reconciliation. */
  async closeDays(wanted: WantedDays): Promise<CloseResult> {
    const at = this.#options.now();
    if ((await this.#closer.due(at)).kind === 'some') await this.sweep();
    if (wanted === 'due') return this.#closer.closeDue(at);
    return this.#closer.closeThrough(CALENDAR.dayAt(this.#options.now() - 2 * DAY_MS));
  }

  /** A round of the verifier, if anything is due; answers whether it asked. */
  async verify(): Promise<'idle' | 'asked'> {
    const dueAt = this.verifier.nextRoundAtMs();
    if (dueAt === null || dueAt > this.#options.now()) return 'idle';
    const round = this.verifier.round();
    this.#rounds.add(round);
    await round.finally(() => this.#rounds.delete(round));
    return 'asked';
  }

  /** Resolves when no run and no round is under way. */
  async idle(): Promise<void> {
    await this.#runs.onIdle();
    await this.#closer.idle();
    await Promise.allSettled(this.#rounds);
  }

  /** Lets go of sockets and of the log of requests; what is under way fails. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closer.stop();
    await this.#client.close();
  }
}

function clientOf(options: DutiesOptions): CustodyClient {
  const { api, name, requestLogPath, random } = options;
  const requests = openSharedLog(requestLogPath, api.clientId);
  if (requests.kind === 'refused') throw new Error(requests.detail);
  return new CustodyClient({
    log: requests.log,
    baseUrl: api.urlFor(name),
    clientId: api.clientId,
    privateKey: api.key,
    clock: clientClock(options),
    random,
  });
}

/**
 * The client's pauses move virtual time. A request's timer does not: the clock stands still while a
 * request is under way, so it rings exactly when the network lets the request hang. It waits for that
 * from the start: a process that sleeps may have a request on its way.
 */
function clientClock({ name, clock, life, now, hangs }: DutiesOptions): ClientClock {
  return {
    now,
    sleep: async (ms, signal) => {
      if (signal !== undefined) {
        const ended = new Promise<'ended'>((resolve) => {
          if (signal.aborted) resolve('ended');
          else signal.addEventListener('abort', () => resolve('ended'), { once: true });
        });
        const first = await Promise.race([ended, hangs(name).then(() => 'rang' as const)]);
        if (first === 'ended') return undefined;
      }
      await life.awake();
      await clock.advance(Math.max(0, Math.ceil(ms)));
      return life.awake();
    },
  };
}
