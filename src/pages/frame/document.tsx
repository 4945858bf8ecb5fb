import type { Child, PropsWithChildren } from 'hono/jsx';
import type { AssetUrls } from '../assets/assets.ts';
import type { Markup } from '../parts/markup.ts';
import { KeyboardHelp } from './keyboard-help.tsx';
import { Wordmark } from './mark.tsx';
import { Notice, type Message } from '../parts/notice.tsx';
import type { Section, Site } from './site.ts';

/** Without scripts the browser reloads a live page after so many seconds. */
const RELOAD_SECONDS = 15;

/** The head of every page, and its body. `live`: where an open page hears of changes. */
export function Document(
  props: PropsWithChildren<{
    title: string;
    assets: AssetUrls;
    head?: Child;
    bodyClass?: string;
    live?: Site['live'];
  }>,
): Markup {
  const { title, assets, head, bodyClass, live, children } = props;
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
      <body class={bodyClass} data-stream={live?.stream} data-acted={live?.acted}>
        {children}
      </body>
    </html>
  );
}

function Navigation({ site, path }: { site: Site; path: string }): Markup {
  const isHere = (section: Section): boolean =>
    path === section.path || (section.path !== site.home && path.startsWith(`${section.path}/`));
  return (
    <nav class="sections" aria-label="Sections">
      <ul>
        {site.sections.map((section) => (
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

/** `reload` in the address: no person asks, so it does not extend a session. */
function Reload({ path }: { path: string }): Markup {
  return (
    <noscript>
      <meta http-equiv="refresh" content={`${RELOAD_SECONDS};url=${path}?reload`} />
    </noscript>
  );
}

/** The frame of every page. */
export function FramedPage(page: {
  site: Site;
  title: string;
  body: Markup;
  path: string;
  /** Reloads itself in browsers without scripts. */
  reloads: boolean;
  message: Message | null;
  /** At the right of the header: links, and who is signed in. */
  aside: Child;
  /** Where an open page hears of changes, when it may. */
  live: Site['live'];
}): Markup {
  const { site, title, body, path, message, aside, live } = page;
  const { search } = site;
  return (
    <Document
      title={`${title} · ${site.name}`}
      assets={site.assets}
      live={live}
      head={page.reloads && <Reload path={path} />}
    >
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <a class="home" href={site.home}>
          <Wordmark name={site.name} />
        </a>
        <p class="link" role="status">
          <span class="up">live</span>
          <span class="down">no answer, trying again</span>
          <span class="ended">signed out</span>
        </p>
        <form class="search" role="search" method="get" action={search.action}>
          <input
            type="search"
            name="q"
            aria-label={search.label}
            placeholder="Search ( / )"
            autocomplete="off"
          />
        </form>
        <div class="who">
          <button type="button" class="keys" aria-haspopup="dialog">
            Keys
          </button>
          {aside}
        </div>
        <Navigation site={site} path={path} />
      </header>
      <main id="main" tabindex={-1}>
        <h1>{title}</h1>
        {message !== null && <Notice message={message} />}
        {body}
      </main>
      <KeyboardHelp sections={site.sections} />
    </Document>
  );
}
