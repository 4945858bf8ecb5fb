import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { fill } from '../filled-store.ts';
import { moveUnexplained } from '../../breaks/several-breaks.ts';
import { HAS_BROWSER, Site, useBrowser } from '../browser.ts';

const WIDTHS = [390, 820, 1_280] as const;

/** Opens one form that confirms an action after the other; names those that the window cuts off. */
function formsOutside(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const all = [...document.querySelectorAll('.confirm')];
    return all.flatMap((one) => {
      one.open = true;
      const { left, right, width } = one.querySelector('form').getBoundingClientRect();
      const isInside = left >= 0 && right <= document.documentElement.clientWidth && width > 250;
      one.open = false;
      return isInside ? [] : [one.querySelector('summary').textContent];
    });
  })()`);
}

/** The pages with such forms, and how many each has. */
async function pagesOf(site: Site): Promise<Readonly<Record<string, number>>> {
  await fill(site.console);
  await moveUnexplained(site.console, 1);
  const { open } = site.console;
  const rule = { until: open.at * 2, reason: 'ticket 4713', owner: 'finance' };
  await open.decide({ kind: 'exempt', rule: { ...rule, rule: 'dust', blockchainHash: '0xf6' } });
  const [moved] = open.rows<{ id: string }>(
    "SELECT break_id AS id FROM breaks WHERE type = 'unexplained_movement' AND state != 'resolved'",
  );
  return {
    '/console/close/2025-11-21': 1,
    [`/console/breaks/${moved?.id}`]: 5,
    '/console/breaks/exemptions': 1,
    '/console/policy': 6,
    '/console/runs': 1,
    '/console/access': 2,
    [`/console/deposits/${open.deposits()[0]?.deposit_id}`]: 1,
  };
}

describe.runIf(HAS_BROWSER)('forms that confirm an action', () => {
  useBrowser();

  test('open inside the window at every width', async () => {
    const site = await Site.open({ now: () => Date.UTC(2025, 10, 23) });
    const pages = await pagesOf(site);
    const page = await site.window({ as: 'ada' });
    const found: string[] = [];
    const counts: Record<string, number> = {};
    for (const path of Object.keys(pages)) {
      await page.goto(path);
      counts[path] = await page.locator('.confirm').count();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        found.push(...(await formsOutside(page)).map((label) => `${path} ${width}: ${label}`));
      }
    }
    expect([...found, ...site.faults]).toEqual([]);
    expect(counts).toEqual(pages);
  });
});
