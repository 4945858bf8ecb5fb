import { setTimeout as pause } from 'node:timers/promises';
import type { Hono } from 'hono';
import type { IncomingMessage } from 'node:http';
import type { ReplicaServices } from '../../api/services.ts';
import type { Changes } from '../../console/live/changes.ts';
import type { FeedSignal } from '../../api/exchange/feed-signal.ts';
import { decode } from '../../intake/decode.ts';
import type { Config } from '../../ops/config/config.ts';
import type { ReceiverConfig } from '../../ops/config/shared-store.ts';
import type { Logger } from '../../ops/log.ts';
import type { ReceiverMetrics } from '../../ops/metrics/receiver-metrics.ts';
import type { JournalState } from '../../store/replicated/journal-state.ts';
import type { Role } from '../../store/replicated/role.ts';
import type { Owner } from '../../store/replicated/shared-journal.ts';
import { readCertificates } from '../listening/tls-files.ts';
import type { OpenStore } from '../start/open-store.ts';
import { JournalWatch } from './journal-watch.ts';
import { OwnerClient } from './owner-client.ts';
import { OwnerWatch } from './owner-watch.ts';
import type { Ownership } from './ownership.ts';
import { ReceiverQueue } from './receiver-queue.ts';
import { receiverRoutes } from './receiver-routes.ts';
import { Receiver } from './receiver.ts';
import { ReplicaPosition } from './replica-position.ts';

/** A silent journal must not hold up the end: the lease ends by itself. */
const RESIGN_MS_MAX = 800;

/** How long a consumer of the feed waits for a replica that lags. */
const CATCH_UP_MS = 5_000;

const clock = (): number => performance.now();

/** The parts of a receiver that shares its journal with others. */
export interface SharedParts {
  readonly name: string;
  readonly receiver: Receiver;
  readonly queue: ReceiverQueue;
  readonly applied: ReplicaPosition;
  readonly replica: ReplicaServices;
  readonly ownerWatch: OwnerWatch;
  readonly journalWatch: JournalWatch;
  /** What this receiver takes from others. */
  readonly routes: Hono<{ Bindings: { incoming?: IncomingMessage } }>;
  /** Receives the writer's events. */
  role(role: Role): void;
  grown(position: number): void;
  journal(state: JournalState | null): void;
  /** Ends the duties and the ownership; another receiver takes over. Waits 0.8 s at most. */
  resign(): Promise<void>;
  end(): Promise<void>;
}

interface ReceiverContext extends OpenStore {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: ReceiverMetrics;
  readonly ownership: Ownership;
  readonly feed: FeedSignal;
  readonly changes: Changes;
}

/** Connects a receiver's parts; null with SQLite, whose one receiver is always the owner. */
export function sharedParts(context: ReceiverContext): SharedParts | null {
  const { config, log, metrics, ownership, reads, feed, changes } = context;
  if (config.receiver === undefined) return null;
  const { name, url, secret, standby, leaseSeconds } = config.receiver;
  const writer = context.queue;
  const now = (): number => Date.now();
  metrics.begin();
  const applied = new ReplicaPosition();
  const client = new OwnerClient({ name, secret, ca: authorityIn(config.receiver), now });
  const queue = new ReceiverQueue({
    local: writer,
    hand: (owner, facts) => client.hand(owner, facts),
    applied,
    queueMax: config.intake.queueMax,
    observe: (result) => metrics.forwarded(result),
  });
  const ownerWatch = new OwnerWatch({
    client,
    clock,
    log,
    observe: (isShutOut) => metrics.shutOut(isShutOut),
  });
  const journalWatch = new JournalWatch({ log, metrics, name, isRequired: standby === 'required' });
  const receiver = new Receiver({ url, clock, ownership, queue, client, applied, reads, log });
  const routes = receiverRoutes({
    secret,
    bodyBytesMax: config.intake.maxBodyBytes,
    epoch: () => receiver.epoch,
    services: () => ownership.duties,
    submit: (fact) => writer.submit(fact),
    decode,
    position: () => applied.position,
    now,
    observe: (why) => metrics.refusal(why),
  });
  return {
    name,
    receiver,
    queue,
    applied,
    replica: replicaOf(receiver, leaseSeconds),
    ownerWatch,
    journalWatch,
    routes,
    role: (role) => {
      metrics.role(role.kind);
      const epoch = epochOf(role);
      if (epoch !== null) metrics.epoch(epoch);
      receiver.take(role);
      ownerWatch.follow(receiver.nameTaken === null ? ownerOf(role) : null);
    },
    grown: (position) => {
      metrics.position(position);
      applied.reach(position);
      // The owner's own commits announce more exactly.
      if (receiver.role?.kind === 'owner') return;
      feed.announce();
      changes.everything();
    },
    journal: (state) => journalWatch.take(state),
    // Duties that began just now may wait for a commit. The next owner need not wait for them.
    resign: () => resigned(Promise.all([receiver.end(), writer.resign()]), log),
    end: () => {
      ownerWatch.end();
      return client.end();
    },
  };
}

/** The authority of the other receivers' certificates, PEM; null when none is named. */
function authorityIn({ caFile }: ReceiverConfig): string | null {
  return caFile === undefined ? null : readCertificates(caFile).text;
}

function replicaOf(receiver: Receiver, leaseSeconds: number): ReplicaServices {
  return {
    // An owner that slept has lost or renewed its lease by then, and knows.
    catchUpMsMax: Math.max(CATCH_UP_MS, leaseSeconds * 1_000 + CATCH_UP_MS / 2),
    isLevel: () => receiver.isLevel(),
  };
}

/** Resolves when the ownership has ended, or when the journal is too slow for that. */
async function resigned(resignation: Promise<unknown>, log: Logger): Promise<void> {
  const late = pause(RESIGN_MS_MAX, 'late' as const, { ref: false });
  if ((await Promise.race([resignation, late])) !== 'late') return;
  log.warn('the journal does not answer; its next owner waits for the lease to end');
}

/** The owner to whom a follower hands facts. */
function ownerOf(role: Role): Owner | null {
  return role.kind === 'follower' && role.owner?.isLeased === true ? role.owner : null;
}

/** The epoch of a role, as far as it is known. */
export function epochOf(role: Role | null): number | null {
  if (role?.kind === 'owner') return role.epoch;
  return role?.kind === 'follower' ? (role.owner?.epoch ?? null) : null;
}
