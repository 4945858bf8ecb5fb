import { describe, expect, test } from 'vitest';
import { closeTwoDays, SECOND_DAY } from '../../close/closed-day.ts';
import { faultsOf, HAS_BROWSER, sidewaysIn, Site, useBrowser } from '../browser.ts';

const DAY = `/console/close/${SECOND_DAY}`;

async function closedSite(amounts?: readonly [string, string, string]): Promise<Site> {
  const site = await Site.open();
  await closeTwoDays(site.console, amounts);
  return site;
}

/** Amounts with 18 decimals that fill a column: 123 456 789.123456789012345678 and more. */
const LONG = [
  '123456789123456789012345678',
  '223456789123456789012345679',
  '987654321987654321012345678',
] as const;

describe.runIf(HAS_BROWSER)('closed days in a browser', () => {
  useBrowser();

  test.for([DAY, '/console/close/2025-11-01', '/console/close?month=2025-11'])(
    '%s has no fault for screen readers and fits every width in both themes',
    async (path) => {
      expect(await faultsOf(await closedSite(), path, 'olga')).toEqual([]);
    },
  );

  test('no table of a closed day scrolls sideways on a tablet, however long its amounts are', async () => {
    const site = await closedSite(LONG);
    const page = await site.window({ as: 'olga', width: 820 });
    await page.goto(DAY);
    expect(await page.locator('#differences').innerText()).toContain('unexplained');
    expect(await sidewaysIn(page)).toEqual([]);
  });
});
