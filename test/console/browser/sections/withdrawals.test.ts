import { describe, expect, test } from 'vitest';
import { LONG_HASH } from '../../books/booked-hash.ts';
import { send } from '../../withdrawals/sent-withdrawals.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from '../browser.ts';

describe.runIf(HAS_BROWSER)('withdrawals in a browser', () => {
  useBrowser();

  test.for(['/console/withdrawals?vaultId=v2', '/console/withdrawals/wd-4'])(
    '%s has no fault for screen readers and fits every width in both themes',
    async (path) => {
      const site = await Site.open();
      await send(site.console);
      expect(await faultsOf(site, path, 'olga')).toEqual([]);
    },
  );

  test('the life of a withdrawal with a hash of a real length fits every width', async () => {
    const site = await Site.open();
    const { open, service } = site.console;
    await open.deliver(service.outgoing('mined', { blockchainHash: LONG_HASH }));
    expect(await faultsOf(site, '/console/withdrawals/wd-tx', 'olga')).toEqual([]);
  });

  test.for([true, false])(
    'from the list to the entries of its hash takes two clicks (scripts: %s)',
    async (scripts) => {
      const site = await Site.open();
      await send(site.console);
      const page = await site.window({ as: 'vera', scripts });
      await page.goto('/console/withdrawals?status=failed');
      await page.getByRole('link', { name: 'wd-2' }).click();
      await page.getByText('It failed.').waitFor();
      await page.getByRole('link', { name: 'Every entry' }).click();
      await page.getByRole('heading', { name: 'Movements' }).waitFor();
      expect(await page.getByText('burned fee').first().isVisible()).toBe(true);
      expect(site.faults).toEqual([]);
    },
  );
});
