import { OpenAPIHono } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import { except } from 'hono/combine';
import { authenticate, authorize, type ApiEnv, type Identify } from './access.ts';
import { mountAssets } from './assets.ts';
import { mountBalances } from './balances.ts';
import { mountBreaks } from './breaks.ts';
import { mountCredits } from './credits.ts';
import { mountDeposits } from './deposits.ts';
import { mountDocumentation } from './documentation.ts';
import { mountHealth, type HealthOptions } from './health.ts';
import { mountJournal } from './journal.ts';
import { mountMovements } from './movements.ts';
import { mountNotifications } from './notifications.ts';
import { mountPolicy } from './policy.ts';
import { answerProblem, invalidRequest, problemOf } from './problem.ts';
import { mountQuarantine } from './quarantine.ts';
import { mountReconciliations } from './reconciliations.ts';
import { mountDayMovements } from './day-movements.ts';
import { mountReports } from './reports.ts';
import type { Services } from './services.ts';
import { mountWithdrawals } from './withdrawals.ts';

/** More than any body of this API needs but a policy: the longest holds a reason. */
const BODY_BYTES_MAX = 64 * 1024;

/** A policy may hold rules for a few thousand assets. */
const POLICY_BYTES_MAX = 512 * 1024;

export interface ApiOptions extends Services, HealthOptions {
  readonly identify: Identify;
  /** Told of every error that is no expected outcome; the caller gets a 500. */
  readonly onBug: (error: unknown) => void;
  /** The version of this program, for the API's document. */
  readonly version: string;
}

/** What a failed validation is about, in the caller's words. */
const PART_OF_TARGET: Readonly<Record<string, string>> = {
  query: 'query',
  param: 'path',
  json: 'body',
};

/** Methods that a path takes, where it takes any: then the method was wrong and not the path. */
function methodsOf(app: OpenAPIHono<ApiEnv>, path: string): string[] {
  const methods = app.routes
    .filter((route) => route.method !== 'ALL')
    .filter((route) =>
      new RegExp(`^${route.path.replaceAll(/:[^/]+/g, '[^/]+').replaceAll('.', '\\.')}$`).test(
        path,
      ),
    )
    .map((route) => route.method);
  return [...new Set(methods)];
}

function mountErrors(app: OpenAPIHono<ApiEnv>, onBug: (error: unknown) => void): void {
  // A route and not `notFound`: the program mounts this app in its own, whose `notFound` would win.
  app.all('*', (context) => {
    const { method, path } = context.req;
    const allowed = methodsOf(app, path);
    if (allowed.length > 0) {
      const detail = `${path} takes ${allowed.join(', ')}, not ${method}.`;
      const headers = { Allow: allowed.join(', ') };
      return answerProblem(context, { kind: 'method-not-allowed', detail }, headers);
    }
    const detail = `Nothing is at ${path}: see /docs for every path.`;
    return answerProblem(context, { kind: 'not-found', detail });
  });
  app.onError((error, context) => {
    const answer = problemOf(context, error);
    if (answer !== undefined) return answer;
    onBug(error);
    const detail = 'This is a defect, and it was logged: try again, and report it if it stays.';
    return answerProblem(context, { kind: 'internal', detail });
  });
}

/**
 * The HTTP API for exchanges and finance: `/v1`, health, metrics and documents. Expected outcomes
 * are problems (RFC 9457); nothing under `/v1` is looked at without a token. It answers every path,
 * with a 404 where it has none: mount it last.
 */
export function createApi(options: ApiOptions): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>({
    defaultHook: (result, context) => {
      if (result.success) return undefined;
      const part = PART_OF_TARGET[result.target] ?? result.target;
      return answerProblem(context, invalidRequest(part, result.error));
    },
  });
  app.use('*', async (context, next) => {
    await next();
    context.header('X-Content-Type-Options', 'nosniff');
    context.header('Referrer-Policy', 'no-referrer');
  });
  app.use('/v1/*', async (context, next) => {
    context.header('Cache-Control', 'no-store');
    await next();
  });
  app.use('/v1/*', authenticate(options.identify), authorize());
  app.use('/v1/policy', bodyLimit({ maxSize: POLICY_BYTES_MAX }));
  app.use('/v1/*', except('/v1/policy', bodyLimit({ maxSize: BODY_BYTES_MAX })));
  mountAssets(app, options);
  mountBalances(app, options);
  mountDeposits(app, options);
  mountCredits(app, options);
  mountWithdrawals(app, options);
  mountMovements(app, options);
  mountNotifications(app, options);
  mountQuarantine(app, options);
  mountJournal(app, options);
  mountBreaks(app, options);
  mountReconciliations(app, options);
  mountReports(app, options);
  mountDayMovements(app, options);
  mountPolicy(app, options);
  mountHealth(app, options);
  mountDocumentation(app, options.version);
  mountErrors(app, options.onBug);
  return app;
}
