import type { AssetUrls } from '../../pages/assets/assets.ts';
import { Document } from '../../pages/frame/document.tsx';
import { Wordmark } from '../../pages/frame/mark.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { SESSION_HOURS } from '../session/session.ts';

/**
 * The sign-in page; `refused` says why the last sign-in or form failed, `next` is the page to open
 * after, and `written` is the text of that form, to copy.
 */
export function SignInPage(page: {
  assets: AssetUrls;
  refused: string | null;
  next: string;
  written?: string;
  /** Where people sign in without a token; null: nowhere. */
  provider: string | null;
}): Markup {
  const { assets, refused, next, written = '', provider } = page;
  return (
    <Document title="Sign in · Counterfoil" assets={assets} bodyClass="sign-in">
      <main>
        <form class="card" method="post" action="/console/session">
          <h1>
            <Wordmark name="Counterfoil" />
          </h1>
          {provider !== null && (
            <a class="button primary" href={linkTo('/console/session/provider', { next })}>
              Sign in at {provider}
            </a>
          )}
          <label for="token">API token</label>
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="off"
            required
            autofocus={provider === null}
            aria-describedby="hint"
          />
          <input type="hidden" name="next" value={next} />
          {refused !== null && (
            <p class="refused" role="alert">
              {refused}
            </p>
          )}
          {written !== '' && (
            <p class="hint">
              You wrote: <q>{written}</q>
            </p>
          )}
          <button class="primary">Sign in</button>
          <p class="hint" id="hint">
            Every role may sign in. Your browser sends the token to this server once and does not
            keep it. The server does not keep it either, only its SHA-256. The browser keeps a
            session cookie until you sign out, at most {SESSION_HOURS} hours.
          </p>
        </form>
      </main>
    </Document>
  );
}

/**
 * Leads on to a page of the console. A page of its own, because browsers do not send the session's
 * cookie along while they still follow the provider's answer.
 */
export function SignedInPage({ assets, next }: { assets: AssetUrls; next: string }): Markup {
  return (
    <Document
      title="Signed in · Counterfoil"
      assets={assets}
      bodyClass="sign-in"
      head={<meta http-equiv="refresh" content={`0;url=${next}`} />}
    >
      <main>
        <div class="card">
          <h1>
            <Wordmark name="Counterfoil" />
          </h1>
          <p>
            You are signed in. <a href={next}>Continue</a>
          </p>
        </div>
      </main>
    </Document>
  );
}
