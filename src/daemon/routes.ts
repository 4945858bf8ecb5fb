import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { getPath } from 'hono/utils/url';
import { actingOn } from '../api/acting.ts';
import { createApi } from '../api/application.ts';
import { isCutOff, type Incoming } from '../api/cut-off.ts';
import type { Readiness } from '../api/health.ts';
import type { PolicyServices, SettingsAnswer } from '../api/services.ts';
import { SignedInPeople } from '../api/people/signed-in-people.ts';
import { takeTokens } from './start/run-time-tokens.ts';
import { SessionFile } from '../console/session/session-file.ts';
import { createConsole } from '../console/application.ts';
import { accessNotice } from '../custody/access.ts';
import type { FactQueue } from '../intake/fact-queue.ts';
import { BodyMemory } from '../intake/body-memory.ts';
import { createHooks, noSuchPath, type Answer, type HooksEnv } from '../intake/hooks.ts';
import { PathTokens } from '../intake/path-token.ts';
import { RefusedBodies } from '../intake/refused-bodies.ts';
import { checkPolicy } from '../ops/config/crediting-policy.ts';
import { checkExemption } from '../ops/config/exemptions.ts';
import type { Config } from '../ops/config/config.ts';
import { shownConfig } from '../ops/config/shown-config.ts';
import type { Logger } from '../ops/log.ts';
import type { IntakeMetrics } from '../ops/metrics/intake-metrics.ts';
import { closableAt } from '../reconcile/close/closable.ts';
import { CloseCalendar } from '../reconcile/close/calendar.ts';
import { ReadRefused } from '../store/reads.ts';
import { cachedServerChecks } from './checks/cached-checks.ts';
import { checkRunning, type Running } from './checks/running-check.ts';
import { policyWarnings } from './start/policy-warnings.ts';
import { signInProvider } from './start/sign-in-provider.ts';
import { publishedNow } from './custody/published-networks.ts';
import { custodyReadiness } from './custody/access-log.ts';
import type { CertificateGate } from './senders/certificate-gate.ts';
import type { Answering } from './listening/listener.ts';
import type { Parts } from './parts.ts';
import type { Duties } from './receivers/duties.ts';
import { receiverState } from './receivers/receiver-state.ts';
import { refuseUnfit } from './receivers/refuse-unfit.ts';
import type { SharedParts } from './receivers/shared-parts.ts';
import type { RefusedSenders } from './senders/refused-senders.ts';

/** Prefix of the webhook routes; the path token follows. */
const HOOKS = '/hooks';

/** `Retry-After` of the console, in seconds. */
const RETRY_AFTER_SECONDS = '5';

/** Time limit for policy warnings: a person waits for them. */
const WARNINGS_MS_MAX = 2_000;

interface IntakeParts extends Pick<Parts, 'log' | 'metrics'> {
  readonly intake: Config['intake'];
  readonly queue: Pick<FactQueue, 'submit'>;
}

/** Judges and logs senders. */
export interface Senders {
  readonly gate: Pick<CertificateGate, 'accepts'>;
  readonly refused: RefusedSenders;
}

/** The intake's routes, without the middleware of API and console. */
export function intakeRoutes(
  { intake, log, queue, metrics }: IntakeParts,
  { gate, refused }: Senders,
): Hono<HooksEnv> {
  const observe = (answer: Answer): void => {
    countAnswer(metrics.intake, answer);
    if (answer === 'unknown_token') refused.token();
    if (answer === 'busy') refused.busy();
  };
  const hooks = createHooks({
    tokens: new PathTokens(intake.pathTokens),
    bodyBytesMax: intake.maxBodyBytes,
    memory: new BodyMemory(),
    submit: (submission) => queue.submit(submission),
    refused: new RefusedBodies(intake.malformedPerHourMax),
    now: () => Date.now(),
    certificateAccepted: (request) => gate.accepts(request),
    observe,
  });
  const app = new Hono<HooksEnv>().route(HOOKS, hooks);
  app.notFound((context) => noSuchPath(context, { observe }));
  const onBug = bugsTo(log);
  return answeringBugs(app, (error) => {
    metrics.intake.refusal(500);
    onBug(error);
  });
}

function bugsTo(log: Logger): (error: unknown) => void {
  return (error) => log.error({ err: error }, 'a request failed');
}

function answeringBugs<Env extends { Bindings?: Incoming }>(
  app: Hono<Env>,
  onBug: (error: unknown) => void,
): Hono<Env> {
  return app.onError((error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof ReadRefused) {
      return context.text(error.message, 503, { 'retry-after': RETRY_AFTER_SECONDS });
    }
    if (isCutOff(context.env)) return context.text('The connection ended before the body.', 400);
    onBug(error);
    return context.text('This is a defect, and it was logged: try again.', 500);
  });
}

/** The daemon's routes, for one listener or for two. */
export interface Routes {
  readonly all: Answering;
  readonly deliveries: Answering;
  readonly others: Answering;
}

/** Connects the daemon's routes with its parts. `phase`: the daemon's state for `/readyz`. */
export function routes(parts: Parts, phase: () => Readiness['phase'], senders: Senders): Routes {
  const hooks = intakeRoutes({ ...parts, intake: parts.config.intake }, senders);
  const others = application(parts, phase);
  const unknown = nowhere(() => parts.metrics.intake.refusal(404));
  const misplaced = nowhere(() => undefined);
  const split =
    (deliveries: Answering, rest: Answering): Answering =>
    (request, env) =>
      isDelivery(request) ? deliveries(request, env) : rest(request, env);
  return {
    all: split(hooks.fetch, others.fetch),
    deliveries: split(hooks.fetch, unknown),
    others: split(misplaced, others.fetch),
  };
}

/**
 * Matches the prefix anywhere in the path: other routes repeat the path in answers, and such a path
 * may hold a token.
 */
function isDelivery(request: Request): boolean {
  return getPath(request).includes(`${HOOKS}/`);
}

/** Answers 404 to everything. */
function nowhere(observe: () => void): Answering {
  return new Hono().all('*', (context) => noSuchPath(context, { observe })).fetch;
}

function application(parts: Parts, phase: () => Readiness['phase']): Hono {
  const { config, log, queue, reads, feed, access, tokens, version, shared } = parts;
  const onBug = bugsTo(log);
  const app = answeringBugs(new Hono(), onBug);
  app.use(
    '*',
    refuseUnfit(() => shared?.receiver.showsNothing ?? null),
  );
  const { timezone, close: pattern } = config.reconcile;
  const calendar = new CloseCalendar({ timezone, pattern });
  const people = new SignedInPeople();
  const others = cachedServerChecks(config);
  const api = createApi({
    reads,
    document: reads.document,
    alive: () => reads.alive,
    feed,
    ...(shared === null ? {} : { replica: shared.replica }),
    policy: policyServices(parts),
    checkExemption,
    settings: () => settingsOf(parts, { phase: phase(), others }),
    access: { tokens, people, changed: () => takeTokens(parts) },
    version,
    onBug,
    submit: (fact) => queue.submit(fact),
    now: () => Date.now(),
    reconcile: () => callsOf(parts).reconcile(),
    close: (day) => callsOf(parts).close(day),
    closable: (day) => closableAt(day, Date.now(), { reads, calendar }),
    readiness: () => readinessOf(parts, phase()),
    metrics: () => metricsText(parts),
  });
  const pages = createConsole({
    reads,
    document: reads.document,
    table: reads.table,
    access: {
      kind: config.console.public ? 'public' : 'token',
      identify: tokens.identify,
      callerOf: tokens.callerOf,
      people,
      sessionFile: sessionFileOf(parts),
      provider: signInProvider(config),
    },
    acting: actingOn(api),
    changes: parts.changes,
    secure: config.console.secureCookie ?? (config.admin ?? config.listen).tls !== undefined,
    idleMsMax: config.console.idleMinutes * 60_000,
    now: () => Date.now(),
    timezone,
    overdueFrom: (first) => calendar.overdueFrom(first, Date.now()),
    nextDueAt: (firstAt) => calendar.nextDueAt(Date.now(), firstAt),
    status: () => {
      const { store, custody, receiver, queue: intake } = readinessOf(parts, phase());
      return {
        notices: [...accessNotice(access.state()), ...(receiver?.warnings ?? [])],
        creditLatency: parts.ownership.duties?.verifying?.now() ?? null,
        store,
        receiver: receiver ?? null,
        receivers: shared?.journalWatch.receivers ?? [],
        custody,
        queue: { queued: intake.waiting, limit: intake.limit },
        countedFromMs: parts.metrics.intake.minutes.beganMs,
        perMinute: parts.metrics.intake.minutes.lastHour(),
      };
    },
  });
  if (shared !== null) app.route('/receivers', shared.routes);
  return app.route('/', pages).route('/', api);
}

/** Sessions beside the store; a store in memory keeps none. */
function sessionFileOf({ config, log }: Pick<Parts, 'config' | 'log'>): SessionFile | undefined {
  const { path } = config.store;
  if (path === ':memory:') return undefined;
  return new SessionFile({
    path: `${path}.sessions`,
    onFailure: (error) =>
      log.warn({ err: error }, 'the file of sessions cannot be used: a restart signs people out'),
  });
}

/** Who answers calls that need the owner's duties. */
function callsOf({ ownership, shared }: Parts): Pick<Duties, 'reconcile' | 'close'> {
  if (shared !== null) return shared.receiver;
  if (ownership.duties === null) throw new Error('a call for the owner came before its duties');
  return ownership.duties;
}

/** The settings in force, and the checks that ask nothing of the custody API. */
async function settingsOf(
  parts: Parts,
  { phase, others }: { phase: Readiness['phase']; others: Running['others'] },
): Promise<SettingsAnswer> {
  const { config, reads, access } = parts;
  const checks = await checkRunning({
    config,
    reads,
    now: Date.now(),
    isWritable: readinessOf(parts, phase).store === 'writable',
    access: access.state().kind,
    notices: accessNotice(access.state()),
    warnings: policyServices(parts).warnings,
    others,
  });
  return { settings: shownConfig(config), checks };
}

/** What the policy routes need besides the store. */
function policyServices(parts: Parts): PolicyServices {
  const { reads, ownership } = parts;
  return {
    check: checkPolicy,
    warnings: async (policy) => {
      const published = await publishedNow(ownership.duties?.networks, WARNINGS_MS_MAX);
      return policyWarnings(policy, { reads, published });
    },
    changed: () => ownership.duties?.reevaluate(),
  };
}

/** HTTP statuses of refusals. */
const REFUSAL_STATUS = {
  too_large: 413,
  unknown_token: 404,
  wrong_method: 405,
  certificate_refused: 403,
  busy: 503,
} as const;

function countAnswer(metrics: IntakeMetrics, answer: Answer): void {
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

function readinessOf(
  { queue, writer, ownership, shared, access, config }: Parts,
  phase: Readiness['phase'],
): Readiness {
  const custody = ownership.duties?.custody;
  return {
    phase,
    store: storeState(writer, shared),
    ...(shared === null ? {} : { receiver: receiverState(shared) }),
    custody: custody === undefined ? null : custodyReadiness(custody, access),
    queue: { waiting: queue.queued, limit: config.intake.queueMax },
  };
}

function storeState(writer: FactQueue, shared: SharedParts | null): Readiness['store'] {
  if (shared === null) return writer.lastFailure === null ? 'writable' : 'unavailable';
  const { role } = shared.receiver;
  return role?.kind === 'owner' || role?.kind === 'follower' ? 'writable' : 'unavailable';
}

async function metricsText(parts: Parts): Promise<string> {
  const { reads, queue, ownership, access, metrics } = parts;
  const { custody, verifying } = ownership.duties ?? {};
  const counts = await reads.counts();
  metrics.intake.queueDepth(queue.queued);
  metrics.intake.journalHead(counts.journalHead);
  metrics.deposits.figures(counts);
  metrics.reconciliation.uncomparedMovements(counts.uncomparedMovements);
  metrics.reconciliation.breaksOpen(counts.breaks.byType);
  if (custody !== undefined) {
    metrics.custody.circuit(custody.circuit().kind);
    metrics.custody.budgetUsed(custody.budgetUsed());
    const state = access.state();
    metrics.deposits.oldestDue(verifying?.now().oldest ?? null);
    metrics.custody.accessRefused(state.kind === 'refused' ? state.refusals : []);
  }
  return (await metrics.page()).text;
}
