import { describe, expect, test } from 'vitest';
import { moveUnexplained } from '../breaks/several-breaks.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from './browser.ts';

const QUEUE = '/console/breaks?type=malformed';

describe.runIf(HAS_BROWSER)('views and keys in a browser', () => {
  useBrowser();

  test('a person saves a view, finds it again, and removes it; another person has none', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'olga' });
    await page.goto('/console/breaks');
    expect(await page.getByText('Save view').count()).toBe(0);
    await page.goto(`${QUEUE}&page=0`);
    await page.getByLabel('Name of this view').fill('Garbage');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.goto('/console/breaks');
    await page.getByRole('link', { name: 'Garbage' }).click();
    await page.waitForURL(`**${QUEUE}`);
    const view = page.getByRole('link', { name: 'Garbage' });
    expect(await view.getAttribute('aria-current')).toBe('true');
    await page.goto('/console/deposits?state=held&reason=dust');
    expect(await view.count()).toBe(0);
    const otto = await site.window({ as: 'otto' });
    await otto.goto(QUEUE);
    expect(await otto.getByRole('link', { name: 'Garbage' }).count()).toBe(0);
    await page.goto(QUEUE);
    await page.getByLabel('Remove the view Garbage').click();
    expect(await view.count()).toBe(0);
    expect(site.faults).toEqual([]);
  });

  test('a page with a saved view fits every width and theme, and axe finds nothing', async () => {
    const site = await Site.open();
    expect(await faultsOf(site, QUEUE, 'olga')).toEqual([]);
  });

  test('keys open the filter, turn pages and lead to the reason of the ticked rows', async () => {
    const site = await Site.open();
    await moveUnexplained(site.console, 101);
    const page = await site.window({ as: 'olga' });
    await page.goto('/console/breaks');
    await page.keyboard.press('n');
    await page.waitForURL('**/console/breaks?page=1');
    await page.keyboard.press('p');
    await page.waitForURL('**/console/breaks');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('r');
    await page.keyboard.type('an airdrop');
    expect(await page.locator('.bulk [name="reason"]').inputValue()).toBe('an airdrop');
    await page.goto('/console/deposits');
    await page.keyboard.press('f');
    expect(await page.evaluate('document.activeElement.name')).toBe('state');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.localName')).toBe('body');
    await page.goto('/console/breaks');
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.localName')).toBe('a');
  });
});
