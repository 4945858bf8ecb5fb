import { describe, expect, test } from 'vitest';
import { DEPOSIT_STATES } from '../../../src/domain/deposit/deposit.ts';
import { apiUnderTest, tokenOf } from '../../api/api-under-test.ts';
import { faultsIn } from '../../pages/browser.ts';
import { fill } from './filled-store.ts';
import { eventSeen, faultsOf, HAS_BROWSER, Site, useBrowser } from './browser.ts';

describe.runIf(HAS_BROWSER)('in a browser', () => {
  useBrowser();

  test('the sign-in page has no fault, and leads to the page that was asked for', async () => {
    const site = await Site.open();
    expect(await faultsOf(site, '/console/runs')).toEqual([]);
    const page = await site.window();
    await page.goto('/console/runs');
    await page.getByLabel('API token').fill(tokenOf('vera'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/console/runs');
    expect(await page.locator('.visitor').textContent()).toBe('vera · viewer');
  });

  test('moments are in the reader’s zone, with UTC in the title', async () => {
    const site = await Site.open();
    await site.console.open.run();
    const page = await site.window({ as: 'vera' });
    await page.goto('/console/runs');
    const moment = page.locator('time[data-moment]').first();
    expect(await moment.textContent()).toBe('20 Nov 2025, 01:53:22 CET');
    expect(await moment.getAttribute('title')).toBe('2025-11-20 00:53:22 UTC');
  });

  test('the line below an amount names its unit, which a copy leaves out', async () => {
    const site = await Site.open();
    await fill(site.console);
    const page = await site.window({ as: 'vera' });
    await page.goto('/console/deposits');
    const units = page.locator('.units.digits').first();
    expect(await units.textContent()).toMatch(/^-?\d+$/);
    const shown = await page.evaluate(
      "getComputedStyle(document.querySelector('.units.digits'), '::after').content",
    );
    expect(shown).toBe('" units"');
  });

  test('a badge of every colour can be read, in both themes', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'vera' });
    await page.goto('/console/runs');
    const tones = ['good', 'warn', 'alarm', 'plain', 'critical', 'warning', 'info'];
    const badges = [...DEPOSIT_STATES, ...tones].map(
      (tone) => `<b class="badge ${tone}">${tone}</b>`,
    );
    await page.evaluate(`document.querySelector('.card').innerHTML = '${badges.join(' ')}'`);
    expect(await faultsIn(page, 'badges')).toEqual([]);
  });

  test('a new run appears in the open list, and the focus stays on its row', async () => {
    const site = await Site.open();
    await site.console.open.run();
    const page = await site.window({ as: 'vera' });
    await page.goto('/console/runs');
    await page.locator('[data-live="on"]').waitFor();
    await page.keyboard.press('j');
    const before = await page.evaluate('document.activeElement.textContent');
    await site.console.open.run();
    site.console.changes.committed(new Set(['run']));
    await page.locator('tbody tr').nth(1).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe(before);
    expect(await page.locator('tbody tr').nth(1).getByRole('link').textContent()).toBe(before);
  });

  test('an open form waits for its person, and the list behind it follows afterwards', async () => {
    const site = await Site.open();
    await site.console.open.run();
    const page = await site.window({ as: 'olga' });
    await page.goto('/console/runs');
    await page.locator('[data-live="on"]').waitFor();
    await page.getByText('Run now…').click();
    await site.console.open.run();
    await eventSeen(page, () => site.console.changes.committed(new Set(['run'])));
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(await page.getByText('It waits for the outcome.').isVisible()).toBe(true);
    await page.getByText('Run now…').click();
    await page.locator('tbody tr').nth(1).waitFor();
  });

  test('a session that ends takes nothing from an open form, and the sign-in page repeats its text', async () => {
    const site = await Site.open();
    const { api, changes } = site.console;
    const page = await site.window({ as: 'olga' });
    await page.goto('/console/runs');
    await page.locator('[data-live="on"]').waitFor();
    await page.getByText('Run now…').click();
    await page.locator('[name="reason"]').fill('a long text');
    const [session] = api.people.sessions.list();
    api.people.sessions.end(session?.sessionId ?? '');
    changes.committed(new Set(['run']));
    await page.getByText('signed out').waitFor();
    expect(await page.locator('[name="reason"]').inputValue()).toBe('a long text');
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('nothing was done').waitFor();
    expect(await page.locator('q').textContent()).toBe('a long text');
    expect(await faultsIn(page, 'signed out')).toEqual([]);
    await page.goto('/console/runs');
    await page.locator('[name="token"]').waitFor();
  });

  test('a person at work stays signed in, also with the shortest idle time', async () => {
    const api = await apiUnderTest();
    const began = api.open.at;
    let at = began;
    const site = await Site.open({ now: () => at, idleMsMax: 60_000 }, api);
    const page = await site.window({ as: 'olga' });
    await page.clock.install();
    await page.goto('/console/runs');
    while (at < began + 120_000) {
      at += 20_000;
      await page.clock.fastForward(20_000);
      const acted = page.waitForResponse('**/session/acted', { timeout: 10_000 });
      await page.keyboard.press('j');
      expect((await acted).status()).toBe(204);
    }
    await page.goto('/console/runs');
    await page.getByText('Run now…').waitFor();
  });

  test('a page that nobody works in leaves with its session', async () => {
    const site = await Site.open();
    const { api, changes } = site.console;
    const page = await site.window({ as: 'olga' });
    await page.goto('/console/runs');
    await page.locator('[data-live="on"]').waitFor();
    const [session] = api.people.sessions.list();
    api.people.sessions.end(session?.sessionId ?? '');
    changes.committed(new Set(['run']));
    await page.locator('[name="token"]').waitFor();
    expect(site.faults).toEqual([]);
  });

  test('a printed page has no buttons, fields or downloads', async () => {
    const site = await Site.open();
    await fill(site.console);
    const page = await site.window({ as: 'ada' });
    const controls = page.locator('button, input, select, summary, .bulk, .downloads').filter({
      visible: true,
    });
    for (const path of ['/console/breaks', '/console/close/2025-11-20']) {
      await page.emulateMedia({ media: 'screen' });
      await page.goto(path);
      expect(await controls.count()).toBeGreaterThan(3);
      await page.emulateMedia({ media: 'print' });
      expect([path, await controls.allTextContents()]).toEqual([path, []]);
      expect(await page.locator('main h1').isVisible()).toBe(true);
    }
  });

  test('a printed page cuts nothing off, which a window would scroll', async () => {
    const site = await Site.open();
    await fill(site.console);
    const page = await site.window({ as: 'ada' });
    const cutOff = (): Promise<number> =>
      page.evaluate<number>(`[...document.querySelectorAll('main *:not(caption)')].filter((one) =>
        getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth).length`);
    await page.goto('/console/deposits');
    // Lists fit their windows: a table is made too wide here.
    await page.evaluate(`document.querySelector('.scroll table').style.minWidth = '3000px'`);
    expect(await cutOff()).toBeGreaterThan(0);
    await page.emulateMedia({ media: 'print' });
    expect(await cutOff()).toBe(0);
  });

  test('a wall screen shows the overview in three columns', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'vera', width: 2_560 });
    await page.goto('/console');
    const leftOf = async (card: string): Promise<number> =>
      (await page.locator(card).boundingBox())?.x ?? Number.NaN;
    const [first, second, third] = [
      await leftOf('#attention'),
      await leftOf('#states'),
      await leftOf('#health'),
    ];
    expect(first).toBeLessThan(second);
    expect(second).toBeLessThan(third);
    expect(await leftOf('#latest-deposits')).toBe(second);
  });

  test('a run is started without scripts', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'olga', scripts: false });
    await page.goto('/console/runs');
    await page.getByText('Run now…').click();
    await page.getByLabel('Reason').fill('asked by the desk');
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('The reconciliation has run.').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
  });

  test('keys open sections and the list of keys', async () => {
    const site = await Site.open();
    await site.console.open.run();
    const page = await site.window({ as: 'vera' });
    await page.goto('/console');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.waitForURL('**/console/runs');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/runs\/\d+$/);
  });
});
