import { describe, expect, test } from 'vitest';
import { HAS_BROWSER, Site, useBrowser } from '../browser.ts';

describe.runIf(HAS_BROWSER)('tokens and people in a browser', () => {
  useBrowser();

  test.for([true, false])(
    'an admin creates, rotates and revokes a token (scripts: %s)',
    async (scripts) => {
      const site = await Site.open();
      const page = await site.window({ as: 'ada', scripts });
      await page.goto('/console/access');
      await page.getByText('Create a token…').click();
      await page.locator('[name="name"]').fill('desk');
      await page.locator('[name="role"]').selectOption('finance');
      await page.getByLabel('Reason').first().fill('ticket 12');
      await page.getByRole('button', { name: 'Create a token' }).click();
      await page.getByRole('heading', { name: 'The token of desk' }).waitFor();
      await page.getByRole('link', { name: 'Tokens and people' }).click();
      for (const [step, reason] of [
        ['Rotate', 'yearly'],
        ['Revoke', 'left the firm'],
      ] as const) {
        const form = page.locator('details.confirm').filter({ hasText: `${step} desk…` });
        await form.getByText(`${step} desk…`).click();
        await form.getByLabel('Reason').fill(reason);
        await form.getByRole('button', { name: `${step} desk` }).click();
        if (step === 'Rotate') await page.getByRole('link', { name: 'Tokens and people' }).click();
      }
      await page.getByText('The token desk is revoked.').waitFor();
      expect(site.console.open.rows('SELECT actor, reason FROM token_changes')).toEqual([
        { actor: 'ada', reason: 'ticket 12' },
        { actor: 'ada', reason: 'yearly' },
        { actor: 'ada', reason: 'left the firm' },
      ]);
      expect(site.faults).toEqual([]);
    },
  );
});
