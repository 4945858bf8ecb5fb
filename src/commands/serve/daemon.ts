import type { Readiness } from '../../api/health.ts';
import type { SignalSource } from '../../ops/lifecycle.ts';
import { startText, takePolicy } from '../crediting/configured-policy.ts';
import { checkClock } from '../doctor/clock-check.ts';
import { logShutdown, shutdownOf } from '../shutdown.ts';
import { takeExemptions } from './configured-exemptions.ts';
import { listen, type Listener } from './listener.ts';
import { openStore, type OpenStore } from './open-store.ts';
import { assemble, judgeAnew, type DaemonContext, type Parts, type Surroundings } from './parts.ts';
import { RefusedSenders } from './refused-senders.ts';
import { routes } from './routes.ts';
import { warnOfNames } from './start-warnings.ts';

/**
 * The steps of the shutdown in their order, and each one's share of the 9 s that it takes at most:
 * container runtimes kill after 10 s and more. They take milliseconds; most of the time is kept for
 * what nobody else does again, the last commits and their answers, and for closing the store.
 */
const SHUTDOWN_SHARES_MS = {
  schedule: 200,
  'custody client': 500,
  reconciliation: 500,
  'waiting consumers': 300,
  judging: 200,
  verifier: 300,
  'commit queue': 4_000,
  listener: 1_000,
  connections: 200,
  store: 1_800,
} as const;

/** The daemon, listening. */
export interface RunningDaemon {
  readonly url: string;
}

/**
 * Starts the daemon: store, then books' policy, then the port, then the schedule. A SIGTERM or
 * SIGINT on the way ends the process at once, and later in order. Rejects with `CommandFailed` or
 * `StoreRefused`, whose message says what to do.
 */
export async function startDaemon(
  context: DaemonContext & { readonly signals: SignalSource },
): Promise<RunningDaemon> {
  const { config, log, signals } = context;
  const lifecycle = shutdownOf({ note: (text) => log.error(text) }, logShutdown(log));
  // Before the store is opened, which takes long when it is large. What is not in order by then is
  // what a crash would leave, and the next start copes with it.
  lifecycle.listen(signals);
  const store = await openStore({
    path: config.store.path,
    batchMax: config.intake.batchMax,
    onLost: (error) => {
      log.fatal({ err: error }, 'a thread that works on the store has ended: so does the daemon');
      void lifecycle.abandon();
    },
    onOpening: (space, part) => {
      const percent = Math.floor(part * 100);
      log.info({ keys: space, percent }, 'opening the store: its keys are read into memory');
    },
  });
  try {
    return await startOn(store, { ...context, lifecycle });
  } catch (error) {
    // Its threads would keep a process alive that serves nobody.
    await store.close();
    throw error;
  }
}

async function startOn(store: OpenStore, surroundings: Surroundings): Promise<RunningDaemon> {
  const parts = assemble(store, surroundings);
  const { config, log, reads, reconciler, closer, lifecycle } = parts;
  // Before anything is written: a fact of now would be the newest.
  for (const { check, detail } of await checkClock(reads, Date.now())) log.warn({ check }, detail);
  const told = startText(await takePolicy(config.crediting, parts));
  if (told !== null) log.warn(told);
  await takeExemptions(config.reconcile.exemptions, parts);
  const phase = (): Readiness['phase'] => (lifecycle.stopping ? 'stopping' : 'serving');
  const senders = new RefusedSenders({ log, now: () => performance.now() });
  const listener = await listen(config.listen, routes(parts, phase, senders), (cause) =>
    senders.connection(cause),
  );
  orderShutdown(parts, listener);
  reconciler.start();
  parts.verifying?.start();
  closer.start();
  judgeAnew(parts);
  warnOfNames(parts).catch((error: unknown) => {
    // The store is closed under it when the end comes right after the start.
    if (!lifecycle.stopping)
      log.error({ err: error }, 'the policy and the exemption rules could not be looked at');
  });
  log.info({ url: listener.url, store: config.store.kind }, 'listening');
  return { url: listener.url };
}

/** Registered first, stopped last: new work is refused, what was taken is committed, then the store closes. */
function orderShutdown(parts: Parts, listener: Listener): void {
  const { lifecycle, reconciler, closer, judging, verifying, feed, queue, custody } = parts;
  const step = (name: keyof typeof SHUTDOWN_SHARES_MS, run: () => Promise<void> | void): void =>
    lifecycle.onShutdown({ name, shareMs: SHUTDOWN_SHARES_MS[name], run });
  step('store', () => parts.close());
  step('connections', () => listener.cut());
  step('listener', () => listener.close());
  step('commit queue', () => queue.close());
  step('judging', () => judging.stop());
  step('verifier', () => verifying?.stop());
  step('waiting consumers', () => feed.close());
  step('reconciliation', async () => {
    await reconciler.idle();
    await closer.idle();
  });
  // A run that waits for a slow API ends when its requests are broken off.
  step('custody client', () => custody?.close());
  step('schedule', () => {
    reconciler.stopSchedule();
    closer.stop();
  });
}
