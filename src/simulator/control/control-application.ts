import type { HttpBindings } from '@hono/node-server';
import { Hono, type HonoRequest } from 'hono';
import { refused } from '../api/answer.ts';
import { crossSiteRefusal, foreignHostRefusal } from '../api/request/cross-site.ts';
import { respond, serveLocally } from '../api/request/pipeline.ts';
import { chainEndpoints } from './chain-control.ts';
import type { ControlServices } from './control-services.ts';
import { deliveryEndpoints } from './delivery-control.ts';
import { runControlEndpoints } from './run-control.ts';
import { observationEndpoints } from './observation.ts';
import { setupEndpoints } from './setup-control.ts';
import { transactionEndpoints } from './transaction-control.ts';

export type ControlApp = Hono<{ Bindings: HttpBindings }>;

/**
 * Whether a browser opens a page of the inspector. Another site may link to it: a visit only looks,
 * and no site can read the page or frame it.
 */
function isPageVisit(request: HonoRequest): boolean {
  return (
    request.method === 'GET' &&
    /^\/inspector(?:\/|$)/.test(request.path) &&
    request.header('sec-fetch-mode') === 'navigate'
  );
}

/**
 * The control API, `/sim/…`. It takes no credentials: only the operator of the core may reach its
 * port. `hostNames` are names of this core beside those of loopback.
 */
export function controlApplication(
  services: ControlServices,
  options: { readonly onBug: (error: unknown) => void; readonly hostNames: readonly string[] },
): ControlApp {
  const app: ControlApp = new Hono<{ Bindings: HttpBindings }>();
  const { clock } = services;
  const { onBug, hostNames } = options;
  app.use(async (context, next) => {
    const { headers } = context.req.raw;
    const refusal = isPageVisit(context.req)
      ? foreignHostRefusal(headers, hostNames)
      : crossSiteRefusal(headers, hostNames);
    return refusal === undefined ? next() : respond(context, refusal, clock.now());
  });
  const endpoints = [
    ...setupEndpoints(services),
    ...chainEndpoints(services),
    ...deliveryEndpoints(services),
    ...transactionEndpoints(services),
    ...observationEndpoints(services),
    ...runControlEndpoints(services),
  ];
  for (const endpoint of endpoints) {
    app.on(endpoint.method.toUpperCase(), endpoint.path, (context) =>
      serveLocally(context, endpoint, { clock, onBug }),
    );
  }
  app.notFound((context) => {
    const { method, path } = context.req;
    return respond(context, refused('NE-1', `No such call: ${method} ${path}`), clock.now());
  });
  app.onError((error, context) => {
    onBug(error);
    return respond(context, refused('GE-1', 'Internal server error'), clock.now());
  });
  return app;
}
