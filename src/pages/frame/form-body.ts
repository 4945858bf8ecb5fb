import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';

/**
 * Reads the form of a request before its handler, which then finds it read. Answers 413 to a form of
 * more bytes than `bytesMax`. Answers 400 to a form that cannot be read, because it is multipart
 * without a boundary, or because its sender left before its end: the sender is at fault.
 */
export function readForm(bytesMax: number): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: bytesMax,
    onError: ({ text }) => text(`The form is longer than ${bytesMax} bytes: shorten it.`, 413),
  });
  return async (context, next) => {
    const { req, text } = context;
    if (req.method !== 'POST') return next();
    try {
      const tooLong = await limit(context, async () => {
        await req.parseBody();
      });
      if (tooLong !== undefined) return tooLong;
    } catch {
      const refusal = 'The body is not a form that can be read: send the form again from its page.';
      return text(refusal, 400);
    }
    return next();
  };
}
