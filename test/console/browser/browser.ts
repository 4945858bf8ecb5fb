import { serve, type ServerType } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { apiUnderTest, tokenOf, type ApiUnderTest, type Person } from '../../api/api-under-test.ts';
import { faultsIn, openContext, watched, type Window } from '../../pages/browser.ts';
import { ConsoleUnderTest, type ConsoleTestOptions } from '../console-under-test.ts';

export { HAS_BROWSER, useBrowser } from '../../pages/browser.ts';

/** The tables of a page that scroll sideways in their cards, by their captions. */
export function sidewaysIn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('.scroll')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.getAttribute('aria-label'))`);
}

export interface Look extends Window {
  /** Whom the browser signs in; nobody for a stranger or a public console. */
  readonly as?: Person;
}

/** A console that listens on loopback, over a store that the test fills. */
export class Site {
  readonly console: ConsoleUnderTest;
  readonly url: string;
  /** Whatever a page could not load or run, by its own policy or by an error. */
  readonly faults: string[] = [];

  private constructor(console: ConsoleUnderTest, url: string) {
    this.console = console;
    this.url = url;
  }

  /** `api`: over a store that the test has opened. */
  static async open(options: ConsoleTestOptions = {}, api?: ApiUnderTest): Promise<Site> {
    const console = new ConsoleUnderTest(api ?? (await apiUnderTest()), options);
    const app = console.app.route('/', console.api.app);
    const server = await new Promise<ServerType>((resolve) => {
      const started = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () =>
        resolve(started),
      );
    });
    onTestFinished(() => {
      console.changes.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return new Site(console, `http://127.0.0.1:${port}`);
  }

  /** A window of its own, signed in where the look says so. */
  async window(look: Look = {}): Promise<Page> {
    const context = await openContext(this.url, look);
    if (look.as !== undefined) await this.#signIn(context, look.as);
    return watched(await context.newPage(), this.faults);
  }

  async #signIn(context: BrowserContext, as: Person): Promise<void> {
    const answer = await context.request.post('/console/session', {
      form: { token: tokenOf(as) },
      headers: { 'Sec-Fetch-Site': 'same-origin' },
      maxRedirects: 0,
    });
    if (answer.status() !== 303) throw new Error(`${as} could not sign in: ${answer.status()}`);
  }
}

/** The page wherever it fits badly or a reader with a screen reader would fail, over all looks. */
export async function faultsOf(site: Site, path: string, as?: Person): Promise<string[]> {
  const page = await site.window(as === undefined ? {} : { as });
  await page.goto(path);
  return [...(await faultsIn(page, path)), ...site.faults];
}

/** Waits until the page has received an event of its stream, which may change nothing in it. */
export async function eventSeen(page: Page, cause: () => void): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const seen = new Promise<void>((resolve) => {
    session.on('Network.eventSourceMessageReceived', ({ eventName }) => {
      if (eventName === 'changed') resolve();
    });
  });
  cause();
  await seen;
  // A round trip: the page has handled the event.
  await page.evaluate('0');
}
