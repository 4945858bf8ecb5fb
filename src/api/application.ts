import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { except } from 'hono/combine';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { routePath } from 'hono/route';
import { secureHeaders } from 'hono/secure-headers';
import { authenticate, refuseUnnamed, type ApiEnv } from './access.ts';
import { mountAssets } from './exchange/assets.ts';
import { mountBalances } from './books/balances.ts';
import { mountBreaks } from './finance/breaks.ts';
import { mountCredits } from './exchange/credits.ts';
import { mountDeposits } from './exchange/deposits.ts';
import { isCutOff } from './cut-off.ts';
import { mountDocumentation } from './documentation.ts';
import { emptyBodyHasNoType } from './empty-body.ts';
import { mountExemptions } from './finance/exemptions.ts';
import { mountHealth, type HealthOptions } from './health.ts';
import { mountJournal } from './books/journal.ts';
import { mountMovements } from './books/movements.ts';
import { mountNotifications } from './books/notifications.ts';
import { mountPolicy } from './exchange/policy.ts';
import { mountPolicySimulation } from './exchange/policy-simulation.ts';
import { answerProblem, invalidRequest, problemOf } from './problem.ts';
import { mountQuarantine } from './books/quarantine.ts';
import { mountStatements } from './books/statements.ts';
import { mountReconciliations } from './finance/reconciliations.ts';
import { mountDayMovements } from './finance/day-movements.ts';
import { mountReports } from './finance/reports.ts';
import type { Services } from './services.ts';
import { mountSettings } from './settings.ts';
import { mountSessions } from './people/sessions.ts';
import { mountTokens } from './people/tokens.ts';
import { mountWithdrawals } from './exchange/withdrawals.ts';

/** Larger than any body except a policy, in bytes: the longest holds a reason. */
const BODY_BYTES_MAX = 64 * 1024;

/** A policy may hold rules for a few thousand assets. */
const POLICY_BYTES_MAX = 512 * 1024;
const POLICY_PATHS = ['/v1/policy', '/v1/policy/simulate'];

export interface ApiOptions extends Services, HealthOptions {
  /** Receives every unexpected error; the caller gets a 500. */
  readonly onBug: (error: unknown) => void;
  /** The program's version, for the OpenAPI document. */
  readonly version: string;
}

/** The part of a call that failed validation, in the caller's words. */
const PART_OF_TARGET: Readonly<Record<string, string>> = {
  query: 'query',
  param: 'path',
  json: 'body',
};

/** The names of the parameters that the called route takes in its query. */
function parametersOf(app: OpenAPIHono<ApiEnv>, context: Context<ApiEnv>): readonly string[] {
  const called = `${context.req.method.toLowerCase()} ${routePath(context)}`;
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const { method, path, request } = definition.route;
    if (`${method} ${path.replaceAll(/\/\{(.+?)\}/g, '/:$1')}` !== called) continue;
    return request?.query instanceof z.ZodObject ? Object.keys(request.query.shape) : [];
  }
  return [];
}

function onMethodNotAllowed(context: Context<ApiEnv>, methods: string[]): Response {
  const { method, path } = context.req;
  const Allow = methods.join(', ');
  const detail = `${path} takes ${Allow}, not ${method}.`;
  return answerProblem(context, { kind: 'method-not-allowed', detail }, { Allow });
}

function mountErrors(app: OpenAPIHono<ApiEnv>, onBug: (error: unknown) => void): void {
  // A route, because the program mounts this app in its own, whose `notFound` would win.
  app.all('*', (context) => {
    const detail = `Nothing is at ${context.req.path}: see /docs for every path.`;
    return answerProblem(context, { kind: 'not-found', detail });
  });
  app.onError((error, context) => {
    const answer = problemOf(context, error);
    if (answer !== undefined) return answer;
    if (isCutOff(context.env)) {
      const detail = 'The connection ended before the body: send the call again.';
      return answerProblem(context, { kind: 'invalid-request', detail });
    }
    onBug(error);
    const detail = 'This is a defect and was logged: try again, and report it if it persists.';
    return answerProblem(context, { kind: 'internal', detail });
  });
}

/**
 * The HTTP API for exchanges and finance: `/v1`, health, metrics and documents. Expected outcomes
 * are problems (RFC 9457). Every call under `/v1` needs a token. It answers every path, unknown
 * ones with 404: mount it last.
 */
export function createApi(options: ApiOptions): OpenAPIHono<ApiEnv> {
  const app: OpenAPIHono<ApiEnv> = new OpenAPIHono<ApiEnv>({
    defaultHook: (result, context) => {
      if (result.success) return undefined;
      const part = PART_OF_TARGET[result.target] ?? result.target;
      const parameters = result.target === 'query' ? parametersOf(app, context) : undefined;
      return answerProblem(context, invalidRequest(part, result.error, parameters));
    },
  });
  // The listener knows whether browsers come over TLS; the console's routes say so for all.
  app.use(
    secureHeaders({ strictTransportSecurity: false }),
    methodNotAllowed({ app, onMethodNotAllowed }),
  );
  app.use('/v1/*', async (context, next) => {
    context.header('Cache-Control', 'no-store');
    await next();
  });
  app.use('/v1/*', authenticate(options.access.tokens.identify), refuseUnnamed());
  for (const path of POLICY_PATHS) app.use(path, bodyLimit({ maxSize: POLICY_BYTES_MAX }));
  app.use('/v1/*', except(POLICY_PATHS, bodyLimit({ maxSize: BODY_BYTES_MAX })));
  app.use('/v1/*', emptyBodyHasNoType());
  mountAssets(app, options);
  mountBalances(app, options);
  mountStatements(app, options);
  mountDeposits(app, options);
  mountCredits(app, options);
  mountWithdrawals(app, options);
  mountMovements(app, options);
  mountNotifications(app, options);
  mountQuarantine(app, options);
  mountJournal(app, options);
  mountBreaks(app, options);
  mountExemptions(app, options);
  mountReconciliations(app, options);
  mountReports(app, options);
  mountDayMovements(app, options);
  mountPolicy(app, options);
  mountPolicySimulation(app, options);
  mountSettings(app, options);
  mountTokens(app, options);
  mountSessions(app, options);
  mountHealth(app, options);
  mountDocumentation(app, options.version);
  mountErrors(app, options.onBug);
  return app;
}
