import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { moveUnexplained } from '../breaks/broken.ts';
import { eventSeen, faultsOf, HAS_BROWSER, Site, useBrowser } from './browser.ts';

/** Counts clicks, as a person makes them. */
class Person {
  clicks = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** A field takes a click before its text. */
  async write(label: string, text: string): Promise<void> {
    this.clicks += 1;
    await this.#page.getByLabel(label).fill(text);
  }

  async click(role: 'link' | 'button', name: string | RegExp): Promise<void> {
    this.clicks += 1;
    await this.#page.getByRole(role, { name }).first().click();
  }
}

/** The path of the only open break of a type. */
function pathOf(site: Site, type: string): string {
  return `/console/breaks/${site.console.open.openBreak(type).id}`;
}

describe.runIf(HAS_BROWSER)('breaks in a browser', () => {
  useBrowser();

  test('no page has a fault for screen readers, and each fits every width in both themes', async () => {
    const site = await Site.open();
    const { open, service } = site.console;
    await open.deliver(service.confirmed(1), { id: 'ntf-1', other: 'body' }, '\u0000not json');
    await open.deliver({ id: 'strange', stream: 'weather' });
    await moveUnexplained(site.console, 3);
    const [movement] = open.rows<{ id: string }>(
      "SELECT break_id AS id FROM breaks WHERE type = 'unexplained_movement'",
    );
    const rule = '?rule=old+wallet&owner=olga&until=2025-12-31&why=dust';
    const [kept] = open.rows<{ id: string }>('SELECT quarantine_id AS id FROM quarantine');
    for (const path of [
      '/console/breaks',
      '/console/breaks?type=unexplained_movement&chosen=all',
      `/console/breaks/${movement?.id}${rule}`,
      pathOf(site, 'id_conflict'),
      '/console/breaks/guide',
      '/console/quarantine',
      `/console/quarantine/${kept?.id}`,
      '/console/journal/2',
    ]) {
      expect(await faultsOf(site, path, 'olga')).toEqual([]);
    }
  });

  test('twelve breaks of one cause are resolved in four clicks, with scripts and without', async () => {
    for (const scripts of [true, false]) {
      const site = await Site.open();
      await moveUnexplained(site.console, 12);
      const page = await site.window({ as: 'olga', scripts });
      await page.goto('/console');
      const person = new Person(page);
      await person.click('link', 'Breaks');
      await person.click('link', /^12 × unexplained movement in vault v1$/);
      await person.write('Reason, or the text of the note', 'an airdrop');
      await person.click('button', 'Resolve');
      await page.getByText('12 breaks are resolved.').waitFor();
      expect(person.clicks).toBeLessThanOrEqual(4);
      expect(site.console.open.openBreaks()).toEqual([]);
      expect(site.faults).toEqual([]);
    }
  });

  test('keys move, tick and open; a tick holds back the live update', async () => {
    const site = await Site.open();
    await moveUnexplained(site.console, 2);
    const page = await site.window({ as: 'olga' });
    await page.goto('/console/breaks');
    await page.locator('[data-live="on"]').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    expect(await page.locator('tbody :checked').count()).toBe(1);
    await site.console.open.deliver('not json');
    await eventSeen(page, () => site.console.changes.committed(new Set(['refused'])));
    expect(await page.locator('tbody tr').count()).toBe(2);
    await page.keyboard.press('x');
    await page.locator('tbody tr').nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/breaks\/brk_/);
  });

  test('one box ticks all', async () => {
    const site = await Site.open();
    await moveUnexplained(site.console, 3);
    const page = await site.window({ as: 'olga' });
    await page.goto('/console/breaks');
    await page.getByLabel('Choose every row').check();
    expect(await page.locator('tbody :checked').count()).toBe(3);
    await page.getByText('3 chosen').waitFor();
    await page.getByLabel('Choose every row').uncheck();
    expect(await page.locator('tbody :checked').count()).toBe(0);
  });
});
