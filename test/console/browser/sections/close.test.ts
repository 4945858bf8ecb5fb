import { describe, expect, test } from 'vitest';
import { closeTwoDays, SECOND_DAY } from '../../close/closed-day.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from '../browser.ts';

const DAY = `/console/close/${SECOND_DAY}`;

async function closedSite(): Promise<Site> {
  const site = await Site.open();
  await closeTwoDays(site.console);
  return site;
}

describe.runIf(HAS_BROWSER)('closed days in a browser', () => {
  useBrowser();

  test.for([DAY, '/console/close/2025-11-01', '/console/close?month=2025-11'])(
    '%s has no fault for screen readers and fits every width in both themes',
    async (path) => {
      expect(await faultsOf(await closedSite(), path, 'olga')).toEqual([]);
    },
  );
});
