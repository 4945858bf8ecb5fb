import type { MiddlewareHandler } from 'hono';

/**
 * Reads the form of a request before its handler, which then finds it read. A multipart form without
 * a boundary, or one that is cut off, cannot be read: the sender is at fault, so the answer is 400.
 * Needs a limit of the body before it.
 */
export const readForm: MiddlewareHandler = async ({ req, text }, next) => {
  if (req.method === 'POST') {
    try {
      await req.parseBody();
    } catch {
      const refusal = 'The body is not a form that can be read: send the form again from its page.';
      return text(refusal, 400);
    }
  }
  return next();
};
