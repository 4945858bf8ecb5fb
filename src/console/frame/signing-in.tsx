import type { Hono } from 'hono';
import { html } from 'hono/html';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Identify } from '../../api/access.ts';
import type { AssetUrls } from '../assets/assets.ts';
import { SESSION_SECONDS, type Sessions } from '../session/session.ts';
import { SignInThrottle } from '../session/sign-in-throttle.ts';
import type { ConsoleEnv, Visit } from './context.ts';
import { SignInPage } from './document.tsx';

const COOKIE = 'counterfoil_console';
const COOKIE_PATH = '/console';

/** The id of the visit's session, from its cookie. */
export function sessionIdOf(visit: Visit): string | undefined {
  return getCookie(visit, COOKIE);
}

/** The sender's address: the browser, or the proxy in front. */
function addressOf(visit: Visit): string {
  // `app.request` gives no bindings.
  const env: ConsoleEnv['Bindings'] | undefined = visit.env;
  return env?.source ?? '';
}

/** A page of this console; anything else a form or a link names leads to the overview. */
function ownPage(path: unknown): string {
  return typeof path === 'string' && /^\/console(?:[/?]|$)/.test(path) ? path : '/console';
}

/** Answers with the sign-in page; afterwards the browser opens the page that was asked for. */
export function askToSignIn(
  visit: Visit,
  assets: AssetUrls,
  refusal: { status: 200 | 401 | 429; refused: string | null; next?: string },
): Response | Promise<Response> {
  const { pathname, search } = new URL(visit.req.url);
  const next = refusal.next ?? ownPage(`${pathname}${search}`);
  const page = <SignInPage assets={assets} refused={refusal.refused} next={next} />;
  return visit.html(html`<!doctype html>${page}`, refusal.status);
}

/** Sign-in by an API token, sign-out, and the notice that a person is at an open page. */
export function mountSigningIn(
  app: Hono<ConsoleEnv>,
  sessions: Sessions,
  options: {
    readonly identify: Identify;
    readonly now: () => number;
    readonly secure: boolean;
    readonly assets: AssetUrls;
  },
): void {
  const { assets, secure, identify } = options;
  const attributes = { path: COOKIE_PATH, httpOnly: true, sameSite: 'Strict', secure } as const;
  const throttle = new SignInThrottle(options);
  app.get('/console/session', (visit) =>
    askToSignIn(visit, assets, {
      status: 200,
      refused: null,
      next: ownPage(visit.req.query('next')),
    }),
  );
  app.post('/console/session', async (visit) => {
    const { token, next: asked } = await visit.req.parseBody();
    const next = ownPage(asked);
    const address = addressOf(visit);
    const waitMs = throttle.waitMs(address);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      visit.header('Retry-After', `${seconds}`);
      const refused = `Too many wrong tokens. Try again in ${seconds} s.`;
      return askToSignIn(visit, assets, { status: 429, refused, next });
    }
    const visitor = typeof token === 'string' ? identify(token.trim()) : undefined;
    if (visitor === undefined) {
      if (token !== undefined) throttle.refused(address);
      const refused = 'That token is not one of api.tokens.';
      return askToSignIn(visit, assets, { status: 401, refused, next });
    }
    const id = sessions.begin(visitor);
    setCookie(visit, COOKIE, id, { ...attributes, maxAge: SESSION_SECONDS });
    return visit.redirect(next, 303);
  });
  app.post('/console/session/end', (visit) => {
    sessions.end(sessionIdOf(visit));
    deleteCookie(visit, COOKIE, attributes);
    return visit.redirect('/console', 303);
  });
  app.post('/console/session/acted', (visit) => {
    sessions.acted(sessionIdOf(visit));
    return visit.body(null, 204);
  });
}
