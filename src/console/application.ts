import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { csrf } from 'hono/csrf';
import { NONCE, secureHeaders, type SecureHeadersVariables } from 'hono/secure-headers';
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

/** A report runs and loads nothing; its style is inline. */
const REPORT_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Who may see the console: everyone (for demonstrations), or holders of an API token. */
export type ConsoleAccess =
  | { readonly kind: 'public' }
  | { readonly kind: 'token'; readonly identify: (token: string) => Visitor | undefined };

export interface ConsoleOptions {
  readonly reads: ConsoleReads;
  readonly document: Documents;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly access: ConsoleAccess;
  /** Whether browsers use TLS; then the page and the cookie require it. */
  readonly secure: boolean;
  /** A session ends after this many seconds without an action. */
  readonly idleMsMax: number;
  /** Urgent notices, each with its remedy. */
  readonly notices?: () => readonly string[];
  /** How long credits take; absent or null without a custody API. */
  readonly creditLatency?: () => CreditLatencyNow | null;
}

/** Node's connection of a request; absent in tests without a server. */
interface ConsoleEnv {
  Bindings: { incoming?: IncomingMessage };
  Variables: SecureHeadersVariables;
}

/** How long browsers require TLS: a year, in seconds. */
const TRANSPORT_SECURITY = 'max-age=31536000';

/** A page of the console runs its own script and style alone: those with the answer's nonce. */
const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  styleSrc: [NONCE],
  scriptSrc: [NONCE],
  imgSrc: ['data:'],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/** Headers of every answer, and the policy of the console's pages unless a handler set another. */
function mountHeaders(app: Hono<ConsoleEnv>, { secure }: Pick<ConsoleOptions, 'secure'>): void {
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
      context.header('Cache-Control', 'no-store');
      await next();
    },
  );
}

async function answer(
  context: Context<ConsoleEnv>,
  status: 200 | 401 | 429,
  page: (nonce: string) => Markup,
): Promise<Response> {
  const body = await page(context.get('secureHeadersNonce') ?? '');
  return context.html(body.toString(), status);
}

/** Forms of other sites must not sign a visitor in or out. Old browsers send no such header. */
const ownForms = csrf({
  secFetchSite: ['same-origin', 'none'],
  origin: (origin, context) => origin.endsWith(`//${context.req.header('Host')}`),
});

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
  app.use('/console/session/*', ownForms, bodyLimit({ maxSize: BODY_BYTES_MAX }));
  app.post('/console/session', async (context) => {
    const address = addressOf(context);
    const waitMs = throttle.waitMs(address);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      context.header('Retry-After', `${seconds}`);
      return refuseSignIn(context, 429, `Too many wrong tokens. Try again in ${seconds} s.`);
    }
    const { token } = await readForm(context);
    const visitor = token === undefined ? undefined : options.identify(token.trim());
    if (visitor === undefined) {
      if (token !== undefined) throttle.refused(address);
      return refuseSignIn(context, 401, 'That token is not one of api.tokens.');
    }
    const id = sessions.begin(visitor);
    setCookie(context, COOKIE, id, { ...attributes, maxAge: SESSION_SECONDS });
    return context.redirect('/console', 303);
  });
  app.post('/console/session/end', (context) => {
    sessions.end(getCookie(context, COOKIE));
    deleteCookie(context, COOKIE, attributes);
    return context.redirect('/console', 303);
  });
}

function refuseSignIn(
  context: Context<ConsoleEnv>,
  status: 401 | 429,
  refused: string,
): Promise<Response> {
  return answer(context, status, (nonce) => signInPage({ refused }, nonce));
}

/** The sender's address: the browser, or the proxy in front. */
function addressOf(context: Context<ConsoleEnv>): string {
  // `app.request` gives no bindings.
  const env: ConsoleEnv['Bindings'] | undefined = context.env;
  return env?.incoming?.socket.remoteAddress ?? '';
}

async function readForm(context: Context): Promise<{ token: string | undefined }> {
  const { token } = await context.req.parseBody();
  return { token: typeof token === 'string' ? token : undefined };
}

/** Whether a person acted: the page's script adds `acted`, its automatic refresh does not. */
function isByPerson(context: Context): boolean {
  const isFragment = context.req.path === '/console/fragment';
  const name = isFragment ? 'acted' : 'reload';
  return (context.req.query(name) !== undefined) === isFragment;
}

/**
 * The console: one page rendered here. Its live part refreshes every two seconds. It only reads;
 * changes go through the API.
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
  mountHeaders(app, options);
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
