import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Debian's, in order of price: the same pages cost the browser with windows twice the CPU. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) =>
  existsSync(path),
);

/** Tests of a browser are skipped where none is installed; `.ci/run` installs it. */
export const HAS_BROWSER = CHROMIUM !== undefined;

/** The widths at which axe reads every page: phone and desk. Axe takes most of a test's time. */
const WIDTHS = [390, 1_440] as const;
/** Further widths that every page must fit: a larger phone, a tablet, and a screen on a wall. */
const MORE_WIDTHS = [420, 820, 2_560] as const;
/** One line of a card on the narrowest phone. */
const PHONE_LINE = 310;
const THEMES = ['light', 'dark'] as const;
/** The rules of axe that depend on colours, which take longer than all others together. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'] as const;

/** A busy machine must not fail a test. */
const TIMEOUT_MS = 240_000;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;

/** Starts one browser for all tests of a file. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({
      ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }),
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

/** What axe finds wrong on a page, by all its rules or by those about colours alone. */
async function violations(page: Page, about: 'everything' | 'colours'): Promise<string[]> {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(AXE);
  const rules = about === 'colours' ? { runOnly: COLOUR_RULES } : {};
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  const found = await page.evaluate<{ id: string; nodes: { target: string[] }[] }[]>(
    `(async () => (await axe.run(${options})).violations.map(({id, nodes}) => ({id, nodes: nodes.map(({target}) => ({target}))})))()`,
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/**
 * What makes the page wider than the window: elements, by their selectors, or a text that hangs out of
 * its own; a table scrolls in its frame.
 */
function overflow(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const hangs = (one) =>
      one.getBoundingClientRect().right > width + 1 || one.scrollWidth > one.clientWidth + 1;
    return [...document.body.querySelectorAll('*')]
      .filter((one) => hangs(one) && !one.closest('.scroll'))
      .map((one) => 'too wide: ' + one.tagName + '.' + one.className);
  })()`);
}

/**
 * What lies wrong on a page: navigation outside the window, and parts that have no size or overlap.
 * No picture of another machine is compared, because its fonts move every pixel.
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

/**
 * Amounts that break within a number although one line of a phone's card would hold them. Every digit
 * of a longer one must be seen, so it may break.
 */
function brokenFigures(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const linesOf = (one) => {
      const tops = [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
        .flatMap((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return [...range.getClientRects()].filter(({ width }) => width > 0);
        });
      return new Set(tops.map(({ top }) => Math.round(top))).size;
    };
    const fits = (one) => {
      const line = document.createElement('span');
      const { font, letterSpacing } = getComputedStyle(one);
      Object.assign(line.style, { font, letterSpacing, position: 'absolute', whiteSpace: 'nowrap' });
      line.textContent = one.textContent;
      document.body.append(line);
      const { width } = line.getBoundingClientRect();
      line.remove();
      const card = one.closest('.card') ?? document.querySelector('main');
      const { paddingLeft, paddingRight } = getComputedStyle(card);
      const inner = card.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      return width <= Math.min(inner, ${PHONE_LINE});
    };
    return [...document.querySelectorAll('.figure, .units')]
      .filter((one) => linesOf(one) > 1 && fits(one))
      .map((one) => 'broken: ' + one.className + ' ' + one.textContent);
  })()`);
}

/** What does not fit at the window's width. */
async function unfitting(page: Page): Promise<string[]> {
  const found = await Promise.all([misplaced(page), brokenFigures(page), overflow(page)]);
  return found.flat();
}

/**
 * What is wrong for a screen reader, and texts that nobody could read, in both themes. Only colours
 * differ between them; a second run of all rules would read the same document again.
 */
async function unreadable(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    const about = theme === 'light' ? 'everything' : 'colours';
    found.push(...(await violations(page, about)).map((one) => `${theme}: ${one}`));
  }
  return found;
}

function isAmong(widths: readonly number[], width: number): boolean {
  return widths.includes(width);
}

/** What is wrong with an open page for a screen reader or at any width, in both themes. */
export async function faultsIn(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of [...WIDTHS, ...MORE_WIDTHS]) {
    await page.setViewportSize({ width, height: 900 });
    const here = await unfitting(page);
    if (isAmong(WIDTHS, width)) here.push(...(await unreadable(page)));
    found.push(...here.map((one) => `${name} ${width}: ${one}`));
  }
  return found;
}
