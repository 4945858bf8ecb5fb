import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import { createApi } from '../../api/application.ts';
import type { Readiness } from '../../api/health.ts';
import type { PolicyServices } from '../../api/services.ts';
import { createConsole } from '../../console/application.ts';
import { accessNotice } from '../../custody/access.ts';
import type { CommitQueue } from '../../intake/commit-queue.ts';
import { BodyRoom } from '../../intake/body-room.ts';
import { createHooks, noSuchPath, type Answer, type HooksEnv } from '../../intake/hooks.ts';
import { PathTokens } from '../../intake/path-token.ts';
import { RefusedBodies } from '../../intake/refused-bodies.ts';
import { checkPolicy } from '../../ops/crediting-policy.ts';
import type { Config } from '../../ops/config.ts';
import type { Logger } from '../../ops/log.ts';
import type { Metrics } from '../../ops/metrics.ts';
import { ReadRefused } from '../../store/reads.ts';
import { policyWarnings } from '../crediting/policy-warnings.ts';
import { publishedNow } from '../custody/published.ts';
import { custodyReadiness } from '../custody/standing.ts';
import { certificateGate } from './certificate.ts';
import type { Answering } from './listener.ts';
import { judgeAnew, type Parts } from './parts.ts';
import type { RefusedSenders } from './refused-senders.ts';

/** Where deliveries arrive, each at its path token. */
const HOOKS = '/hooks';

/** Seconds after which a page of the console may be asked for again. */
const RETRY_AFTER_SECONDS = '5';

/** Somebody waits for the warnings about a policy, perhaps in the middle of the night. */
const WARNINGS_MS_MAX = 2_000;

interface IntakeParts extends Pick<Parts, 'log' | 'metrics'> {
  readonly intake: Config['intake'];
  readonly queue: Pick<CommitQueue, 'submit'>;
}

/** Intake alone: what API and console have in front of their routes is no business of a delivery. */
export function intakeRoutes(
  { intake, log, queue, metrics }: IntakeParts,
  senders: RefusedSenders,
): Hono<HooksEnv> {
  const gate = certificateGate(intake.clientCertificate, (header, handed) =>
    senders.certificate(header, handed),
  );
  const observe = (answer: Answer): void => {
    countAnswer(metrics, answer);
    if (answer === 'unknown_token') senders.token();
  };
  const hooks = createHooks({
    tokens: new PathTokens(intake.pathTokens),
    bodyBytesMax: intake.maxBodyBytes,
    room: new BodyRoom(),
    submit: (submission) => queue.submit(submission),
    refused: new RefusedBodies(intake.malformedPerHourMax),
    now: () => Date.now(),
    observe,
    ...(gate === undefined ? {} : { certificateAccepted: gate }),
  });
  const app = new Hono<HooksEnv>().route(HOOKS, hooks);
  app.notFound((context) => noSuchPath(context, { observe }));
  const onBug = bugsTo(log);
  return answeringBugs(app, (error) => {
    metrics.refusal(500);
    onBug(error);
  });
}

function bugsTo(log: Logger): (error: unknown) => void {
  return (error) => log.error({ err: error }, 'a request failed');
}

function answeringBugs<Env extends object>(
  app: Hono<Env>,
  onBug: (error: unknown) => void,
): Hono<Env> {
  return app.onError((error, context) => {
    if (error instanceof ReadRefused) {
      return context.text(error.message, 503, { 'retry-after': RETRY_AFTER_SECONDS });
    }
    onBug(error);
    return context.text('This is a defect, and it was logged: try again.', 500);
  });
}

/** Every route of the daemon. */
export function routes(
  parts: Parts,
  phase: () => Readiness['phase'],
  senders: RefusedSenders,
): Answering {
  const hooks = intakeRoutes({ ...parts, intake: parts.config.intake }, senders);
  const others = application(parts, phase);
  return (request, env) =>
    // Anywhere in it: other routes tell the path in their answers, and this one may hold a token.
    getPath(request).includes(`${HOOKS}/`) ? hooks.fetch(request, env) : others.fetch(request);
}

function application(parts: Parts, phase: () => Readiness['phase']): Hono {
  const { config, log, queue, reads, feed, access, identify, version, reconciler, closer } = parts;
  const onBug = bugsTo(log);
  const app = answeringBugs(new Hono(), onBug);
  app.route(
    '/',
    createConsole({
      reads,
      document: reads.document,
      access: config.console.public ? { kind: 'public' } : { kind: 'token', identify },
      secure: config.console.secureCookie ?? config.listen.tls !== undefined,
      idleMsMax: config.console.idleMinutes * 60_000,
      now: () => Date.now(),
      notices: () => accessNotice(access.state()),
      creditLatency: () => parts.verifying?.now() ?? null,
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

function readinessOf(
  { queue, custody, access, config }: Parts,
  phase: Readiness['phase'],
): Readiness {
  return {
    phase,
    store: queue.lastFailure === null ? 'writable' : 'unavailable',
    custody: custody === undefined ? null : custodyReadiness(custody, access),
    queue: { waiting: queue.waiting, limit: config.intake.queueMax },
  };
}

async function metricsText(parts: Parts): Promise<string> {
  const { reads, queue, custody, access, metrics, verifying } = parts;
  const counts = await reads.counts();
  metrics.queueDepth(queue.waiting);
  metrics.journalHead(counts.journalHead);
  metrics.deposits(counts);
  metrics.unjudgedMovements(counts.unjudgedMovements);
  metrics.breaksOpen(counts.breaks.byType);
  if (custody !== undefined) {
    metrics.circuit(custody.circuit().kind);
    metrics.budgetUsed(custody.budgetUsed());
    const state = access.state();
    metrics.oldestDue(verifying?.now().oldest ?? null);
    metrics.accessRefused(state.kind === 'refused' ? state.refusals : []);
  }
  return (await metrics.page()).text;
}
