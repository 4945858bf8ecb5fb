import { describe, expect, test } from 'vitest';
import { HAS_BROWSER, Site, useBrowser } from '../browser.ts';

describe.runIf(HAS_BROWSER)('the settings in a browser', () => {
  useBrowser();

  test('a long value breaks over lines on a phone, so that all of it is seen', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'olga', width: 390 });
    await page.goto('/console/settings');
    await page.getByText('custody.vaults').waitFor();
    const [inner, outer] = await page.evaluate<number[]>(`(() => {
      const { scrollWidth, clientWidth } = document.querySelector('#settings .scroll');
      return [scrollWidth, clientWidth];
    })()`);
    expect(inner).toBeLessThanOrEqual(outer ?? 0);
  });
});
