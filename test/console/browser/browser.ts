import { serve, type ServerType } from '@hono/node-server';
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { ConsoleOptions } from '../../../src/console/application.ts';
import { apiUnderTest, tokenOf, type Person } from '../../api/api-under-test.ts';
import { ConsoleUnderTest } from '../console-under-test.ts';

const CHROMIUM = '/usr/bin/chromium';

/** Tests of a browser are skipped where none is installed; `.ci/run` installs it. */
export const HAS_BROWSER = existsSync(CHROMIUM);

/** The widths that every page must fit: phone, tablet, desk. */
export const WIDTHS = [390, 820, 1_440] as const;
export const THEMES = ['light', 'dark'] as const;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;

/** Starts one browser for all tests of a file. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
  });
  afterAll(() => browser.close());
}

export interface Look {
  /** Whom the browser signs in; nobody for a stranger or a public console. */
  readonly as?: Person;
  readonly width?: number;
  readonly theme?: (typeof THEMES)[number];
  readonly scripts?: boolean;
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

  static async open(options: Partial<ConsoleOptions> = {}): Promise<Site> {
    const console = new ConsoleUnderTest(await apiUnderTest(), options);
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
    const { width = 1_440, theme = 'light', scripts = true, as } = look;
    const context = await browser.newContext({
      baseURL: this.url,
      viewport: { width, height: 900 },
      colorScheme: theme,
      javaScriptEnabled: scripts,
      locale: 'en-GB',
      timezoneId: 'Europe/Zurich',
    });
    onTestFinished(() => context.close());
    if (as !== undefined) await this.#signIn(context, as);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(message.text());
    });
    return page;
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

/** What axe finds wrong on a page: `color-contrast: .badge`. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(AXE);
  const found = await page.evaluate<{ id: string; nodes: { target: string[] }[] }[]>(
    '(async () => (await axe.run()).violations.map(({id, nodes}) => ({id, nodes: nodes.map(({target}) => ({target}))})))()',
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Elements that are wider than the window, by their selectors; a table scrolls in its frame. */
export function overflow(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.body.querySelectorAll('*')]
      .filter((one) => one.getBoundingClientRect().right > width + 1 && !one.closest('.scroll, .sections'))
      .map((one) => one.tagName + '.' + one.className);
  })()`);
}

/** The page wherever it fits badly or a reader with a screen reader would fail, over all looks. */
export async function faultsOf(site: Site, path: string, as?: Person): Promise<string[]> {
  const found: string[] = [];
  const page = await site.window(as === undefined ? {} : { as });
  await page.goto(path);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      const wrong = [...(await violations(page)), ...(await overflow(page))];
      found.push(...wrong.map((one) => `${path} ${width} ${theme}: ${one}`));
    }
  }
  return [...found, ...site.faults];
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
