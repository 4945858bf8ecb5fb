import type { Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { AssetUrls } from '../../pages/assets/assets.ts';
import type { IdentityProvider, NotSignedIn, SignedIn } from '../session/identity-provider.ts';
import { SIGN_IN_SECONDS, SignInSeal } from '../session/sealed-sign-in.ts';
import type { ConsoleEnv, PageRequest } from './context.ts';
import { ownPage } from './own-page.ts';
import { SignedInPage, SignInPage } from './sign-in-page.tsx';

const COOKIE = 'counterfoil_sign_in';
const COOKIE_PATH = '/console/session';
const CALLBACK_PATH = '/console/session/callback';

/** The address to which the provider sends the browser back; register it there. */
function callbackUrl(pageRequest: PageRequest, secure: boolean): string {
  const url = new URL(CALLBACK_PATH, pageRequest.req.url);
  // A proxy may end TLS, so the request itself may look plain.
  if (secure) url.protocol = 'https:';
  return url.href;
}

/** Sign-in at a provider: the way there, and its answer. `begin` starts the person's session. */
export function mountProviderSignIn(
  app: Hono<ConsoleEnv>,
  options: {
    readonly provider: IdentityProvider;
    readonly now: () => number;
    readonly secure: boolean;
    readonly assets: AssetUrls;
    readonly begin: (pageRequest: PageRequest, signedIn: SignedIn) => void;
  },
): void {
  const { provider, secure, assets, begin } = options;
  const seal = new SignInSeal({ ...options, sharedSecret: provider.sharedSecret });
  // The browser sends a strict cookie neither to the callback nor along its redirects.
  const attributes = { path: COOKIE_PATH, httpOnly: true, sameSite: 'Lax', secure } as const;
  const refuse = (pageRequest: PageRequest, { kind, detail }: NotSignedIn, next: string) => {
    const page = <SignInPage {...{ assets, refused: detail, next, provider: provider.name }} />;
    return pageRequest.html(html`<!doctype html>${page}`, kind === 'refused' ? 403 : 503);
  };
  app.get('/console/session/provider', async (pageRequest) => {
    const next = ownPage(pageRequest.req.query('next'));
    const begun = await provider.begin({ redirectUri: callbackUrl(pageRequest, secure), next });
    if (begun.kind !== 'begun') return refuse(pageRequest, begun, next);
    const sealed = await seal.seal(begun.pending);
    setCookie(pageRequest, COOKIE, sealed, { ...attributes, maxAge: SIGN_IN_SECONDS });
    return pageRequest.redirect(begun.url.href, 303);
  });
  app.get(CALLBACK_PATH, async (pageRequest) => {
    const pending = await seal.open(getCookie(pageRequest, COOKIE) ?? '');
    deleteCookie(pageRequest, COOKIE, attributes);
    if (pending === undefined) {
      const detail =
        'This sign-in began in another browser, took longer than ten minutes, or the daemon was restarted. Sign in again.';
      return refuse(pageRequest, { kind: 'refused', detail }, '/console');
    }
    const answer = await provider.end(new URL(pageRequest.req.url).search, pending);
    if (answer.kind !== 'signed-in') return refuse(pageRequest, answer, pending.next);
    begin(pageRequest, answer);
    const page = <SignedInPage assets={assets} next={pending.next} />;
    return pageRequest.html(html`<!doctype html>${page}`);
  });
}
