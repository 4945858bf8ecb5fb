import { describe, expect, test } from 'vitest';
import { faultsIn } from '../../../pages/browser.ts';
import { moveUnexplained } from '../../breaks/broken.ts';
import { eventSeen, faultsOf, HAS_BROWSER, Site, useBrowser } from '../browser.ts';

/** The path of the only open break of a type. */
function pathOf(site: Site, type: string): string {
  return `/console/breaks/${site.console.open.openBreak(type).id}`;
}

describe.runIf(HAS_BROWSER)('breaks in a browser', () => {
  useBrowser();

  test('chosen breaks, an exemptible break and a conflict fit every width and theme, and axe finds nothing', async () => {
    const site = await Site.open();
    const { open, service } = site.console;
    await open.deliver(service.confirmed(1), { id: 'ntf-1', other: 'body' });
    await moveUnexplained(site.console, 3);
    const [movement] = open.rows<{ id: string }>(
      "SELECT break_id AS id FROM breaks WHERE type = 'unexplained_movement'",
    );
    for (const path of [
      '/console/breaks?type=unexplained_movement&chosen=all',
      `/console/breaks/${movement?.id}`,
      pathOf(site, 'id_conflict'),
    ]) {
      expect(await faultsOf(site, path, 'olga')).toEqual([]);
    }
  });

  test.for([true, false])(
    'a break is exempted and its rule ended, scripts: %s',
    async (scripts) => {
      const site = await Site.open();
      const { open } = site.console;
      await moveUnexplained(site.console, 1);
      const page = await site.window({ as: 'olga', scripts });
      await page.goto(pathOf(site, 'unexplained_movement'));
      const form = page.locator('#exempt');
      await form.locator('summary').click();
      expect(scripts ? await faultsIn(page, page.url()) : []).toEqual([]);
      await form.locator('summary').waitFor();
      if (!(await form.locator('[name="reason"]').isVisible()))
        await form.locator('summary').click();
      await form.locator('[name="rule"]').fill('dust');
      await form.locator('[name="reason"]').fill('ticket 1');
      await form.locator('button').click();
      await page.getByText('The rule dust is in force.').waitFor();
      await open.run();
      expect(open.openBreaks()).toEqual([]);
      await page.goto('/console/breaks/exemptions');
      await page.locator('main summary').click();
      await page.locator('[name="reason"]').fill('repaired');
      await page.getByRole('button', { name: 'End' }).click();
      await page.getByText('The rule dust has ended.').waitFor();
      await open.run();
      expect(open.openBreaks()).toEqual(['unexplained_movement']);
      expect(site.faults).toEqual([]);
    },
  );

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
