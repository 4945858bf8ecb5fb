import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HAS_BROWSER, Site, useBrowser } from '../console/browser/browser.ts';
import type { OpenLedger } from '../store/open-ledger.ts';
import { CALM } from '../console/console-under-test.ts';
import { openContext, watched } from '../pages/browser.ts';
import { startScene } from '../simulator/inspector/scene.ts';
import { REPOSITORY } from '../house/source.ts';
import { apiUnderTest } from '../api/api-under-test.ts';
import { CLOSED_DAY, MORNING_AT, POLICY, WorkingDay } from './working-day.ts';

const IMAGES = join(REPOSITORY, 'docs/images');

/** An hour with a burst, the same in every run. */
const HOUR = Array.from({ length: 60 }, (_, minute) => ({
  at: MORNING_AT + (minute - 59) * 60_000,
  count: 40 + ((minute * 37) % 23) + (minute > 41 && minute < 47 ? 90 : 0),
}));

const WORKING = {
  ...CALM,
  custody: { circuit: 'closed', failures: 0, access: 'granted', requests: { minute: 1, hour: 9 } },
  creditLatency: { beganMs: 0, credits: 412, p50Ms: 640, p99Ms: 2_310, oldest: null },
  countedFromMs: 0,
  perMinute: HOUR,
} as const;

/** The images of the documentation: their name, page, width and theme. */
const SHOTS = [
  ['console.png', () => '/console', 1_440, 'light'],
  ['console-dark.png', () => '/console', 1_440, 'dark'],
  ['console-phone.png', () => '/console', 390, 'light'],
  [
    'deposit.png',
    ({ console: { open } }: Site) => `/console/deposits/${heldIn(open)}`,
    1_440,
    'light',
  ],
  ['breaks.png', () => '/console/breaks', 1_440, 'light'],
  ['closed-day.png', () => `/console/close/${CLOSED_DAY}`, 1_440, 'light'],
  ['policy.png', () => '/console/policy', 1_440, 'light'],
] as const;

useBrowser();

test.runIf(HAS_BROWSER)('the images of the documentation are drawn', async () => {
  const site = await Site.open({ status: () => WORKING }, await apiUnderTest(POLICY));
  const day = new WorkingDay(site.console);
  await day.close();
  await day.morning();
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
    ['inspector-notification.png', `/deliveries/${scene.pendingId}`],
  ] as const) {
    await page.goto(`/inspector${path}`);
    await page.locator('[data-live="on"]').waitFor();
    await page.screenshot({ path: join(IMAGES, name), clip: clipOf(1_440), fullPage: true });
  }
  expect(faults).toEqual([]);
});

/** A deposit that waits for a person's approval. */
function heldIn(open: OpenLedger): string {
  const held = open.deposits().find(({ reason }) => reason === 'approval_required');
  if (held === undefined) throw new Error('no deposit waits for approval');
  return held.deposit_id;
}

/** The beginning of a page: the rest of a long one says little in a document. */
function clipOf(width: number): { x: number; y: number; width: number; height: number } {
  return { x: 0, y: 0, width, height: width < 800 ? 900 : 1_000 };
}
