import type { MiddlewareHandler } from 'hono';

/** Paths whose answers say what the replica lacks. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Refuses everything that shows the books, or needs a token, while `cause` says why this replica must
 * not. Other receivers ask below `/receivers/`, and learn there who is not the owner.
 */
export function refuseUnfit(cause: () => string | null): MiddlewareHandler {
  return async (context, next) => {
    const text = cause();
    const { path } = context.req;
    if (text === null || ALWAYS_ANSWERED.has(path) || path.startsWith('/receivers/')) return next();
    context.header('retry-after', '5');
    return context.text(text, 503);
  };
}
