import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HAS_BROWSER, Site, useBrowser } from '../console/browser/browser.ts';
import { fill } from '../console/browser/filled.ts';
import { CALM } from '../console/console-under-test.ts';
import { openContext, watched } from '../pages/browser.ts';
import { startScene } from '../simulator/inspector/scene.ts';
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
  creditLatency: { beganMs: 0, credits: 412, p50Ms: 640, p99Ms: 2_310, oldest: null },
  perMinute: HOUR,
} as const;

/** The images of the documentation: their name, page, width and theme. */
const SHOTS = [
  ['console.png', () => '/console', 1_440, 'light'],
  ['console-dark.png', () => '/console', 1_440, 'dark'],
  ['console-phone.png', () => '/console', 390, 'light'],
  [
    'deposit.png',
    ({ console: { open } }: Site) => `/console/deposits/${open.deposits()[0]?.deposit_id}`,
    1_440,
    'light',
  ],
  ['breaks.png', () => '/console/breaks', 1_440, 'light'],
  ['closed-day.png', () => '/console/close/2025-11-20', 1_440, 'light'],
  ['policy.png', () => '/console/policy', 1_440, 'light'],
] as const;

useBrowser();

test.runIf(HAS_BROWSER)('the images of the documentation are drawn', async () => {
  const site = await Site.open({ status: () => WORKING });
  await fill(site.console);
  for (const [name, path, width, theme] of SHOTS) {
    const page = await site.window({ as: 'olga', width, theme });
    await page.goto(path(site));
    await page.locator('[data-live="on"]').waitFor();
    await page.screenshot({ path: join(IMAGES, name), clip: clipOf(width), fullPage: true });
  }
  expect(site.faults).toEqual([]);
});

test.runIf(HAS_BROWSER)('the images of the inspector are drawn', async () => {
  const scene = await startScene();
  onTestFinished(() => scene.stop());
  const faults: string[] = [];
  const context = await openContext(scene.caller.core.controlUrl, {});
  const page = watched(await context.newPage(), faults);
  for (const [name, path] of [
    ['inspector.png', ''],
    ['inspector-notification.png', `/deliveries/${scene.waitingId}`],
  ] as const) {
    await page.goto(`/inspector${path}`);
    await page.locator('[data-live="on"]').waitFor();
    await page.screenshot({ path: join(IMAGES, name), clip: clipOf(1_440), fullPage: true });
  }
  expect(faults).toEqual([]);
});

/** The beginning of a page: the rest of a long one says little in a document. */
function clipOf(width: number): { x: number; y: number; width: number; height: number } {
  return { x: 0, y: 0, width, height: width < 800 ? 900 : 1_000 };
}
