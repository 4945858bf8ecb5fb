import { describe, expect, test } from 'vitest';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from './browser.ts';
import { fill } from './filled.ts';

describe.runIf(HAS_BROWSER)('the policy in a browser', () => {
  useBrowser();

  test.for(['/console/policy', '/console/policy/history', '/console/policy/change'])(
    '%s has no fault for screen readers and fits every width in both themes',
    async (path) => {
      const site = await Site.open();
      await fill(site.console);
      expect(await faultsOf(site, path, 'ada')).toEqual([]);
    },
  );

  test.for([true, false])(
    'an operator halts an asset and resumes it, in two clicks each (scripts: %s)',
    async (scripts) => {
      const site = await Site.open();
      await fill(site.console);
      const page = await site.window({ as: 'olga', scripts });
      await page.goto('/console/policy');
      const one = page.locator('.switch').filter({ hasText: 'asset ethereum:ETH' });
      for (const [label, state] of [
        ['Halt', 'halted'],
        ['Resume', 'crediting'],
      ] as const) {
        await one.getByText(`${label} asset ethereum:ETH…`).click();
        await one.getByLabel('Reason').fill('a fork');
        await one.getByRole('button', { name: label }).click();
        await one.getByText(state, { exact: true }).waitFor();
      }
      expect(site.faults).toEqual([]);
      expect(site.console.open.rows("SELECT actor FROM policies WHERE source = 'api'")).toEqual([
        { actor: 'olga' },
        { actor: 'olga' },
      ]);
    },
  );

  test('an admin sets a policy in three clicks, without scripts', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'ada', scripts: false });
    await page.goto('/console/policy');
    await page.getByRole('link', { name: 'Change…' }).click();
    await page.locator('[name="confirmations-0"]').fill('9');
    await page.getByRole('button', { name: 'Review the change' }).click();
    await page.locator('ins').getByText('9').waitFor();
    await page.getByLabel('Reason').fill('ticket 4712');
    await page.getByRole('button', { name: 'Set the policy' }).click();
    await page.getByText('The policy pol_2 is in force.').waitFor();
    expect(site.faults).toEqual([]);
  });
});
