import type { MiddlewareHandler } from 'hono';

/**
 * Reads an empty body as `{}`. Clients name `application/json` also for calls whose body is optional,
 * and send none. A call that needs a body then says which field is missing.
 */
export function emptyBodyAsObject(): MiddlewareHandler {
  return async ({ req }, next) => {
    if (req.header('Content-Type') !== undefined && (await req.text()).trim() === '') {
      req.bodyCache.text = Promise.resolve('{}');
    }
    await next();
  };
}
