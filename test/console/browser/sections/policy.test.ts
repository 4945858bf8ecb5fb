import { describe, expect, test } from 'vitest';
import { HAS_BROWSER, sidewaysIn, Site, useBrowser } from '../browser.ts';

describe.runIf(HAS_BROWSER)('the policy in a browser', () => {
  useBrowser();

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

  test('the rules of the policy fit on a tablet', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'ada', width: 820 });
    await page.goto('/console/policy');
    expect(await page.locator('th').last().innerText()).toBe('Halted');
    expect(await sidewaysIn(page)).toEqual([]);
  });
});
