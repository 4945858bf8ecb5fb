import type { Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';
import type { ConsoleEnv } from './context.ts';

/** How long browsers require TLS: a year, in seconds. */
const TRANSPORT_SECURITY = 'max-age=31536000';

/** A page loads the console's own files and nothing else; nothing runs or styles inline. */
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
 * Headers of every answer, and the policy of the console's pages unless a handler set another.
 * `secure`: browsers use TLS.
 */
export function mountHeaders(app: Hono<ConsoleEnv>, { secure }: { secure: boolean }): void {
  const strictTransportSecurity = secure ? TRANSPORT_SECURITY : false;
  app.use(secureHeaders({ strictTransportSecurity }));
  app.use(
    '/console/*',
    secureHeaders({
      contentSecurityPolicy: PAGE_POLICY,
      strictTransportSecurity,
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
