import { describe, expect, test } from 'vitest';
import { Memo } from '../../../src/domain/ids.ts';
import { balanceChange, verifyWith } from '../../store/evidence.ts';
import { change, decimals } from '../../store/webhook.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from './browser.ts';

/** A site with a verified deposit whose memo nobody registered, after one of another customer. */
async function withMemoDeposit(): Promise<Site> {
  const site = await Site.open();
  const { open, service } = site.console;
  await open.deliver(
    service.confirmed(6, { memo: '88', balanceChanges: [change('1500', decimals(2))] }),
  );
  await verifyWith(open, {
    memo: Memo('88'),
    changes: [balanceChange(1_500n)],
  });
  await open.deliver(service.incoming('mempool', { blockchainHash: '0xc3', addressId: 'adr-3' }));
  return site;
}

describe.runIf(HAS_BROWSER)('deposits in a browser', () => {
  useBrowser();

  test('the list, its filter and one life fit every width and theme, and axe finds nothing', async () => {
    const site = await withMemoDeposit();
    const [row] = site.console.open.deposits();
    const life = `/console/deposits/${row?.deposit_id}`;
    for (const path of ['/console/deposits?memo=88', life]) {
      expect(await faultsOf(site, path, 'olga')).toEqual([]);
    }
  });

  test('a person finds in two clicks why a deposit is not credited', async () => {
    const site = await withMemoDeposit();
    const page = await site.window({ as: 'vera' });
    await page.goto('/console');
    await page.getByRole('link', { name: 'Deposits', exact: true }).click();
    await page.locator('tbody tr').last().getByRole('link').first().click();
    await page.getByText('Its memo belongs to nobody.').waitFor();
    expect(await page.locator('.gates .shut').textContent()).toContain('no registered memo');
  });

  test('an operator attributes a memo deposit in four clicks, without scripts, and sees its credit', async () => {
    const site = await withMemoDeposit();
    const page = await site.window({ as: 'olga', scripts: false });
    await page.goto('/console');
    await page.getByRole('link', { name: 'Deposits', exact: true }).click();
    await page.locator('tbody tr').last().getByRole('link').first().click();
    await page.getByText('Attribute…').click();
    await page.getByLabel('Owner, in your own terms').fill('customer 7');
    await page.locator('details[open]').getByLabel('Reason').fill('their ticket');
    await page.getByRole('button', { name: 'Attribute' }).click();
    await page.getByText('Its credit is in the feed.').waitFor();
    expect(await page.locator('#life').textContent()).toContain('owner customer 7');
  });
});
