import { TokenBook } from '../api/people/token-book.ts';
import { FeedSignal } from '../api/exchange/feed-signal.ts';
import { Changes } from '../console/live/changes.ts';
import type { Access } from '../custody/access.ts';
import { OPERATION_NAMES } from '../custody/call/operation.ts';
import { RESULT_NAMES } from '../custody/call/outcome.ts';
import { SKIP_CAUSES } from '../domain/deposit/record/comparison.ts';
import { STALE_NOT_SHOWN } from '../domain/break/staleness.ts';
import type { FactQueue } from '../intake/fact-queue.ts';
import type { Config } from '../ops/config/config.ts';
import type { Lifecycle } from '../ops/lifecycle.ts';
import type { Logger } from '../ops/log.ts';
import { Metrics, type KnownLabels } from '../ops/metrics/metrics.ts';
import type { Reads } from '../store/reads.ts';
import { loggedAccess } from './custody/access-log.ts';
import { Duties } from './receivers/duties.ts';
import { Ownership } from './receivers/ownership.ts';
import { sharedParts, type SharedParts } from './receivers/shared-parts.ts';
import { CERTIFICATE_REFUSALS } from './senders/certificate-rules.ts';
import { changesTokens, tokenFollower } from './start/run-time-tokens.ts';
import type { OpenStore } from './start/open-store.ts';

/** The daemon's inputs. */
export interface DaemonContext {
  readonly config: Config;
  readonly log: Logger;
  readonly version: string;
}

/** The inputs of `assemble`. */
export interface AssemblyContext extends DaemonContext {
  readonly lifecycle: Lifecycle;
}

/** The daemon's parts, not yet started. */
export interface Parts extends AssemblyContext, Omit<OpenStore, 'queue'> {
  /** Takes facts of everybody. */
  readonly queue: FactQueue;
  readonly writer: OpenStore['queue'];
  /** Null with SQLite. */
  readonly shared: SharedParts | null;
  readonly feed: FeedSignal;
  /** What commits change, for open pages of the console. */
  readonly changes: Changes;
  readonly metrics: Metrics;
  /** Whether the custody API accepts our key. */
  readonly access: Access;
  readonly ownership: Ownership;
  readonly tokens: TokenBook;
}

/** Creates and connects the parts; starts nothing. */
export function assemble(store: OpenStore, context: AssemblyContext): Parts {
  const { config, log, lifecycle } = context;
  const { queue: writer, reads } = store;
  const now = (): number => Date.now();
  const metrics = new Metrics({ now, process: true, known: knownLabels(config) });
  const feed = feedSignalOf(reads, log);
  const changes = new Changes();
  const access = loggedAccess(log, now);
  const ownership = new Ownership(
    () => new Duties({ config, log, reads, queue: writer, metrics, access }),
  );
  const shared = sharedParts({
    ...store,
    config,
    log,
    metrics: metrics.receiver,
    ownership,
    feed,
    changes,
  });
  const tokens = new TokenBook({ configured: config.api.tokens, now });
  const followTokens = tokenFollower({ tokens, reads, log, lifecycle });
  writer.observe({
    commit: (commit) => {
      metrics.intake.commit(commit);
      feed.announce();
    },
    taken: (kinds) => {
      changes.committed(kinds);
      if (changesTokens(kinds)) followTokens();
    },
    news: (news) => ownership.duties?.take(news),
    store: (cause) => logStoreState(log, cause),
    role: (role) => shared?.role(role),
    journal: (state) => shared?.journal(state),
    applied: (position) => {
      shared?.grown(position);
      // Another receiver may have revoked a token.
      followTokens();
    },
  });
  const queue = shared?.queue ?? writer;
  const services = { feed, changes, metrics, access, ownership, tokens };
  return { ...context, ...store, queue, writer, shared, ...services };
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
