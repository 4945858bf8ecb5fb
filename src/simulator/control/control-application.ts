import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { refused } from '../api/answer.ts';
import { crossSiteRefusal } from '../api/request/cross-site.ts';
import { respond, serveLocally } from '../api/request/pipeline.ts';
import { chainEndpoints } from './chain-control.ts';
import type { ControlServices } from './control-services.ts';
import { runControlEndpoints } from './run-control.ts';
import { observationEndpoints } from './observation.ts';
import { setupEndpoints } from './setup-control.ts';

export type ControlApp = Hono<{ Bindings: HttpBindings }>;

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
    const refusal = crossSiteRefusal(context.req.raw.headers, hostNames);
    return refusal === undefined ? next() : respond(context, refusal, clock.now());
  });
  const endpoints = [
    ...setupEndpoints(services),
    ...chainEndpoints(services),
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
