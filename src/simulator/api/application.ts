import { OpenAPIHono } from '@hono/zod-openapi';
import type { HttpBindings } from '@hono/node-server';
import { errorBody } from '../../wire/error.ts';
import { accountEndpoints } from './resources/accounts.ts';
import { addressEndpoints } from './resources/addresses.ts';
import { refused } from './answer.ts';
import { apiClientEndpoints } from './resources/api-clients.ts';
import { approvalEndpoints } from './resources/approvals.ts';
import { mountDocumentation } from './documentation.ts';
import { NOTHING } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { identityLoginEndpoints } from './logins/identity-logins.ts';
import { memoEndpoints } from './resources/memos.ts';
import { networkEndpoints } from './resources/networks.ts';
import { notificationEndpoints } from './resources/notifications.ts';
import { respond, serveEndpoint, serveUnknown } from './request/pipeline.ts';
import type { CoreApp, PipelineParts } from './request/pipeline.ts';
import { named } from './schema.ts';
import type { Services } from './services.ts';
import { sessionEndpoints } from './logins/sessions.ts';
import { subscriptionEndpoints } from './resources/subscriptions.ts';
import { transactionEndpoints } from './resources/transactions.ts';
import { vaultEndpoints } from './resources/vaults.ts';

/** Prefix of all endpoints (the specification, section "Endpoints"). */
const API_PREFIX = '/api/v1';
const BEARER = 'bearer';

const errorSchema = named('Error', errorBody);
const json = 'application/json';
const LOCATION = { Location: { schema: { type: 'string', format: 'uri' } } } as const;

function failure(description: string) {
  return { description, content: { [json]: { schema: errorSchema } } };
}

/** Adds an endpoint to the OpenAPI document, with the schemas that validate its requests. */
function describe(app: CoreApp, endpoint: Endpoint): void {
  const { method, path, operation, summary, tag, params, query, body, answer } = endpoint;
  const success = { content: { [json]: { schema: answer } } };
  app.openAPIRegistry.registerPath({
    method,
    path: `${API_PREFIX}${path}`,
    operationId: operation,
    summary,
    tags: [tag],
    ...(endpoint.credentials === 'none' ? { security: [] } : {}),
    request: {
      ...(params === NOTHING ? {} : { params }),
      ...(query === NOTHING ? {} : { query }),
      ...(body === NOTHING
        ? {}
        : { body: { required: true, content: { [json]: { schema: body } } } }),
    },
    responses: {
      ...(endpoint.redirects
        ? { 302: { description: 'Go there', headers: LOCATION, ...success } }
        : { 200: { description: endpoint.creates ? 'The existing one' : 'Done', ...success } }),
      ...(endpoint.creates ? { 201: { description: 'Created', ...success } } : {}),
      '4XX': failure('Refused (section "Errors")'),
      '5XX': failure('Failed (section "Errors")'),
    },
  });
}

/**
 * The path in the router's notation. A parameter with a literal behind it (`{idp}-callback`)
 * matches the whole segment, so its schema removes the literal.
 */
function routeOf({ path }: Endpoint): string {
  return `${API_PREFIX}${path}`.replaceAll(
    /\{(\w+)\}([^/{}]*)/g,
    (_all, name: string, literal: string) =>
      literal === '' ? `:${name}` : `:${name}{.+${literal}}`,
  );
}

/**
 * Makes the API of the custody core: `/api/v1` (the specification, section "Endpoints"),
 * `/openapi.json` and `/docs`.
 */
export function coreApplication(services: Services, parts: PipelineParts): CoreApp {
  const app: CoreApp = new OpenAPIHono<{ Bindings: HttpBindings }>();
  app.openAPIRegistry.registerComponent('securitySchemes', BEARER, {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A self-signed RS256 JWT, or a session token.',
  });
  // Fixed paths come before paths with a parameter at the same level.
  const endpoints = [
    ...sessionEndpoints(services),
    ...identityLoginEndpoints(services),
    ...apiClientEndpoints(services),
    ...networkEndpoints(services),
    ...vaultEndpoints(services),
    ...accountEndpoints(services),
    ...addressEndpoints(services),
    ...memoEndpoints(services),
    ...transactionEndpoints(services),
    ...approvalEndpoints(services),
    ...notificationEndpoints(services),
    ...subscriptionEndpoints(services),
  ];
  for (const endpoint of endpoints) {
    describe(app, endpoint);
    app.on(endpoint.method.toUpperCase(), routeOf(endpoint), (context) =>
      serveEndpoint(context, endpoint, parts),
    );
  }
  mountDocumentation(app, BEARER);
  app.notFound((context) => serveUnknown(context, parts));
  app.onError((error, context) => {
    parts.onBug(error);
    return respond(context, refused('GE-1', 'Internal server error'), parts.clock.now());
  });
  return app;
}
