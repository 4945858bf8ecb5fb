import { describe, expect, test } from 'vitest';
import { closeTwoDays, SECOND_DAY } from '../close/closed-day.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from './browser.ts';

const DAY = `/console/close/${SECOND_DAY}`;

async function closedSite(): Promise<Site> {
  const site = await Site.open();
  await closeTwoDays(site.console);
  return site;
}

describe.runIf(HAS_BROWSER)('closed days in a browser', () => {
  useBrowser();

  test.for(['/console/close?month=2025-11', DAY, '/console/close/2025-11-01'])(
    '%s has no fault for screen readers and fits every width in both themes',
    async (path) => {
      expect(await faultsOf(await closedSite(), path, 'olga')).toEqual([]);
    },
  );

  test.for([true, false])(
    'two people prepare and review a day, each in four clicks (scripts: %s)',
    async (scripts) => {
      const site = await closedSite();
      const sign = async (as: 'olga' | 'otto', label: string, done: string): Promise<void> => {
        const page = await site.window({ as, scripts });
        await page.goto('/console/close?month=2025-11');
        await page.locator(`a.day[href="${DAY}"]`).click();
        await page.getByText(`${label}…`).click();
        await page.getByLabel('Reason').fill('compared with the statement');
        await page.getByRole('button', { name: label, exact: true }).click();
        await page.getByText(done).waitFor();
      };
      await sign('olga', 'Prepare', `You prepared ${SECOND_DAY}.`);
      await sign('otto', 'Review', `You reviewed ${SECOND_DAY}.`);
      expect(site.faults).toEqual([]);
      expect(site.console.open.rows('SELECT person FROM close_signatures ORDER BY seq')).toEqual([
        { person: 'olga' },
        { person: 'otto' },
      ]);
    },
  );
});
