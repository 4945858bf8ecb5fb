import { html, raw } from 'hono/html';
import type { Markup } from './markup.ts';
import { STYLESHEET } from './stylesheet.ts';
import type { Visitor } from './session.ts';

const REFRESH_MS = 2_000;
/** Without scripts the browser reloads the whole page, less often. */
const RELOAD_SECONDS = 5;

/**
 * Refreshes the live part, one request at a time. Pauses while the page is hidden or text in it is
 * selected, so that a hash can be copied. Reports whether a person acted: only that extends a
 * session.
 */
const SCRIPT = `
const live = document.getElementById('live');
const isSelecting = () => {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && live.contains(selection.anchorNode);
};
let acted = false;
for (const name of ['pointermove', 'pointerdown', 'keydown', 'wheel']) {
  document.addEventListener(name, () => { acted = true; }, { passive: true });
}
const refresh = async () => {
  try {
    const path = acted ? '/console/fragment?acted' : '/console/fragment';
    acted = false;
    const answer = await fetch(path, { cache: 'no-store' });
    if (answer.status === 401) return location.reload();
    if (!answer.ok) throw new Error(answer.statusText);
    const text = await answer.text();
    if (!isSelecting()) live.innerHTML = text;
    document.body.dataset.link = 'up';
  } catch {
    document.body.dataset.link = 'down';
  }
};
const tick = async () => {
  if (!document.hidden) await refresh();
  setTimeout(tick, ${REFRESH_MS});
};
setTimeout(tick, ${REFRESH_MS});
document.addEventListener('visibilitychange', () => document.hidden || refresh());
`;

/** A ticket with a torn counterfoil. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#0f6b52" d="M4 7h24a2 2 0 0 1 2 2v4a3 3 0 0 0 0 6v4a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-4a3 3 0 0 0 0-6V9a2 2 0 0 1 2-2z"/><path stroke="#fff" stroke-width="1.6" stroke-dasharray="2 2" d="M12 8v16"/><path fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round" d="m17 16.5 2.5 2.5 5-5.5"/></svg>`;

function frame(
  content: { title: string; head?: Markup; body: Markup; bodyClass: string },
  nonce: string,
): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${content.title}</title>
        <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}" />
        <style nonce="${nonce}">
          ${raw(STYLESHEET)}
        </style>
        ${content.head ?? ''}
      </head>
      <body class="${content.bodyClass}">
        ${content.body}
      </body>
    </html>`;
}

const WORDMARK = html`<span class="logo" aria-hidden="true">${raw(ICON)}</span>Counterfoil`;

/** The console's page; `visitor` is absent when it is public. */
export function consolePage(
  content: { live: Markup; visitor: Visitor | undefined },
  nonce: string,
): Markup {
  const { live, visitor } = content;
  return frame(
    {
      title: 'Counterfoil',
      bodyClass: 'console',
      head: html`<noscript
        ><meta http-equiv="refresh" content="${RELOAD_SECONDS};url=/console?reload"
      /></noscript>`,
      body: html`<header>
          <h1>${WORDMARK}</h1>
          <p class="link" role="status">
            <span class="up">live</span><span class="down">no answer, trying again</span>
          </p>
          <nav>
            <a href="/docs">API</a>
            ${
              visitor === undefined
                ? ''
                : html`<form method="post" action="/console/session/end">
                    <span class="visitor">${visitor.name} · ${visitor.role}</span>
                    <button>Sign out</button>
                  </form>`
            }
          </nav>
        </header>
        <main id="live">${live}</main>
        <script nonce="${nonce}">
          ${raw(SCRIPT)};
        </script>`,
    },
    nonce,
  );
}

/** The sign-in page; `refused` says why the last token failed. */
export function signInPage(content: { refused: string | null }, nonce: string): Markup {
  return frame(
    {
      title: 'Sign in · Counterfoil',
      bodyClass: 'sign-in',
      body: html`<main>
        <form class="card" method="post" action="/console/session">
          <h1>${WORDMARK}</h1>
          <label for="token">API token</label>
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="off"
            required
            autofocus
            aria-describedby="hint"
          />
          ${
            content.refused === null
              ? ''
              : html`<p class="refused" role="alert">${content.refused}</p>`
          }
          <button>Sign in</button>
          <p class="hint" id="hint">
            Any role may look. The token stays here: the browser keeps a session cookie only.
          </p>
        </form>
      </main>`,
    },
    nonce,
  );
}
