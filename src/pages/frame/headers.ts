import type { Env, Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';

/** How long browsers require TLS: a year, in seconds. */
const TRANSPORT_SECURITY = 'max-age=31536000';

/** A page loads its program's own files and nothing else; nothing runs or styles inline. */
const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  scriptSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/**
 * Headers of every answer, and the policy of the pages below a path unless a handler set another.
 * `secure`: browsers use TLS. `referrerPolicy`: `same-origin` where forms are known by their
 * `Origin`, which browsers leave out under the default, `no-referrer`.
 */
export function mountHeaders<E extends Env>(
  app: Hono<E>,
  {
    below,
    secure,
    referrerPolicy = 'no-referrer',
  }: { below: string; secure: boolean; referrerPolicy?: 'no-referrer' | 'same-origin' },
): void {
  const strictTransportSecurity = secure ? TRANSPORT_SECURITY : false;
  app.use(secureHeaders({ strictTransportSecurity, referrerPolicy }));
  app.use(
    `${below}/*`,
    secureHeaders({
      contentSecurityPolicy: PAGE_POLICY,
      strictTransportSecurity,
      referrerPolicy,
      overwrite: false,
    }),
    async (context, next) => {
      await next();
      if (!context.res.headers.has('Cache-Control')) context.header('Cache-Control', 'no-store');
    },
  );
}

/** Forms of other sites must do nothing here. Old browsers send no such header. */
export const ownForms = csrf({
  secFetchSite: ['same-origin', 'none'],
  origin: (origin, context) => origin.endsWith(`//${context.req.header('Host')}`),
});
