import type { Readiness } from '../api/health.ts';
import type { SignalSource } from '../ops/lifecycle.ts';
import { startText, takePolicy } from './start/configured-policy.ts';
import { checkClock } from './checks/clock-check.ts';
import { logShutdown, shutdownOf } from './process/shutdown.ts';
import { takeExemptions } from './start/configured-exemptions.ts';
import { openListeners, type Listeners } from './listening/listeners.ts';
import { openStore, type OpenStore } from './start/open-store.ts';
import {
  assemble,
  reevaluateDeposits,
  type DaemonContext,
  type Parts,
  type Surroundings,
} from './parts.ts';
import { Reloading, type ConfigSource } from './start/reloading.ts';
import { CertificateGate } from './senders/certificate-gate.ts';
import { RefusedSenders } from './senders/refused-senders.ts';
import { routes } from './routes.ts';
import { warnOfNames } from './start/startup-warnings.ts';

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
  const store = await openStore({
    path: config.store.path,
    batchMax: config.intake.batchMax,
    queueMax: config.intake.queueMax,
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

async function startOn(
  store: OpenStore,
  surroundings: Surroundings,
  reloading: Reloading,
): Promise<RunningDaemon> {
  const parts = assemble(store, surroundings);
  const { config, log, reads, reconciler, closer, lifecycle } = parts;
  // Check before the first write: a new fact would become the newest.
  for (const { check, detail } of await checkClock(reads, Date.now())) log.warn({ check }, detail);
  const policyText = startText(await takePolicy(config.crediting, parts));
  if (policyText !== null) log.warn(policyText);
  await takeExemptions(config.reconcile.exemptions, parts);
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
  reconciler.start();
  parts.verifying?.start();
  closer.start();
  reevaluateDeposits(parts);
  warnOfNames(parts).catch((error: unknown) => {
    // The store may close meanwhile when the shutdown follows the start.
    if (!lifecycle.stopping)
      log.error({ err: error }, 'checking the names in the policy and the exemption rules failed');
  });
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
  const { lifecycle, reconciler, closer, reevaluation, verifying } = parts;
  const { changes, feed, queue, custody } = parts;
  const step = (name: keyof typeof SHUTDOWN_SHARES_MS, run: () => Promise<void> | void): void =>
    lifecycle.onShutdown({ name, shareMs: SHUTDOWN_SHARES_MS[name], run });
  step('store', () => parts.close());
  step('connections', () => listeners.cut());
  step('listener', () => listeners.close());
  step('commit queue', () => queue.close());
  step('reevaluation', () => reevaluation.stop());
  step('verifier', () => verifying?.stop());
  step('waiting consumers', () => {
    changes.close();
    return feed.close();
  });
  step('reconciliation', async () => {
    await reconciler.idle();
    await closer.idle();
  });
  // Abort requests, so that a run which waits for a slow API ends.
  step('custody client', () => custody?.close());
  step('schedule', () => {
    reconciler.stopSchedule();
    closer.stop();
    reloading.stop();
  });
}
