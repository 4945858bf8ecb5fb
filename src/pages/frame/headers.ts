import type { Env, Hono, MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
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

const refuseForeignForms = csrf({
  secFetchSite: ['same-origin', 'none'],
  // Old browsers send no Sec-Fetch-Site.
  origin: (origin, context) => origin.endsWith(`//${context.req.header('Host')}`),
});

/** Forms of other sites must do nothing here: answers them with 403 and what to do. */
export const ownForms: MiddlewareHandler = async (context, next) => {
  try {
    return await refuseForeignForms(context, next);
  } catch (error) {
    if (!(error instanceof HTTPException)) throw error;
    const { origin = 'no header Origin' } = context.req.header();
    const text = `This form did not come from a page of ${context.req.header('Host')} (${origin}). In a browser: open the page anew and send its form again; a proxy must pass the header Host on unchanged. A program sends Origin, the scheme and host of this address.`;
    return context.text(text, error.status);
  }
};
