import type { MiddlewareHandler } from 'hono';

/**
 * Takes the content type from a request without content. Clients name `application/json` also for
 * calls whose body is optional, and send none; an empty text is no JSON. A call that needs a body then
 * says which field is missing.
 */
export function emptyBodyHasNoType(): MiddlewareHandler {
  return async ({ req }, next) => {
    if (req.header('Content-Type') !== undefined && (await req.text()).trim() === '') {
      const { url, method, headers: sent, signal } = req.raw;
      const headers = new Headers(sent);
      headers.delete('Content-Type');
      req.raw = new Request(url, { method, headers, signal });
    }
    await next();
  };
}
