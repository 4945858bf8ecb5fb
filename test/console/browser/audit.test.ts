import { describe, expect, test } from 'vitest';
import { closeTwoDays } from '../close/closed-day.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from './browser.ts';

describe.runIf(HAS_BROWSER)('the list of decisions in a browser', () => {
  useBrowser();

  test('has no fault for screen readers and fits every width in both themes', async () => {
    const site = await Site.open();
    await closeTwoDays(site.console);
    const olga = await site.console.as('olga');
    await olga.send('/console/policy/halt', { asset: 'ethereum:ETH', reason: 'a fork' });
    expect(await faultsOf(site, '/console/audit', 'vera')).toEqual([]);
  });
});
