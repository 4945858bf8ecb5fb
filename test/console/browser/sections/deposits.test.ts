import { describe, expect, test } from 'vitest';
import { Memo } from '../../../../src/domain/ids.ts';
import { balanceChange, verifyWith } from '../../../store/evidence.ts';
import { change, decimals } from '../../../store/webhook.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from '../browser.ts';

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
});
