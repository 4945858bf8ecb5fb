import { describe, expect, test } from 'vitest';
import { BlockchainHash, CreditId, DepositId, TransactionId } from '../../../../src/domain/ids.ts';
import { balanceChange, verifyWith } from '../../../store/evidence.ts';
import { AT_ADDRESS, change, decimals } from '../../../store/webhook.ts';
import { LONG_HASH } from '../../books/booked-hash.ts';
import { HAS_BROWSER, sidewaysIn, Site, useBrowser } from '../browser.ts';

const VAULT = '710a185f-3634-4109-b4bb-9dc3a01d982c';
/** Of as many characters as the API takes, without a place to break. */
const LONG_NAME = 'reference-'.repeat(26).slice(0, 256);

/** Smallest units with 18 decimals: 60 digits, and the longest that stay in a table's column. */
const AMOUNTS = {
  'sixty digits': '123456789012345678901234567890123456789012345678901234567891',
  'twenty-two characters': '123123456789012345678',
  'fourteen characters': '1231234567891000000',
} as const;

/** Each list, and how many rows it has. */
const LISTS = {
  '/console/deposits': 2,
  '/console/feed': 3,
  '/console/withdrawals': 2,
  '/console/breaks?state=all': 2,
  [`/console/books/movements/${LONG_HASH.slice(0, -1)}1`]: 10,
  [`/console/books/statement?vaultId=v1&accountId=acc-1&addressId=adr-1&asset=ethereum:ETH&from=2025-11-01&to=2025-11-30`]: 6,
} as const;

/** A credit with its acknowledgement, one without, two withdrawals and two assigned breaks. */
async function siteWith(amount: string): Promise<Site> {
  const site = await Site.open();
  const { open, service } = site.console;
  const ether = (units: string) => change(units, { ...AT_ADDRESS, ...decimals(18) });
  const spent = [ether(`-${amount}`), { ...ether(`-${amount}`), tags: ['fee'] }];
  for (const end of ['1', '2']) {
    const blockchainHash = `${LONG_HASH.slice(0, -1)}${end}`;
    const transactionId = `${VAULT.slice(0, -1)}${end}`;
    await open.deliver(
      service.confirmed(6, { blockchainHash, balanceChanges: [ether(amount)] }),
      service.outgoing('mined', {
        transactionId,
        blockchainHash: `0x${end}${LONG_HASH.slice(3)}`,
        destinationAddress: LONG_HASH.slice(0, 42),
        balanceChanges: spent,
      }),
      service.chain('transaction', { vaultId: VAULT, blockchainHash, balanceChanges: spent }),
    );
  }
  for (const { deposit_id, blockchain_hash } of open.deposits()) {
    const hash = BlockchainHash(blockchain_hash);
    await verifyWith(
      open,
      {
        blockchainHash: hash,
        transactionId: TransactionId('dep-tx'),
        changes: [balanceChange(BigInt(amount))],
      },
      DepositId(deposit_id),
    );
  }
  const [credit] = open.rows<{ id: string }>(
    'SELECT credit_id AS id FROM credits ORDER BY feed_seq',
  );
  await open.decide({
    kind: 'acknowledge',
    creditId: CreditId(credit?.id ?? ''),
    reference: LONG_NAME,
  });
  await open.unboundedRun();
  const olga = await site.console.as('olga');
  for (const { id } of open.rows<{ id: string }>('SELECT break_id AS id FROM breaks')) {
    await olga.send(`/console/breaks/${id}/assign`, { assignee: LONG_NAME, reason: 'her vault' });
  }
  return site;
}

describe.runIf(HAS_BROWSER)('lists on a tablet', () => {
  useBrowser();

  test('the name and role of the person stay on one line', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'ada', width: 820 });
    await page.goto('/console');
    const visitor = page.getByText('ada · admin');
    expect((await visitor.boundingBox())?.height).toBeLessThan(30);
  });

  test.for(
    Object.entries(AMOUNTS).flatMap(([name, amount]) =>
      [820, 1_024].map((width) => [name, width, amount] as const),
    ),
  )('no list scrolls sideways with amounts of %s at %i pixels', async ([, width, amount]) => {
    const site = await siteWith(amount);
    const page = await site.window({ as: 'olga', width });
    for (const [path, rows] of Object.entries(LISTS)) {
      await page.goto(path);
      expect([path, await page.locator('tbody tr').count()]).toEqual([path, rows]);
      expect([path, await sidewaysIn(page)]).toEqual([path, []]);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        path,
        width,
      ]);
    }
  });
});
