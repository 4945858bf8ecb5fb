import { describe, expect, test } from 'vitest';
import { faultsIn } from '../../../pages/browser.ts';
import { AT_ADDRESS, change, decimals } from '../../../store/webhook.ts';
import { moveUnexplained } from '../../breaks/several-breaks.ts';
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

  test.for(['/console/breaks', '/console/deposits'])(
    'the downloads of %s are side by side, in a wide window and on a phone',
    async (path) => {
      const site = await Site.open();
      const page = await site.window({ as: 'olga' });
      await page.goto(path);
      for (const width of [1_280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const [csv, xlsx] = await Promise.all(
          ['CSV', 'XLSX'].map((name) =>
            page.getByRole('link', { name, exact: true }).boundingBox(),
          ),
        );
        const gap = (xlsx?.x ?? 0) - (csv?.x ?? 0) - (csv?.width ?? 0);
        expect([width, csv?.y === xlsx?.y, gap > 0 && gap < 20]).toEqual([width, true, true]);
      }
    },
  );

  test('a break with long ids fits a window of 1,280 pixels, and its ids stay on one line', async () => {
    const site = await Site.open();
    const { open, service } = site.console;
    const vaultId = '710a185f-3634-4109-b4bb-9dc3a01d982c';
    const amount = { ...AT_ADDRESS, ...decimals(18) };
    for (const [count, asset] of ['ethereum:ETH', 'ethereum:USDC'].entries()) {
      await open.deliver(
        service.chain('transaction', {
          vaultId,
          blockchainHash: `0x${'6707f1f24135b202'.repeat(4)}`,
          balanceChanges: [change(`123456789012345678901${count}`, { ...amount, asset })],
        }),
      );
    }
    await open.unboundedRun();
    const [movement] = open.rows<{ id: string }>('SELECT break_id AS id FROM breaks');
    const page = await site.window({ as: 'olga', width: 1_280 });
    await page.goto(`/console/breaks/${movement?.id}`);
    await page.locator('#related h3').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1_280);
    const wide = await page.evaluate<string[]>(`(() =>
      [...document.querySelectorAll('main .card, .card h3, .card p, .card dd, .card li')]
        .filter((one) => one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.tagName + '#' + one.id + ' ' + one.textContent))()`);
    expect(wide).toEqual([]);
    const heights = await page.evaluate<number[]>(`(() =>
      [...document.querySelectorAll('#evidence td .id')]
        .map((one) => one.getBoundingClientRect().height))()`);
    expect(heights.length).toBeGreaterThan(0);
    expect(Math.max(...heights)).toBeLessThan(30);
  });

  test('the witnesses of an ordinary movement show their agreement whole at 1,300 pixels', async () => {
    const site = await Site.open();
    const { open, service } = site.console;
    await open.deliver(
      service.chain('transaction', {
        vaultId: '710a185f-3634-4109-b4bb-9dc3a01d982c',
        blockchainHash: `0x${'6707f1f24135b202'.repeat(4)}`,
        balanceChanges: [change('-123956700000000001', { ...AT_ADDRESS, ...decimals(18) })],
      }),
    );
    await open.unboundedRun();
    const page = await site.window({ as: 'olga', width: 1_300 });
    await page.goto(pathOf(site, 'unexplained_movement'));
    const [shown, whole] = await page.evaluate<number[]>(`(() => {
      const { clientWidth, scrollWidth } = document.querySelector('#evidence .scroll');
      return [clientWidth, scrollWidth];
    })()`);
    expect(whole).toBe(shown);
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
      await page.getByText('The rule dust is in force for').waitFor();
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

  test('the box of every row is ticked exactly when every row is, also after a link ticked them', async () => {
    const site = await Site.open();
    await moveUnexplained(site.console, 3);
    const page = await site.window({ as: 'olga' });
    await page.goto('/console/breaks?type=unexplained_movement&chosen=all');
    await page.getByText('3 chosen').waitFor();
    const every = page.getByLabel('Choose every row');
    expect(await every.isChecked()).toBe(true);
    await page.locator('tbody [type="checkbox"]').first().uncheck();
    expect(await every.isChecked()).toBe(false);
    await page.locator('tbody [type="checkbox"]').first().check();
    expect(await every.isChecked()).toBe(true);
    await every.uncheck();
    expect(await page.locator('tbody :checked').count()).toBe(0);
  });
});
