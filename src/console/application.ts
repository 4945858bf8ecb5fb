import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { randomBytes } from 'node:crypto';
import type { Documents } from '../report/document.ts';
import { fragment } from './fragment.ts';
import type { Markup } from './markup.ts';
import { consolePage, signInPage } from './page.ts';
import { SESSION_SECONDS, Sessions, type Visitor } from './session.ts';
import { Snapshots, type ConsoleReads } from './snapshot.ts';

const COOKIE = 'counterfoil_console';
const COOKIE_PATH = '/console';
const BODY_BYTES_MAX = 4 * 1024;
const NONCE_BYTES = 16;

/** A report runs nothing and loads nothing; its style stands inside it. */
const REPORT_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Who may look: everyone (for demonstrations), or whoever has an API token. */
export type ConsoleAccess =
  | { readonly kind: 'public' }
  | { readonly kind: 'token'; readonly identify: (token: string) => Visitor | undefined };

export interface ConsoleOptions {
  readonly reads: ConsoleReads;
  readonly document: Documents;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly access: ConsoleAccess;
  /** Whether browsers reach the console over TLS; then the cookie is never sent without it. */
  readonly secureCookie: boolean;
}

function securityHeaders(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'nonce-${nonce}'`,
      `script-src 'nonce-${nonce}'`,
      'img-src data:',
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}

async function answer(
  context: Context,
  status: 200 | 401 | 403,
  page: (nonce: string) => Markup,
): Promise<Response> {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const body = (await page(nonce)).toString();
  return context.html(body, status, securityHeaders(nonce));
}

/** Forms of other sites must not sign a visitor in or out; old browsers send no such header. */
function isFromElsewhere(context: Context): boolean {
  const site = context.req.header('Sec-Fetch-Site');
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function mountSessions(
  app: Hono,
  sessions: Sessions,
  options: { identify: (token: string) => Visitor | undefined; secureCookie: boolean },
): void {
  const attributes = {
    path: COOKIE_PATH,
    httpOnly: true,
    sameSite: 'Strict',
    secure: options.secureCookie,
  } as const;
  app.use('/console/session', bodyLimit({ maxSize: BODY_BYTES_MAX }));
  app.post('/console/session', async (context) => {
    const { token } = isFromElsewhere(context) ? { token: undefined } : await readForm(context);
    const visitor = token === undefined ? undefined : options.identify(token.trim());
    if (visitor === undefined) {
      return answer(context, 401, (nonce) => signInPage({ refused: true }, nonce));
    }
    const id = sessions.begin(visitor);
    setCookie(context, COOKIE, id, { ...attributes, maxAge: SESSION_SECONDS });
    return context.redirect('/console', 303);
  });
  app.post('/console/session/end', (context) => {
    if (!isFromElsewhere(context)) {
      sessions.end(getCookie(context, COOKIE));
      deleteCookie(context, COOKIE, attributes);
    }
    return context.redirect('/console', 303);
  });
}

async function readForm(context: Context): Promise<{ token: string | undefined }> {
  const { token } = await context.req.parseBody();
  return { token: typeof token === 'string' ? token : undefined };
}

/**
 * The console: one page rendered here, which asks for its live part every two seconds. It only
 * looks; whatever changes something is the API's.
 */
export function createConsole(options: ConsoleOptions): Hono {
  const { access, now } = options;
  const app = new Hono();
  const snapshots = new Snapshots({ reads: options.reads, now });
  const sessions = new Sessions({ now });
  const visitorOf = (context: Context): { allowed: boolean; visitor: Visitor | undefined } => {
    if (access.kind === 'public') return { allowed: true, visitor: undefined };
    const visitor = sessions.visitor(getCookie(context, COOKIE));
    return { allowed: visitor !== undefined, visitor };
  };
  app.get('/console', async (context) => {
    const { allowed, visitor } = visitorOf(context);
    if (!allowed) return answer(context, 200, (nonce) => signInPage({ refused: false }, nonce));
    const live = fragment(await snapshots.latest());
    return answer(context, 200, (nonce) => consolePage({ live, visitor }, nonce));
  });
  app.get('/', (context) => context.redirect('/console', 302));
  app.get('/console/', (context) => context.redirect('/console', 308));
  app.get('/console/fragment', async (context) => {
    if (!visitorOf(context).allowed) return context.text('Sign in at /console.', 401);
    const live = fragment(await snapshots.latest());
    return answer(context, 200, () => live);
  });
  app.get('/console/reports/:day', async (context) => {
    if (!visitorOf(context).allowed) return context.redirect('/console', 303);
    const day = context.req.param('day');
    const document = await options.document(day, 'html');
    if (document === undefined) return context.text('That day is not closed.', 404);
    const { body, contentType } = document;
    return context.body(body, 200, {
      ...securityHeaders(''),
      'Content-Security-Policy': REPORT_POLICY,
      'Content-Type': contentType,
    });
  });
  if (access.kind === 'token') {
    const { identify } = access;
    mountSessions(app, sessions, { identify, secureCookie: options.secureCookie });
  }
  return app;
}
