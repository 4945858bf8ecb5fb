import type { Readiness } from '../api/health.ts';
import type { SignalSource } from '../ops/lifecycle.ts';
import { logShutdown, shutdownOf } from './process/shutdown.ts';
import { tryAddresses } from './listening/bind.ts';
import { openListeners, type Listeners } from './listening/listeners.ts';
import { openStore, type OpenStore } from './start/open-store.ts';
import { assemble, type DaemonContext, type Parts, type AssemblyContext } from './parts.ts';
import type { SharedJournalOptions } from './writing/messages.ts';
import type { DutyStep } from './receivers/duties.ts';
import { takeTokens, warnOfSharedNames } from './start/run-time-tokens.ts';
import { Reloading, type ConfigSource } from './start/reloading.ts';
import { CertificateGate } from './senders/certificate-gate.ts';
import { RefusedSenders } from './senders/refused-senders.ts';
import { routes } from './routes.ts';

/**
 * Shutdown steps in order, each with its share of at most 9 s: container runtimes kill after 10 s.
 * Steps usually take milliseconds. The last commits with their answers and the closing of the store
 * get most of the time, because nothing repeats them.
 */
const SHUTDOWN_SHARES_MS = {
  schedule: 200,
  'custody client': 500,
  reconciliation: 500,
  'waiting consumers': 300,
  reevaluation: 200,
  verifier: 300,
  'commit queue': 4_000,
  listener: 1_000,
  connections: 200,
  store: 1_800,
} as const;

/**
 * With several receivers, the ownership is handed over before the listener closes. The duties may
 * wait for a commit, and that for a standby: an answer of the journal takes 4 s at most.
 */
const SHARED_SHUTDOWN_SHARES_MS = {
  ...SHUTDOWN_SHARES_MS,
  reconciliation: 4_000,
  'hand-over': 900,
  listener: 1_200,
  'commit queue': 300,
  store: 900,
} as const;

/**
 * How long the connections of other receivers stay open at the end: they see the next owner after some
 * 0.3 s. A fact that meets a closed connection has no known outcome.
 */
const FOLLOWERS_LEAVE_MS = 400;

/** The daemon, listening. */
export interface RunningDaemon {
  /** Where deliveries arrive. */
  readonly url: string;
  /** Where API and console are; the same without `admin`. */
  readonly adminUrl: string;
}

/**
 * Starts the daemon: store, policy, port, schedule. During the start SIGTERM or SIGINT ends the
 * process at once; later they shut it down in order. Rejects with `CommandFailed` or `StoreRefused`,
 * whose messages say what to do.
 */
export async function startDaemon(
  context: DaemonContext & { readonly signals: SignalSource; readonly source: ConfigSource },
): Promise<RunningDaemon> {
  const { config, log, signals, source } = context;
  const lifecycle = shutdownOf({ note: (text) => log.error(text) }, logShutdown(log));
  // Before the store opens, which takes long when it is large. An interrupted start leaves what a
  // crash would leave, and the next start recovers.
  lifecycle.listen(signals);
  const reloading = new Reloading({ config, source, log });
  signals.on('SIGHUP', () => reloading.request());
  await tryAddresses(config);
  const store = await openStore({
    path: config.store.path,
    batchMax: config.intake.batchMax,
    queueMax: config.intake.queueMax,
    shared: sharedJournalOf(context),
    onLost: (error) => {
      log.fatal({ err: error }, 'A worker thread stopped; the daemon exits.');
      void lifecycle.abandon();
    },
  });
  try {
    return await startOn(store, { ...context, lifecycle }, reloading);
  } catch (error) {
    // The store's threads would keep the process alive.
    await store.close();
    throw error;
  }
}

/** The journal that the store replicates; null with SQLite. */
function sharedJournalOf({ config, version }: DaemonContext): SharedJournalOptions | null {
  const { store, receiver } = config;
  if (store.kind === 'sqlite' || receiver === undefined) return null;
  const { name, url, leaseSeconds, standby } = receiver;
  return { databaseUrl: store.url, name, url, version, leaseSeconds, standby };
}

async function startOn(
  store: OpenStore,
  context: AssemblyContext,
  reloading: Reloading,
): Promise<RunningDaemon> {
  const parts = assemble(store, context);
  const { config, log, ownership, writer, shared, lifecycle } = parts;
  // Several receivers: the one that becomes the owner begins its duties then.
  if (shared === null) await ownership.begin();
  await takeTokens(parts);
  warnOfSharedNames(parts);
  const phase = (): Readiness['phase'] => (lifecycle.stopping ? 'stopping' : 'serving');
  const refused = new RefusedSenders({ log, now: () => performance.now() });
  const gate = gateOf(parts, refused);
  const answering = routes(parts, phase, { gate, refused });
  const listeners = await openListeners(config, answering, refused);
  orderShutdown(parts, listeners, reloading);
  reloading.begin((next) => {
    const takes = [listeners.prepare(next), gate.prepare(next.intake.clientCertificate)];
    return () => {
      for (const take of takes) take();
      listeners.drop((connection) => gate.refusesConnection(connection));
    };
  });
  if (shared === null) ownership.start();
  else writer.begin();
  const { url, adminUrl } = listeners;
  log.info({ url, adminUrl, store: config.store.kind }, 'listening');
  return { url, adminUrl };
}

/** Judges client certificates by the configuration; counts and logs refusals. */
function gateOf({ config, metrics }: Parts, senders: RefusedSenders): CertificateGate {
  const gate = new CertificateGate({
    now: () => Date.now(),
    onRefused: (refused) => {
      metrics.intake.certificateRefusal(refused.reason);
      senders.certificate(refused);
    },
    onIgnored: (header) => senders.ignored(header),
  });
  gate.prepare(config.intake.clientCertificate)();
  return gate;
}

/** Steps stop in reverse order of registration: refuse new work, commit accepted work, close the store. */
function orderShutdown(parts: Parts, listeners: Listeners, reloading: Reloading): void {
  const { lifecycle, ownership, changes, feed, queue, shared } = parts;
  const shares =
    shared === null ? { ...SHUTDOWN_SHARES_MS, 'hand-over': 0 } : SHARED_SHUTDOWN_SHARES_MS;
  const step = (name: keyof typeof shares, run: () => Promise<void> | void): void =>
    lifecycle.onShutdown({ name, shareMs: shares[name], run });
  const duty = (name: DutyStep): void => {
    const run = (): Promise<void> => ownership.stop(name);
    lifecycle.onShutdown({ name, shareMs: shares[name], losesNothing: true, run });
  };
  step('store', () => parts.close());
  step('connections', () => listeners.cut());
  if (shared === null) {
    step('listener', () => listeners.close());
    step('commit queue', () => queue.close());
  } else {
    step('commit queue', async () => {
      await queue.close();
      await shared.end();
    });
    // Until the listener is closed, facts go to the next owner: the hand-over refuses none.
    step('listener', () => {
      shared.queue.hurry();
      return listeners.close(FOLLOWERS_LEAVE_MS);
    });
    step('hand-over', () => shared.resign());
  }
  duty('reevaluation');
  duty('verifier');
  step('waiting consumers', () => {
    changes.close();
    return feed.close();
  });
  duty('reconciliation');
  duty('custody client');
  step('schedule', () => {
    reloading.stop();
    listeners.retire();
    // Duties that began after these steps would run until the hand-over.
    shared?.receiver.beginNoDuties();
    return ownership.stop('schedule');
  });
}
