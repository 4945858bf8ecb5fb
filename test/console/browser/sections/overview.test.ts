import { describe, expect, test } from 'vitest';
import { closeOf } from '../../../store/close/closing.ts';
import { AT_ADDRESS, change, decimals } from '../../../store/webhook.ts';
import { HAS_BROWSER, Site, useBrowser } from '../browser.ts';
import { fill } from '../filled-store.ts';

describe.runIf(HAS_BROWSER)('the overview in a browser', () => {
  useBrowser();

  test('a deposit that arrives appears, while the focus and selected text stay', async () => {
    const site = await Site.open();
    const { open, service, changes } = site.console;
    await fill(site.console);
    const page = await site.window({ as: 'olga' });
    await page.goto('/console');
    await page.locator('[data-live="on"]').waitFor();
    await page.getByRole('searchbox').fill('0xa');
    // The person has selected a break's sentence: that card waits, the deposits do not.
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.waits p'))`);
    await open.deliver(service.confirmed(1, { blockchainHash: '0xe5' }));
    await open.deliver({ id: 'stranger', stream: 'weather' });
    // The store shares a look for a second of the test's clock.
    open.at += 60_000;
    changes.committed(new Set(['notification']));
    await page.locator('#latest-deposits').getByText('0xe5').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('0xa');
    const selected = await page.evaluate('getSelection().toString()');
    expect(selected).not.toBe('');
    expect(await page.locator('#attention').getByText('"stranger"').count()).toBe(0);
    await page.evaluate('getSelection().removeAllRanges()');
    await page.locator('#attention').getByText('"stranger"').waitFor();
    expect(site.faults).toEqual([]);
  });

  test('every count is seen whole at every width, also one of eight digits', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'vera' });
    await page.goto('/console');
    await page.evaluate(`document.querySelectorAll('.tile dd')
      .forEach((one) => { one.textContent = '12\u202f345\u202f678'; })`);
    for (const width of [360, 390, 820, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      const hidden = await page.evaluate<number>(`(() => {
        const frame = document.querySelector('.tiles');
        return frame.scrollWidth - frame.clientWidth;
      })()`);
      expect([width, hidden]).toEqual([width, 0]);
    }
  });

  test('the latest deposits with real ids fit a window of 1,280 pixels whole', async () => {
    const site = await Site.open();
    const { open, service } = site.console;
    const [vaultId, addressId] = [
      '710a185f-3634-4109-b4bb-9dc3a01d982c',
      '0fb3d6a4-5b1c-4a55-9b62-1f0f6a2c9e11',
    ];
    const blockchainHash = '6707f1f24135b20294ee49dfb46291f8'.repeat(2);
    await open.deliver(
      service.confirmed(1, {
        vaultId,
        addressId,
        blockchainHash,
        memo: '1003',
        balanceChanges: [change('1544210001', { asset: 'ripple:XRP', ...decimals(6) })],
      }),
    );
    const page = await site.window({ as: 'vera', width: 1_280 });
    await page.goto('/console');
    await page.locator('#latest-deposits td').first().waitFor();
    const [inner, outer] = await page.evaluate<number[]>(`(() => {
      const { scrollWidth, clientWidth } = document.querySelector('#latest-deposits .scroll');
      return [scrollWidth, clientWidth];
    })()`);
    expect(inner).toBeLessThanOrEqual(outer ?? 0);
  });

  test('no window cuts a witness of the tie-out off, or the age of a latest deposit', async () => {
    const site = await Site.open();
    const { open, service } = site.console;
    const [vaultId, addressId] = [
      '710a185f-3634-4109-b4bb-9dc3a01d982c',
      '0fb3d6a4-5b1c-4a55-9b62-1f0f6a2c9e11',
    ];
    const ether = { ...AT_ADDRESS, ...decimals(18) };
    await open.deliver(
      service.confirmed(6, {
        vaultId,
        addressId,
        blockchainHash: `0x${'6707f1f24135b202'.repeat(4)}`,
        memo: '4294967295',
        balanceChanges: [change('123456789012345678901234', ether)],
      }),
      service.chain('transaction', {
        vaultId,
        blockchainHash: '0xe9',
        balanceChanges: [change('987654321098765432109876', ether)],
      }),
    );
    await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: open.at + 1 }));
    const page = await site.window({ as: 'fiona' });
    const scrolling = (frames: string): Promise<string[]> =>
      page.evaluate<string[]>(`[...document.querySelectorAll('${frames}')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map((one) => one.ariaLabel + ': ' + one.scrollWidth + ' in ' + one.clientWidth)`);
    for (const width of [768, 820, 1_024, 1_200, 1_280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto('/console');
      const scrolled = await scrolling('#tie-out .scroll, #latest-deposits .scroll');
      expect([width, scrolled]).toEqual([width, []]);
      await page.goto('/console/close/2025-11-20');
      // A wider window shows six amounts in one row, which may scroll.
      const folds = width > 1_180 ? [] : await scrolling('.folds');
      expect([width, folds]).toEqual([width, []]);
    }
    await page.setViewportSize({ width: 1_200, height: 900 });
    await page.goto('/console');
    const age = page.locator('#latest-deposits [data-label="Age"] .cell').first();
    expect((await age.boundingBox())?.height).toBeLessThan(30);
  });

  test.for([390, 820, 1_280, 1_440])(
    'the difference of a tie-out with 27 digits is seen whole in a window of %i pixels',
    async (width) => {
      const site = await Site.open();
      const { open, service } = site.console;
      const ether = { ...AT_ADDRESS, ...decimals(18) };
      await open.deliver(
        service.confirmed(6, { balanceChanges: [change('123456789012345678901234567', ether)] }),
        service.chain('transaction', {
          balanceChanges: [change('987654321098765432109876543', ether)],
        }),
      );
      await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: open.at + 1 }));
      const page = await site.window({ as: 'fiona', width });
      await page.goto('/console');
      await page.locator('#tie-out .difference').waitFor();
      const cut = await page.evaluate<string[]>(`(() => {
        const frame = document.querySelector('#tie-out .scroll').getBoundingClientRect();
        return [...document.querySelectorAll('#tie-out .difference, #tie-out .difference *')]
          .filter((one) => {
            const { left, right } = one.getBoundingClientRect();
            return left < frame.left - 1 || right > frame.right + 1;
          })
          .map((one) => one.textContent);
      })()`);
      expect(cut).toEqual([]);
    },
  );

  test('a copy button copies the whole hash', async () => {
    const site = await Site.open();
    await fill(site.console);
    const page = await site.window({ as: 'vera' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/console');
    await page.getByLabel('Copy 0x6707f1f24135b20294ee49dfb46291f8').click();
    await page.locator('[data-copied]').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      '0x6707f1f24135b20294ee49dfb46291f8',
    );
  });

  test('without scripts everything is shown, and a search opens a thing', async () => {
    const site = await Site.open();
    await fill(site.console);
    const page = await site.window({ as: 'vera', scripts: false });
    await page.goto('/console');
    expect(await page.getByText('unexplained movement').first().isVisible()).toBe(true);
    expect(await page.locator('.copy').first().isVisible()).toBe(false);
    await page.getByRole('searchbox').fill('2025-11-20');
    await page.getByRole('searchbox').press('Enter');
    await page.waitForURL('**/console/close/2025-11-20');
  });

  test('/ opens the search from anywhere', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'vera' });
    await page.goto('/console/runs');
    await page.keyboard.press('/');
    await page.keyboard.type('0xnone');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/search?q=0xnone');
    expect(
      await page
        .getByText('Nothing has this id, hash, address, memo, owner, reference or amount.')
        .isVisible(),
    ).toBe(true);
  });
});
