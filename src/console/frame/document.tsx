import type { Child, PropsWithChildren } from 'hono/jsx';
import type { AssetUrls } from '../assets/assets.ts';
import type { Markup } from '../parts/markup.ts';
import type { Message, Visitor } from '../session/session.ts';
import { KeyboardHelp } from './keyboard-help.tsx';
import { Wordmark } from './mark.tsx';
import type { Section } from './sections.ts';

/** Without scripts the browser reloads a live page after so many seconds. */
const RELOAD_SECONDS = 15;

function Document(
  props: PropsWithChildren<{ title: string; assets: AssetUrls; head?: Child; bodyClass: string }>,
): Markup {
  const { title, assets, head, bodyClass, children } = props;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.stylesheet} />
        {assets.scripts.map((script) => (
          <script type={script.type} src={script.url} defer />
        ))}
        {head}
      </head>
      <body class={bodyClass}>{children}</body>
    </html>
  );
}

function Navigation({ sections, path }: { sections: readonly Section[]; path: string }): Markup {
  const isHere = (section: Section): boolean =>
    path === section.path || (section.path !== '/console' && path.startsWith(`${section.path}/`));
  return (
    <nav class="sections" aria-label="Sections">
      <ul>
        {sections.map((section) => (
          <li>
            <a
              href={section.path}
              aria-current={isHere(section) ? 'page' : undefined}
              data-key={section.key}
            >
              {section.name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Person({ visitor, path }: { visitor: Visitor | undefined; path: string }): Markup {
  if (visitor === undefined) {
    return <a href={`/console/session?next=${encodeURIComponent(path)}`}>Sign in to act</a>;
  }
  return (
    <form class="person" method="post" action="/console/session/end">
      <span class="visitor">
        {visitor.name} · {visitor.role}
      </span>
      <button>Sign out</button>
    </form>
  );
}

function MessageNotice({ message }: { message: Message }): Markup {
  return (
    <div class={`notice ${message.tone}`} role={message.tone === 'alarm' ? 'alert' : 'status'}>
      <b>{message.title}</b>
      {message.detail === null ? '' : <p>{message.detail}</p>}
    </div>
  );
}

/** `reload` in the address: no person asks, so it does not extend a session. */
function Reload({ path }: { path: string }): Markup {
  return (
    <noscript>
      <meta http-equiv="refresh" content={`${RELOAD_SECONDS};url=${path}?reload`} />
    </noscript>
  );
}

/** The frame of every page; `visitor` is absent when a stranger looks at a public console. */
export function FramedPage(page: {
  title: string;
  body: Markup;
  assets: AssetUrls;
  sections: readonly Section[];
  path: string;
  /** Reloads itself in browsers without scripts. */
  reloads: boolean;
  visitor: Visitor | undefined;
  message: Message | null;
}): Markup {
  const { title, body, assets, sections, path, visitor, message } = page;
  return (
    <Document
      title={`${title} · Counterfoil`}
      assets={assets}
      bodyClass={visitor === undefined ? 'console' : 'console signed-in'}
      head={page.reloads ? <Reload path={path} /> : ''}
    >
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <a class="home" href="/console">
          <Wordmark />
        </a>
        <p class="link" role="status">
          <span class="up">live</span>
          <span class="down">no answer, trying again</span>
        </p>
        <form class="search" role="search" method="get" action="/console/search">
          <input
            type="search"
            name="q"
            aria-label="Search by id, hash, address, memo or day"
            placeholder="Search ( / )"
            autocomplete="off"
          />
        </form>
        <div class="who">
          <button type="button" class="keys" aria-haspopup="dialog">
            Keys
          </button>
          <a href="/docs">API</a>
          <Person visitor={visitor} path={path} />
        </div>
        <Navigation sections={sections} path={path} />
      </header>
      <main id="main" tabindex={-1}>
        <h1>{title}</h1>
        {message === null ? '' : <MessageNotice message={message} />}
        {body}
      </main>
      <KeyboardHelp sections={sections} />
    </Document>
  );
}

/** The sign-in page; `refused` says why the last token failed, `next` is the page to open after. */
export function SignInPage(page: {
  assets: AssetUrls;
  refused: string | null;
  next: string;
}): Markup {
  const { assets, refused, next } = page;
  return (
    <Document title="Sign in · Counterfoil" assets={assets} bodyClass="sign-in">
      <main>
        <form class="card" method="post" action="/console/session">
          <h1>
            <Wordmark />
          </h1>
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
          <input type="hidden" name="next" value={next} />
          {refused === null ? (
            ''
          ) : (
            <p class="refused" role="alert">
              {refused}
            </p>
          )}
          <button class="primary">Sign in</button>
          <p class="hint" id="hint">
            Any role may look. The token stays here: the browser keeps a session cookie only.
          </p>
        </form>
      </main>
    </Document>
  );
}
