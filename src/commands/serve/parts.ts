import { setTimeout as pause } from 'node:timers/promises';
import { identifyBy, type Identify } from '../../api/access.ts';
import { FeedSignal } from '../../api/feed-signal.ts';
import type { Access } from '../../custody/access.ts';
import type { CustodyClient } from '../../custody/client.ts';
import { OPERATION_NAMES } from '../../custody/operation.ts';
import { RESULT_NAMES } from '../../custody/outcome.ts';
import { SKIP_CAUSES } from '../../domain/compare.ts';
import { STALE_NOT_SHOWN } from '../../domain/staleness.ts';
import { CommitQueue } from '../../intake/commit-queue.ts';
import type { Config } from '../../ops/config.ts';
import type { CommitNews } from '../../store/commit-news.ts';
import type { Lifecycle } from '../../ops/lifecycle.ts';
import type { Logger } from '../../ops/log.ts';
import { Metrics, type KnownLabels } from '../../ops/metrics.ts';
import { Judging } from '../../reconcile/judging.ts';
import { PublishedNetworks } from '../../reconcile/watching/published-networks.ts';
import type { Reads } from '../../store/reads.ts';
import { custodyClientOf } from '../custody/link.ts';
import { daemonLog } from '../custody/request-log.ts';
import { loggedAccess } from '../custody/standing.ts';
import { DayCloser } from './day-closer.ts';
import type { OpenStore } from './open-store.ts';
import { Reconciler } from './reconciler.ts';
import { Verifying } from './verifying.ts';

/** At the writer: one commit that is under way, and the one that gathers meanwhile. */
const COMMITS_UNDER_WAY = 2;

/** What the daemon is started with. */
export interface DaemonContext {
  readonly config: Config;
  readonly log: Logger;
  readonly version: string;
}

/** What is there before the parts are. */
export interface Surroundings extends DaemonContext {
  readonly lifecycle: Lifecycle;
}

/** What the daemon consists of, before anything of it runs. */
export interface Parts extends Surroundings, OpenStore {
  readonly queue: CommitQueue;
  readonly feed: FeedSignal;
  readonly metrics: Metrics;
  readonly custody: CustodyClient | undefined;
  /** What the answers of the custody API say of our key. */
  readonly access: Access;
  readonly networks: PublishedNetworks | undefined;
  readonly judging: Judging;
  /** Absent without a custody API: nothing is ever verified. */
  readonly verifying: Verifying | undefined;
  readonly reconciler: Reconciler;
  readonly closer: DayCloser;
  readonly identify: Identify;
}

/** Makes the parts and joins them; nothing is started yet. */
export function assemble(store: OpenStore, surroundings: Surroundings): Parts {
  const { config, log } = surroundings;
  const { ledger, reads } = store;
  const now = (): number => Date.now();
  const metrics = new Metrics({ now, process: true, known: knownLabels(config) });
  const feed = feedSignalOf(reads, log);
  ledger.observe((commit) => {
    metrics.commit(commit);
    feed.announce();
  });
  const { batchMax, queueMax } = config.intake;
  const underWayMax = COMMITS_UNDER_WAY * batchMax;
  const onFailure = (cause: string | null): void => tellOfStore(log, cause);
  const access = loggedAccess(log, now);
  const onNews = (news: CommitNews): void => verifying?.take(news);
  const queue = new CommitQueue({ ledger, batchMax, queueMax, underWayMax, onFailure, onNews });
  const custody = clientOf(config, { metrics, access });
  const networks = custody && new PublishedNetworks({ custody, now });
  const verifying =
    custody &&
    new Verifying({
      config,
      custody,
      reads,
      queue,
      metrics,
      log,
      wantSweep: () => reconciler.runIfIdle(),
    });
  const reconciler = new Reconciler({
    config,
    reads,
    queue,
    custody,
    changes: verifying?.changes,
    networks,
    metrics,
    log,
    now,
  });
  const reconcile = async (): Promise<void> => {
    const result = await reconciler.runNow();
    if (result.kind === 'not_recorded') {
      throw new Error(`the run could not be recorded: ${result.cause}`);
    }
  };
  const closer = new DayCloser({ config, reads, queue, custody, metrics, log, now, reconcile });
  const judging = new Judging({ reads, submit: (fact) => queue.submit(fact), now, pause });
  const identify = identifyBy(config.api.tokens);
  const services = {
    metrics,
    custody,
    access,
    networks,
    judging,
    verifying,
    reconciler,
    closer,
    identify,
  };
  return { ...surroundings, ...store, queue, feed, ...services };
}

function clientOf(
  { custody, store }: Config,
  { metrics, access }: Pick<Parts, 'metrics' | 'access'>,
): CustodyClient | undefined {
  if (custody === undefined) return undefined;
  return custodyClientOf(custody, {
    observe: (attempt) => {
      metrics.custodyAttempt(attempt);
      access.answered(attempt);
    },
    log: daemonLog(store.path, custody),
  });
}

/** What counters can be about, whether it has happened or not. */
function knownLabels(config: Config): KnownLabels {
  return {
    operations: config.custody === undefined ? [] : OPERATION_NAMES,
    results: RESULT_NAMES,
    skipCauses: [...SKIP_CAUSES, STALE_NOT_SHOWN],
    exemptionRules: config.reconcile.exemptions.map(({ rule }) => rule),
  };
}

function feedSignalOf(reads: Reads, log: Logger): FeedSignal {
  return new FeedSignal({
    hasItemsAfter: async (seq) => (await reads.credits(seq, 1)).length > 0,
    onBug: (error) => log.error({ err: error }, 'reading the credit feed failed; retrying'),
  });
}

function tellOfStore(log: Logger, cause: string | null): void {
  if (cause === null) log.info('the store takes facts again');
  else log.error({ cause }, 'the store takes nothing: senders are told to try again');
}

/** What an earlier run of the daemon, or a commit of a change, left to be judged by the policy. */
export function judgeAnew({ judging, log }: Parts): void {
  judging.begin().catch((error: unknown) => {
    log.error({ err: error }, 'deposits could not be judged by the policy');
  });
}
