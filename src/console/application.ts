import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Documents } from '../report/document.ts';
import type { CreditLatencyNow } from './credit-latency-card.ts';
import { fragment } from './fragment.ts';
import type { Markup } from './markup.ts';
import { consolePage, signInPage } from './page.ts';
import { SESSION_SECONDS, Sessions, type Visitor } from './session.ts';
import { SignInThrottle } from './sign-in-throttle.ts';
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
  /** Whether browsers reach the console over TLS; then neither they nor the cookie come without it. */
  readonly secure: boolean;
  /** A session ends when its person has done nothing for so long. */
  readonly idleMsMax: number;
  /** What a person must look at now, each with what to do. */
  readonly notices?: () => readonly string[];
  /** How long credits take; absent, or null, without a custody API. */
  readonly creditLatency?: () => CreditLatencyNow | null;
}

/** What Node's server gives with a request; nothing where it did not come from there. */
interface ConsoleEnv {
  Bindings: { incoming?: IncomingMessage };
}

/** How long a browser remembers to come over TLS alone: a year. */
const TRANSPORT_SECURITY = 'max-age=31536000';

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
  status: 200 | 401 | 429,
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
  app: Hono<ConsoleEnv>,
  sessions: Sessions,
  options: Pick<ConsoleOptions, 'now' | 'secure'> & {
    identify: (token: string) => Visitor | undefined;
  },
): void {
  const attributes = {
    path: COOKIE_PATH,
    httpOnly: true,
    sameSite: 'Strict',
    secure: options.secure,
  } as const;
  const throttle = new SignInThrottle(options);
  app.use('/console/session', bodyLimit({ maxSize: BODY_BYTES_MAX }));
  app.post('/console/session', async (context) => {
    const address = addressOf(context);
    const waitMs = throttle.waitMs(address);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      context.header('Retry-After', `${seconds}`);
      return refuseSignIn(context, 429, `Too many wrong tokens. Try again in ${seconds} s.`);
    }
    const { token } = isFromElsewhere(context) ? { token: undefined } : await readForm(context);
    const visitor = token === undefined ? undefined : options.identify(token.trim());
    if (visitor === undefined) {
      // Forms of other sites are not counted: they could keep the visitor out.
      if (token !== undefined) throttle.refused(address);
      return refuseSignIn(context, 401, 'That token is not one of api.tokens.');
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

function refuseSignIn(context: Context, status: 401 | 429, refused: string): Promise<Response> {
  return answer(context, status, (nonce) => signInPage({ refused }, nonce));
}

/** Where a request comes from: the browser, or the proxy in front of us. */
function addressOf(context: Context<ConsoleEnv>): string {
  // Without a server, as in `app.request`, there are no bindings at all.
  const env: ConsoleEnv['Bindings'] | undefined = context.env;
  return env?.incoming?.socket.remoteAddress ?? '';
}

async function readForm(context: Context): Promise<{ token: string | undefined }> {
  const { token } = await context.req.parseBody();
  return { token: typeof token === 'string' ? token : undefined };
}

/** Not what the page asks by itself: its script says `acted` when a person did something. */
function isByPerson(context: Context): boolean {
  const isFragment = context.req.path === '/console/fragment';
  const name = isFragment ? 'acted' : 'reload';
  return (context.req.query(name) !== undefined) === isFragment;
}

/** Browsers come over TLS alone from then on, also where somebody types the address without it. */
const secureTransport: MiddlewareHandler = async (context, next) => {
  await next();
  context.header('Strict-Transport-Security', TRANSPORT_SECURITY);
};

/**
 * The console: one page rendered here, which asks for its live part every two seconds. It only
 * looks; whatever changes something is the API's.
 */
export function createConsole(options: ConsoleOptions): Hono<ConsoleEnv> {
  const { access, now } = options;
  const app = new Hono<ConsoleEnv>();
  const snapshots = new Snapshots({ reads: options.reads, now });
  const sessions = new Sessions(options);
  const live = async (): Promise<Markup> =>
    fragment(await snapshots.latest(), {
      notices: options.notices?.() ?? [],
      creditLatency: options.creditLatency?.() ?? null,
    });
  const visitorOf = (context: Context): { allowed: boolean; visitor: Visitor | undefined } => {
    if (access.kind === 'public') return { allowed: true, visitor: undefined };
    const id = getCookie(context, COOKIE);
    if (isByPerson(context)) sessions.acted(id);
    const visitor = sessions.visitor(id);
    return { allowed: visitor !== undefined, visitor };
  };
  if (options.secure) app.use(secureTransport);
  app.get('/console', async (context) => {
    const { allowed, visitor } = visitorOf(context);
    if (!allowed) return answer(context, 200, (nonce) => signInPage({ refused: null }, nonce));
    const shown = await live();
    return answer(context, 200, (nonce) => consolePage({ live: shown, visitor }, nonce));
  });
  app.get('/', (context) => context.redirect('/console', 302));
  app.get('/console/', (context) => context.redirect('/console', 308));
  app.get('/console/fragment', async (context) => {
    if (!visitorOf(context).allowed) return context.text('Sign in at /console.', 401);
    const shown = await live();
    return answer(context, 200, () => shown);
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
    mountSessions(app, sessions, { identify, now, secure: options.secure });
  }
  return app;
}
