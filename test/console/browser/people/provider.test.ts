import { describe, expect, onTestFinished, test } from 'vitest';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startForeignProvider,
} from '../../../simulator/identity/foreign-provider.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from '../browser.ts';
import { fill } from '../filled-store.ts';

async function siteWithProvider(): Promise<Site> {
  const provider = await startForeignProvider({
    redirectUris: ['http://127.0.0.1/console/session/callback'],
    native: true,
  });
  onTestFinished(() => provider.stop());
  provider.logIn({ email: 'ana@books.test', email_verified: true, groups: ['treasury'] });
  return Site.open({
    now: () => Date.now(),
    provider: {
      issuer: provider.issuer,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      groupsClaim: 'groups',
      scope: 'openid profile email',
      roles: { treasury: 'finance' },
    },
  });
}

describe.runIf(HAS_BROWSER)('sign-in at a provider, in a browser', () => {
  useBrowser();

  test.for([true, false])(
    'a person signs in at the provider, signs a day, and the journal names them (scripts: %s)',
    async (scripts) => {
      const site = await siteWithProvider();
      await fill(site.console);
      const page = await site.window({ scripts });
      await page.goto('/console/close/2025-11-20');
      await page.getByRole('link', { name: /^Sign in at 127/ }).click();
      await page.waitForURL('**/console/close/2025-11-20');
      expect(await page.locator('.visitor').textContent()).toBe('person:ana@books.test · finance');
      await page.getByText('Prepare…').click();
      await page.getByLabel('Reason').fill('tied out');
      await page.getByRole('button', { name: 'Prepare' }).click();
      await page.getByText('You prepared 2025-11-20.').waitFor();
      expect(site.console.open.rows('SELECT person, role FROM close_signatures')).toEqual([
        { person: 'person:ana@books.test', role: 'preparer' },
      ]);
      expect(site.faults).toEqual([]);
    },
  );

  test('the sign-in page with a provider has no fault', async () => {
    expect(await faultsOf(await siteWithProvider(), '/console')).toEqual([]);
  });
});
