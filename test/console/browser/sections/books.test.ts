import { describe, expect, test } from 'vitest';
import { book, LONG_HASH } from '../../books/booked-hash.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from '../browser.ts';

const POSITION = 'vaultId=v1&accountId=acc-1&addressId=adr-1&asset=ethereum%3AETH';

describe.runIf(HAS_BROWSER)('the books in a browser', () => {
  useBrowser();

  test.for([
    '/console/books?view=chain&asOf=2025-11-20',
    `/console/books/statement?${POSITION}&from=2025-11-01&to=2025-11-02`,
    `/console/books/statement?${POSITION}&from=2025-11-19T13:00:00.000Z&to=2025-11-20T13:00:00.000Z`,
    `/console/books/movements/${LONG_HASH}`,
  ])('%s has no fault for screen readers and fits every width in both themes', async (path) => {
    const site = await Site.open();
    await book(site.console);
    expect(await faultsOf(site, path, 'vera')).toEqual([]);
  });

  test.for([true, false])(
    'from a balance to the bytes that prove it takes three clicks (scripts: %s)',
    async (scripts) => {
      const site = await Site.open();
      await book(site.console);
      const page = await site.window({ as: 'olga', scripts });
      await page.goto('/console/books?asset=ethereum:ETH');
      await page.locator('tbody a.id').first().click();
      await page.getByText('Closing so far').waitFor();
      await page.locator('tbody a.id').last().click();
      await page.getByRole('heading', { name: 'Movements' }).waitFor();
      await page.locator('#conservation').getByText('differs').waitFor();
      await page
        .getByRole('link', { name: /^notification/ })
        .first()
        .click();
      await page.getByText('"wd-tx"').waitFor();
      expect(site.faults).toEqual([]);
    },
  );

  test('on a phone, a line that repeats no entry shows no empty names', async () => {
    const site = await Site.open();
    await book(site.console);
    const page = await site.window({ as: 'vera', width: 390 });
    await page.goto(`/console/books/movements/${LONG_HASH}`);
    const empty = page.locator('td', { has: page.locator('.cell:empty') });
    expect(await empty.count()).toBeGreaterThan(0);
    expect(await empty.filter({ visible: true }).count()).toBe(0);
    const same = page.getByText('the same entry').first();
    expect((await same.boundingBox())?.width).toBeGreaterThan(20);
    // A wide window has columns, which stay.
    await page.setViewportSize({ width: 1_280, height: 900 });
    expect(await empty.filter({ visible: true }).count()).toBeGreaterThan(0);
  });

  test('a period is chosen without scripts, and the link keeps it', async () => {
    const site = await Site.open();
    await book(site.console);
    const page = await site.window({ as: 'vera', scripts: false });
    await page.goto(`/console/books/statement?${POSITION}`);
    await page.getByLabel('From (UTC day)').fill('2025-11-19');
    await page.getByLabel('Until, this day included').fill('2025-11-20');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL('**/console/books/statement?*from=2025-11-19&to=2025-11-20');
    expect(await page.getByText('Moved by 5 lines').isVisible()).toBe(true);
  });
});
