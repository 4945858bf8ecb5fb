import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';

/** Tests of a browser are skipped where none is installed; `.ci/run` installs it. */
export const HAS_BROWSER = existsSync(CHROMIUM);

/** The widths that every page must fit: phone, tablet, desk. */
const WIDTHS = [390, 820, 1_440] as const;
const THEMES = ['light', 'dark'] as const;

/** A busy machine must not fail a test. */
const TIMEOUT_MS = 240_000;

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

/** How a person looks at a site. */
export interface Window {
  readonly width?: number;
  readonly theme?: (typeof THEMES)[number];
  readonly scripts?: boolean;
}

/** A browser context of its own, which the end of the test closes. */
export async function openContext(url: string, window: Window): Promise<BrowserContext> {
  const { width = 1_440, theme = 'light', scripts = true } = window;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: 900 },
    colorScheme: theme,
    javaScriptEnabled: scripts,
    locale: 'en-GB',
    timezoneId: 'Europe/Zurich',
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  onTestFinished(() => context.close());
  return context;
}

/** Adds to `faults` what the page could not load or run, by its own policy or by an error. */
export function watched(page: Page, faults: string[]): Page {
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return page;
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
      .filter((one) => one.getBoundingClientRect().right > width + 1 && !one.closest('.scroll'))
      .map((one) => one.tagName + '.' + one.className);
  })()`);
}

/**
 * What lies wrong on a page: navigation outside the window, and parts that have no size or overlap.
 * No picture is compared, because another machine's fonts move every pixel.
 */
function misplaced(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const name = (one) => one.tagName + '#' + one.id + '.' + one.className;
    const boxOf = (one) => one.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const tabs = [...document.querySelectorAll('.sections a')]
      .filter((one) => boxOf(one).left < 0 || boxOf(one).right > width + 1)
      .map((one) => 'off the window: ' + one.textContent);
    const parts = [...document.querySelectorAll('header.top, main h1, main .card')];
    const empty = parts
      .filter((one) => boxOf(one).width === 0 || boxOf(one).height === 0)
      .map((one) => 'without size: ' + name(one));
    const overlapping = parts.flatMap((one, index) =>
      parts.slice(index + 1).flatMap((other) => {
        if (one.contains(other) || other.contains(one)) return [];
        const [a, b] = [boxOf(one), boxOf(other)];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        return across > 1 && down > 1 ? ['overlapping: ' + name(one) + ' ' + name(other)] : [];
      }),
    );
    return [...tabs, ...empty, ...overlapping];
  })()`);
}

/** What is wrong with an open page for a screen reader or a narrow window, over all looks. */
export async function faultsIn(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const lies = await misplaced(page);
    found.push(...lies.map((one) => `${name} ${width}: ${one}`));
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      const wrong = [...(await violations(page)), ...(await overflow(page))];
      found.push(...wrong.map((one) => `${name} ${width} ${theme}: ${one}`));
    }
  }
  return found;
}
