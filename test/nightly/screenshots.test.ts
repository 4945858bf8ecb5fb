import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HAS_BROWSER, Site, useBrowser } from '../console/browser/browser.ts';
import { fill } from '../console/browser/filled.ts';
import { CALM } from '../console/console-under-test.ts';
import { START } from '../store/open-ledger.ts';
import { REPOSITORY } from '../house/source.ts';

const IMAGES = join(REPOSITORY, 'docs/images');

/** An hour with a burst, the same in every run. */
const HOUR = Array.from({ length: 60 }, (_, minute) => ({
  at: START - (START % 60_000) + (minute - 59) * 60_000,
  count: 40 + ((minute * 37) % 23) + (minute > 41 && minute < 47 ? 90 : 0),
}));

const WORKING = {
  ...CALM,
  custody: { circuit: 'closed', access: 'granted' },
  creditLatency: { credits: 412, p50Ms: 640, p99Ms: 2_310, oldest: null },
  perMinute: HOUR,
} as const;

/** The images of the documentation: their name, page, width and theme. */
const SHOTS = [
  ['console.png', '/console', 1_440, 'light'],
  ['console-dark.png', '/console', 1_440, 'dark'],
  ['console-phone.png', '/console', 390, 'light'],
] as const;

useBrowser();

test.runIf(HAS_BROWSER)('the images of the documentation are drawn', async () => {
  const site = await Site.open({ status: () => WORKING });
  await fill(site.console);
  for (const [name, path, width, theme] of SHOTS) {
    const page = await site.window({ as: 'olga', width, theme });
    await page.goto(path);
    await page.locator('[data-live="on"]').waitFor();
    await page.screenshot({ path: join(IMAGES, name), clip: clipOf(width), fullPage: true });
  }
  expect(site.faults).toEqual([]);
});

/** The beginning of a page: the rest of a long one says little in a document. */
function clipOf(width: number): { x: number; y: number; width: number; height: number } {
  return { x: 0, y: 0, width, height: width < 800 ? 900 : 1_000 };
}
