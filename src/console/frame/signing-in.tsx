import type { Hono } from 'hono';
import { html } from 'hono/html';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { createHash } from 'node:crypto';
import type { Caller, Identify } from '../../api/access.ts';
import type { SignedInPeople } from '../../api/people/signed-in-people.ts';
import type { AssetUrls } from '../../pages/assets/assets.ts';
import type { IdentityProvider } from '../session/identity-provider.ts';
import type { Credential } from '../session/session-file.ts';
import { SESSION_SECONDS, type Sessions } from '../session/session.ts';
import { SignInThrottle } from '../session/sign-in-throttle.ts';
import type { ConsoleEnv, PageRequest } from './context.ts';
import { ownPage, pageOfForm } from './own-page.ts';
import { mountProviderSignIn } from './provider-sign-in.tsx';
import { SignInPage } from './sign-in-page.tsx';

const COOKIE = 'counterfoil_console';
const COOKIE_PATH = '/console';

/** The id of the request's session, from its cookie. */
export function sessionIdOf(pageRequest: PageRequest): string | undefined {
  return getCookie(pageRequest, COOKIE);
}

/** The sender's address: the browser, or the proxy in front. */
function addressOf(pageRequest: PageRequest): string {
  // `app.request` gives no bindings.
  const env: ConsoleEnv['Bindings'] | undefined = pageRequest.env;
  return env?.source ?? '';
}

/** What the sign-in page shows besides a refusal. */
export interface SignInSite {
  readonly assets: AssetUrls;
  /** Absent where people sign in with tokens alone. */
  readonly provider: IdentityProvider | undefined;
}

/** Answers with the sign-in page; afterwards the browser opens the page that was asked for. */
export function askToSignIn(
  pageRequest: PageRequest,
  { assets, provider }: SignInSite,
  refusal: {
    status: 200 | 401 | 403 | 429 | 503;
    refused: string | null;
    next?: string;
    written?: string;
  },
): Response | Promise<Response> {
  const { pathname, search } = new URL(pageRequest.req.url);
  const next = refusal.next ?? ownPage(`${pathname}${search}`);
  const name = provider?.name ?? null;
  const { refused, written = '' } = refusal;
  const page = <SignInPage {...{ assets, refused, next, written, provider: name }} />;
  return pageRequest.html(html`<!doctype html>${page}`, refusal.status);
}

/** Answers a form whose session has ended: nothing was done, and what its person wrote is kept. */
export async function askToSendAgain(
  pageRequest: PageRequest,
  site: SignInSite,
): Promise<Response> {
  const { reason } = await pageRequest.req.parseBody();
  return askToSignIn(pageRequest, site, {
    status: 401,
    refused: 'You are not signed in any more, and nothing was done. Sign in, and do it again.',
    next: pageOfForm(pageRequest.req.path),
    written: typeof reason === 'string' ? reason : '',
  });
}

/** Sign-in by an API token or at a provider, sign-out, and the notice that a person is at a page. */
export function mountSigningIn(
  app: Hono<ConsoleEnv>,
  sessions: Sessions,
  options: {
    readonly identify: Identify;
    readonly people: SignedInPeople;
    readonly now: () => number;
    readonly secure: boolean;
    readonly site: SignInSite;
  },
): void {
  const { site, secure, identify, people, now } = options;
  const attributes = { path: COOKIE_PATH, httpOnly: true, sameSite: 'Strict', secure } as const;
  const throttle = new SignInThrottle(options);
  const begin = (
    pageRequest: PageRequest,
    signedIn: { caller: Caller; credential: Credential },
  ): void => {
    const { caller, credential } = signedIn;
    const id = sessions.begin(credential);
    people.note({ ...caller, by: credential.kind, lastSignedInAt: now() });
    setCookie(pageRequest, COOKIE, id, { ...attributes, maxAge: SESSION_SECONDS });
  };
  const { provider, assets } = site;
  if (provider !== undefined) mountProviderSignIn(app, { ...options, provider, assets, begin });
  app.get('/console/session', (pageRequest) =>
    askToSignIn(pageRequest, site, {
      status: 200,
      refused: null,
      next: ownPage(pageRequest.req.query('next')),
    }),
  );
  app.post('/console/session', async (pageRequest) => {
    const { token, next: asked } = await pageRequest.req.parseBody();
    const next = ownPage(asked);
    const address = addressOf(pageRequest);
    const waitMs = throttle.waitMs(address);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      pageRequest.header('Retry-After', `${seconds}`);
      const refused = `Too many wrong tokens. Try again in ${seconds} s.`;
      return askToSignIn(pageRequest, site, { status: 429, refused, next });
    }
    const presented = typeof token === 'string' ? token.trim() : '';
    const caller = identify(presented);
    if (caller === undefined) {
      if (token !== undefined) throttle.refused(address);
      const refused =
        'That token is unknown or revoked. Check that you entered the whole token, or ask an admin for a new one.';
      return askToSignIn(pageRequest, site, { status: 401, refused, next });
    }
    const sha256 = createHash('sha256').update(presented).digest('hex');
    begin(pageRequest, { caller, credential: { kind: 'token', sha256 } });
    return pageRequest.redirect(next, 303);
  });
  app.post('/console/session/end', (pageRequest) => {
    sessions.end(sessionIdOf(pageRequest));
    deleteCookie(pageRequest, COOKIE, attributes);
    return pageRequest.redirect('/console', 303);
  });
  app.post('/console/session/acted', (pageRequest) => {
    sessions.acted(sessionIdOf(pageRequest));
    return pageRequest.body(null, 204);
  });
}
