import { setTimeout as pause } from 'node:timers/promises';
import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { identifyBy, type Identify } from '../../api/access.ts';
import { createApi } from '../../api/application.ts';
import { FeedSignal } from '../../api/feed-signal.ts';
import type { Readiness } from '../../api/health.ts';
import type { PolicyServices } from '../../api/services.ts';
import { createConsole } from '../../console/application.ts';
import type { CustodyClient } from '../../custody/client.ts';
import { CommitQueue } from '../../intake/commit-queue.ts';
import { createHooks, type Answer, type HooksEnv } from '../../intake/hooks.ts';
import { PathTokens } from '../../intake/path-token.ts';
import { RefusedBodies } from '../../intake/refused-bodies.ts';
import type { Config } from '../../ops/config.ts';
import type { Lifecycle, SignalSource } from '../../ops/lifecycle.ts';
import type { Logger } from '../../ops/log.ts';
import { checkPolicy } from '../../ops/crediting-policy.ts';
import { Metrics } from '../../ops/metrics.ts';
import { Judging } from '../../reconcile/judging.ts';
import { PublishedNetworks } from '../../reconcile/published-networks.ts';
import { certificateGate } from './certificate.ts';
import { takeExemptions } from './configured-exemptions.ts';
import { startText, takePolicy } from '../crediting/configured-policy.ts';
import { nameWarnings, policyWarnings } from '../crediting/policy-warnings.ts';
import { custodyClientOf } from '../custody/link.ts';
import { checkClock } from '../doctor/clock-check.ts';
import { checkDepths } from '../doctor/custody-check.ts';
import { listen, type Answering, type Listener } from './listener.ts';
import { openStore, type OpenStore } from './open-store.ts';
import { DayCloser } from './day-closer.ts';
import { Reconciler } from './reconciler.ts';
import { logShutdown, shutdownOf } from '../shutdown.ts';

/** Where deliveries arrive, each at its path token. */
const HOOKS = '/hooks';

/**
 * The steps of the shutdown in their order, and each one's share of the 9 s that it takes at most:
 * container runtimes kill after 10 s and more. They take milliseconds; most of the time is kept for
 * what nobody else does again, the last commits and their answers, and for closing the store.
 */
const SHUTDOWN_SHARES_MS = {
  schedule: 200,
  'custody client': 500,
  reconciliation: 800,
  'waiting consumers': 300,
  judging: 200,
  'commit queue': 4_000,
  listener: 1_000,
  connections: 200,
  store: 1_800,
} as const;

/** At the writer: one commit that is under way, and the one that gathers meanwhile. */
const COMMITS_UNDER_WAY = 2;

/** Somebody waits for the warnings about a policy, perhaps in the middle of the night. */
const WARNINGS_MS_MAX = 2_000;

/** At start-up nobody waits for them. */
const START_WARNINGS_MS_MAX = 30_000;

/** What the program is given beside its configuration. */
export interface DaemonContext {
  readonly config: Config;
  readonly log: Logger;
  readonly version: string;
}

/** The daemon, listening. */
export interface RunningDaemon {
  readonly url: string;
  /** Ends in order at SIGTERM or SIGINT. */
  stopOnSignals(source: SignalSource): void;
}

interface Surroundings extends DaemonContext {
  readonly lifecycle: Lifecycle;
}

interface Parts extends Surroundings, OpenStore {
  readonly queue: CommitQueue;
  readonly feed: FeedSignal;
  readonly metrics: Metrics;
  readonly custody: CustodyClient | undefined;
  readonly networks: PublishedNetworks | undefined;
  readonly judging: Judging;
  readonly reconciler: Reconciler;
  readonly closer: DayCloser;
  readonly identify: Identify;
}

/**
 * Starts the daemon: store, then books' policy, then the port, then the schedule. Rejects with
 * `CommandFailed` or `StoreRefused`, whose message says what to do.
 */
export async function startDaemon(context: DaemonContext): Promise<RunningDaemon> {
  const { config, log } = context;
  const lifecycle = shutdownOf({ note: (text) => log.error(text) }, logShutdown(log));
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
    return await startOver(store, { ...context, lifecycle });
  } catch (error) {
    // Its threads would keep a process alive that serves nobody.
    await store.close();
    throw error;
  }
}

async function startOver(store: OpenStore, surroundings: Surroundings): Promise<RunningDaemon> {
  const parts = assemble(store, surroundings);
  const { config, log, reads, reconciler, closer, lifecycle } = parts;
  // Before anything is written: a fact of now would be the newest.
  for (const { check, detail } of await checkClock(reads, Date.now())) log.warn({ check }, detail);
  const told = startText(await takePolicy(config.crediting, parts));
  if (told !== null) log.warn(told);
  await takeExemptions(config.reconcile.exemptions, parts);
  const phase = (): Readiness['phase'] => (lifecycle.stopping ? 'stopping' : 'serving');
  const listener = await listen(config.listen, routes(parts, phase));
  orderShutdown(parts, listener);
  reconciler.start();
  closer.start();
  judgeAnew(parts);
  warnOfPolicy(parts).catch((error: unknown) => {
    // The store is closed under it when the end comes right after the start.
    if (!lifecycle.stopping) log.error({ err: error }, 'the policy could not be looked at');
  });
  log.info({ url: listener.url, store: config.store.kind }, 'listening');
  return { url: listener.url, stopOnSignals: (source) => lifecycle.listen(source) };
}

function assemble(store: OpenStore, surroundings: Surroundings): Parts {
  const { config, log } = surroundings;
  const { ledger, reads } = store;
  const now = (): number => Date.now();
  const metrics = new Metrics({ now, process: true });
  const feed = new FeedSignal({
    hasItemsAfter: async (seq) => (await reads.credits(seq, 1)).length > 0,
    onBug: (error) => log.error({ err: error }, 'the credit feed could not be looked at'),
  });
  ledger.observe((commit) => {
    metrics.commit(commit);
    feed.announce();
  });
  const { batchMax, queueMax } = config.intake;
  const underWayMax = COMMITS_UNDER_WAY * batchMax;
  const onFailure = (cause: string | null): void => tellOfStore(log, cause);
  const queue = new CommitQueue({ ledger, batchMax, queueMax, underWayMax, onFailure });
  const custody =
    config.custody === undefined
      ? undefined
      : custodyClientOf(config.custody, (attempt) => metrics.custodyAttempt(attempt));
  const networks = custody && new PublishedNetworks({ custody, now });
  const reconciler = new Reconciler({
    config,
    reads,
    queue,
    custody,
    networks,
    metrics,
    log,
    now,
  });
  const reconcile = (): Promise<unknown> => reconciler.runNow();
  const closer = new DayCloser({ config, reads, queue, custody, metrics, log, now, reconcile });
  const judging = new Judging({ reads, submit: (fact) => queue.submit(fact), now, pause });
  const identify = identifyBy(config.api.tokens);
  const services = { metrics, custody, networks, judging, reconciler, closer, identify };
  return { ...surroundings, ...store, queue, feed, ...services };
}

function tellOfStore(log: Logger, cause: string | null): void {
  if (cause === null) log.info('the store takes facts again');
  else log.error({ cause }, 'the store takes nothing: senders are told to try again');
}

/** What an earlier run of the daemon, or a commit of a change, left to be judged by the policy. */
function judgeAnew({ judging, log }: Parts): void {
  judging.begin().catch((error: unknown) => {
    log.error({ err: error }, 'deposits could not be judged by the policy');
  });
}

/** What the custody API publishes, or null where it cannot be asked within a time. */
async function publishedNow(networks: PublishedNetworks | undefined, msMax: number) {
  const asked = await networks?.read({ priority: 'inactive', deadlineMs: Date.now() + msMax });
  return asked?.networks ?? null;
}

/** The routes of the policy, beside the store. */
function policyServices(parts: Parts): PolicyServices {
  const { reads, networks } = parts;
  return {
    check: checkPolicy,
    warnings: async (policy) => {
      const published = await publishedNow(networks, WARNINGS_MS_MAX);
      return policyWarnings(policy, { reads, published });
    },
    changed: () => judgeAnew(parts),
  };
}

/** Intake alone: what API and console have in front of their routes is no business of a delivery. */
function intake({ config, log, queue, metrics }: Parts): Hono<HooksEnv> {
  const gate = certificateGate(config.intake.clientCertificate);
  const hooks = createHooks({
    tokens: new PathTokens(config.intake.pathTokens),
    bodyBytesMax: config.intake.maxBodyBytes,
    submit: (submission) => queue.submit(submission),
    refused: new RefusedBodies(config.intake.malformedPerHourMax),
    now: () => Date.now(),
    observe: (answer) => countAnswer(metrics, answer),
    ...(gate === undefined ? {} : { certificateAccepted: gate }),
  });
  return answeringBugs(new Hono<HooksEnv>().route(HOOKS, hooks), bugsTo(log));
}

function bugsTo(log: Logger): (error: unknown) => void {
  return (error) => log.error({ err: error }, 'a request failed');
}

function answeringBugs<Env extends object>(
  app: Hono<Env>,
  onBug: (error: unknown) => void,
): Hono<Env> {
  return app.onError((error, context) => {
    onBug(error);
    return context.text('This is a defect, and it was logged: try again.', 500);
  });
}

/** Every route of the daemon. */
function routes(parts: Parts, phase: () => Readiness['phase']): Answering {
  const hooks = intake(parts);
  const others = application(parts, phase);
  return (request, env) =>
    getPath(request).startsWith(`${HOOKS}/`) ? hooks.fetch(request, env) : others.fetch(request);
}

function application(parts: Parts, phase: () => Readiness['phase']): Hono {
  const { config, log, queue, reads, feed, identify, version, reconciler, closer } = parts;
  const onBug = bugsTo(log);
  const app = answeringBugs(new Hono(), onBug);
  app.route(
    '/',
    createConsole({
      reads,
      document: reads.document,
      access: config.console.public ? { kind: 'public' } : { kind: 'token', identify },
      secureCookie: config.console.secureCookie ?? config.listen.tls !== undefined,
      now: () => Date.now(),
    }),
  );
  app.route(
    '/',
    createApi({
      reads,
      document: reads.document,
      alive: () => reads.alive,
      feed,
      policy: policyServices(parts),
      identify,
      version,
      onBug,
      submit: (fact) => queue.submit(fact),
      now: () => Date.now(),
      reconcile: () => reconciler.runNow(),
      close: (day) => closer.closeNow(day),
      readiness: () => readinessOf(parts, phase()),
      metrics: () => metricsText(parts),
    }),
  );
  return app;
}

/** Statuses of the answers that are refusals. */
const REFUSAL_STATUS = {
  too_large: 413,
  unknown_token: 404,
  wrong_method: 405,
  certificate_refused: 403,
  busy: 503,
} as const;

function countAnswer(metrics: Metrics, answer: Answer): void {
  switch (answer) {
    case 'accepted':
    case 'duplicate':
    case 'quarantined':
    case 'malformed':
      metrics.notification(answer);
      return;
    case 'too_large':
    case 'unknown_token':
    case 'wrong_method':
    case 'certificate_refused':
    case 'busy':
      metrics.refusal(REFUSAL_STATUS[answer]);
      return;
    default:
      answer satisfies never;
  }
}

function custodyReadiness(custody: CustodyClient): Readiness['custody'] {
  const { kind, ...detail } = custody.circuit();
  return { circuit: kind, ...detail, requests: custody.budgetUsed() };
}

/** Says at start-up which names of the policy look misspelt and which depths webhooks will not show. */
async function warnOfPolicy({ networks, reads, log }: Parts): Promise<void> {
  const held = await reads.policy();
  if (held === undefined) return;
  const published = await publishedNow(networks, START_WARNINGS_MS_MAX);
  for (const text of await nameWarnings(held.policy, { reads, published })) {
    log.warn({ check: 'crediting policy' }, text);
  }
  if (networks !== undefined && published === null) {
    const text = 'the networks and their depths could not be read: `counterfoil doctor` says why';
    log.warn({ check: 'custody API' }, text);
  }
  const diagnoses = checkDepths(held.policy, published ?? [], new Map());
  for (const { check, detail } of diagnoses.filter((one) => one.status !== 'ok')) {
    log.warn({ check }, detail);
  }
}

function readinessOf({ queue, custody, config }: Parts, phase: Readiness['phase']): Readiness {
  return {
    phase,
    store: queue.lastFailure === null ? 'writable' : 'unavailable',
    custody: custody === undefined ? null : custodyReadiness(custody),
    queue: { waiting: queue.waiting, limit: config.intake.queueMax },
  };
}

async function metricsText({ reads, queue, custody, metrics }: Parts): Promise<string> {
  const counts = await reads.counts();
  const { confirming = 0, verifying = 0 } = counts.deposits;
  metrics.queueDepth(queue.waiting);
  metrics.journalHead(counts.journalHead);
  metrics.waitingDeposits(confirming + verifying);
  metrics.breaksOpen(counts.breaks.byType);
  if (custody !== undefined) {
    metrics.circuit(custody.circuit().kind);
    metrics.budgetUsed(custody.budgetUsed());
  }
  return (await metrics.page()).text;
}

/** Registered first, stopped last: new work is refused, what was taken is committed, then the store closes. */
function orderShutdown(parts: Parts, listener: Listener): void {
  const { lifecycle, reconciler, closer, judging, feed, queue, custody } = parts;
  const step = (name: keyof typeof SHUTDOWN_SHARES_MS, run: () => Promise<void> | void): void =>
    lifecycle.onShutdown({ name, shareMs: SHUTDOWN_SHARES_MS[name], run });
  step('store', () => parts.close());
  step('connections', () => listener.cut());
  step('listener', () => listener.close());
  step('commit queue', () => queue.close());
  step('judging', () => judging.stop());
  step('waiting consumers', () => feed.close());
  step('reconciliation', async () => {
    await reconciler.idle();
    await closer.idle();
  });
  // A run that waits for a slow API ends when its requests are broken off.
  step('custody client', () => custody?.close());
  step('schedule', () => {
    reconciler.stopSchedule();
    closer.stopSchedule();
  });
}
