import { OpenAPIHono } from '@hono/zod-openapi';
import type { HttpBindings } from '@hono/node-server';
import { errorBody } from '../../wire/error.ts';
import { accountEndpoints } from './accounts.ts';
import { addressEndpoints } from './addresses.ts';
import { refused } from './answer.ts';
import { apiClientEndpoints } from './api-clients.ts';
import { approvalEndpoints } from './approvals.ts';
import { mountDocumentation } from './documentation.ts';
import { NOTHING } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { identityLoginEndpoints } from './identity-logins.ts';
import { memoEndpoints } from './memos.ts';
import { networkEndpoints } from './networks.ts';
import { notificationEndpoints } from './notifications.ts';
import { respond, serveEndpoint, serveUnknown } from './pipeline.ts';
import type { CoreApp, PipelineParts } from './pipeline.ts';
import { named } from './schema.ts';
import type { Services } from './services.ts';
import { sessionEndpoints } from './sessions.ts';
import { subscriptionEndpoints } from './subscriptions.ts';
import { transactionEndpoints } from './transactions.ts';
import { vaultEndpoints } from './vaults.ts';

/** All endpoints live under this prefix (section "What the service does"). */
export const API_PREFIX = '/api/v1';
const BEARER = 'bearer';

const errorSchema = named('Error', errorBody);
const json = 'application/json';
const LOCATION = { Location: { schema: { type: 'string', format: 'uri' } } } as const;

function failure(description: string) {
  return { description, content: { [json]: { schema: errorSchema } } };
}

/** Registers an endpoint in the OpenAPI document, from the schemas that validate it. */
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
 * The path as the router spells it. A parameter with a literal behind it (`{idp}-callback`) stands
 * for the whole segment there, so its schema has to take the literal off again.
 */
function routeOf({ path }: Endpoint): string {
  return `${API_PREFIX}${path}`.replaceAll(
    /\{(\w+)\}([^/{}]*)/g,
    (_all, name: string, literal: string) =>
      literal === '' ? `:${name}` : `:${name}{.+${literal}}`,
  );
}

/** The API of the custody core: `/api/v1`, `/openapi.json` and `/docs`. */
export function coreApplication(services: Services, parts: PipelineParts): CoreApp {
  const app: CoreApp = new OpenAPIHono<{ Bindings: HttpBindings }>();
  app.openAPIRegistry.registerComponent('securitySchemes', BEARER, {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A self-signed RS256 JWT, or a session token.',
  });
  // Fixed paths before those with a parameter in the same place.
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
