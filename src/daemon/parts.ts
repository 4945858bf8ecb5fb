import { setTimeout as pause } from 'node:timers/promises';
import { identifyBy, type Identify } from '../api/access.ts';
import { FeedSignal } from '../api/exchange/feed-signal.ts';
import { Changes } from '../console/live/changes.ts';
import type { Access } from '../custody/access.ts';
import type { CustodyClient } from '../custody/client.ts';
import { OPERATION_NAMES } from '../custody/call/operation.ts';
import { RESULT_NAMES } from '../custody/call/outcome.ts';
import { SKIP_CAUSES } from '../domain/deposit/comparison.ts';
import { STALE_NOT_SHOWN } from '../domain/break/staleness.ts';
import type { Config } from '../ops/config/config.ts';
import type { Lifecycle } from '../ops/lifecycle.ts';
import type { Logger } from '../ops/log.ts';
import { Metrics, type KnownLabels } from '../ops/metrics/metrics.ts';
import { Reevaluation } from '../reconcile/verifying/reevaluation.ts';
import { PublishedNetworks } from '../reconcile/watching/published-networks.ts';
import type { Reads } from '../store/reads.ts';
import { custodyClientOf } from './custody/custody-client.ts';
import { daemonLog } from './custody/request-log.ts';
import { loggedAccess } from './custody/access-log.ts';
import { CERTIFICATE_REFUSALS } from './senders/certificate-rules.ts';
import { DayCloser } from './schedule/day-closer.ts';
import type { OpenStore } from './start/open-store.ts';
import { Reconciler } from './schedule/reconciler.ts';
import { Verifying } from './schedule/verifying.ts';

/** The daemon's inputs. */
export interface DaemonContext {
  readonly config: Config;
  readonly log: Logger;
  readonly version: string;
}

/** The inputs of `assemble`. */
export interface Surroundings extends DaemonContext {
  readonly lifecycle: Lifecycle;
}

/** The daemon's parts, not yet started. */
export interface Parts extends Surroundings, OpenStore {
  readonly feed: FeedSignal;
  /** What commits change, for open pages of the console. */
  readonly changes: Changes;
  readonly metrics: Metrics;
  readonly custody: CustodyClient | undefined;
  /** Whether the custody API accepts our key. */
  readonly access: Access;
  readonly networks: PublishedNetworks | undefined;
  readonly reevaluation: Reevaluation;
  /** Absent without a custody API: then nothing is verified. */
  readonly verifying: Verifying | undefined;
  readonly reconciler: Reconciler;
  readonly closer: DayCloser;
  readonly identify: Identify;
}

/** Creates and connects the parts; starts nothing. */
export function assemble(store: OpenStore, surroundings: Surroundings): Parts {
  const { config, log } = surroundings;
  const { queue, reads } = store;
  const now = (): number => Date.now();
  const metrics = new Metrics({ now, process: true, known: knownLabels(config) });
  const feed = feedSignalOf(reads, log);
  const changes = new Changes();
  queue.observe({
    commit: (commit) => {
      metrics.intake.commit(commit);
      feed.announce();
    },
    taken: (kinds) => changes.committed(kinds),
    news: (news) => verifying?.take(news),
    store: (cause) => logStoreState(log, cause),
  });
  const access = loggedAccess(log, now);
  const custody = clientOf(config, { metrics, access });
  const networks = custody && new PublishedNetworks({ custody, now });
  const verifying =
    custody &&
    new Verifying({
      config,
      custody,
      reads,
      queue,
      metrics: metrics.deposits,
      log,
      wantSweep: () => reconciler.runIfIdle(),
    });
  const scheduled = { config, reads, queue, custody, metrics: metrics.reconciliation, log, now };
  const reconciler = new Reconciler({ ...scheduled, changes: verifying?.changes, networks });
  const reconcile = async (): Promise<void> => {
    const result = await reconciler.runNow();
    if (result.kind === 'not_recorded') {
      throw new Error(`the run could not be recorded: ${result.cause}`);
    }
  };
  const closer = new DayCloser({ ...scheduled, reconcile });
  const reevaluation = new Reevaluation({
    reads,
    submit: (fact) => queue.submit(fact),
    now,
    pause,
  });
  const identify = identifyBy(config.api.tokens);
  const services = {
    metrics,
    custody,
    access,
    networks,
    reevaluation,
    verifying,
    reconciler,
    closer,
    identify,
  };
  return { ...surroundings, ...store, feed, changes, ...services };
}

function clientOf(
  { custody, store }: Config,
  { metrics, access }: Pick<Parts, 'metrics' | 'access'>,
): CustodyClient | undefined {
  if (custody === undefined) return undefined;
  return custodyClientOf(custody, {
    observe: (attempt) => {
      metrics.custody.attempt(attempt);
      access.answered(attempt);
    },
    log: daemonLog(store.path, custody),
  });
}

/** Label values that counters start with, at zero. */
function knownLabels(config: Config): KnownLabels {
  return {
    operations: config.custody === undefined ? [] : OPERATION_NAMES,
    results: RESULT_NAMES,
    skipCauses: [...SKIP_CAUSES, STALE_NOT_SHOWN],
    exemptionRules: config.reconcile.exemptions.map(({ rule }) => rule),
    certificateRefusals: CERTIFICATE_REFUSALS,
  };
}

function feedSignalOf(reads: Reads, log: Logger): FeedSignal {
  return new FeedSignal({
    hasItemsAfter: async (seq) => (await reads.credits(seq, 1)).length > 0,
    onBug: (error) => log.error({ err: error }, 'reading the credit feed failed; retrying'),
  });
}

function logStoreState(log: Logger, cause: string | null): void {
  if (cause === null) log.info('the store accepts writes again');
  else log.error({ cause }, 'the store accepts no writes; senders get 503 and retry');
}

/** Re-evaluates deposits that a policy change, or an earlier process, left unevaluated. */
export function reevaluateDeposits({ reevaluation, log }: Parts): void {
  reevaluation.begin().catch((error: unknown) => {
    log.error(
      { err: error },
      're-evaluating deposits by the policy failed; the next start continues',
    );
  });
}
