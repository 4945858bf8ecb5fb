import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { faultsIn } from '../../pages/browser.ts';
import { consoleUnderTest } from '../console-under-test.ts';
import { HAS_BROWSER, Site, useBrowser } from './browser.ts';
import { fill } from './filled.ts';

/** A page takes six looks, which take long on a busy machine. */
const PAGE_MS_MAX = 480_000;

/** Routes that answer with no page of the frame: redirects, files, streams and documents. */
const NO_PAGES = [
  '/',
  '/console/',
  '/console/live',
  '/console/deposits.csv',
  '/console/withdrawals.csv',
  '/console/withdrawals.xlsx',
  '/console/books/balances/:format{csv|xlsx}',
  '/console/books/statement/:format{csv|xlsx}',
  '/console/journal/:seq{[0-9]{1,15}}/bytes',
  '/console/close/:day/:format',
  '/console/reports/:day',
];
const FILES = /^\/console\/assets\//;
/** Pages of signing in, which a provider may add to. */
const SIGNING_IN = /^\/console\/session/;

/** Whatever a page needs in the store is there; each page is opened as somebody who may do most. */
const EXAMPLES: Readonly<Record<string, (site: Site) => string>> = {
  '/console': () => '/console',
  '/console/deposits': () => '/console/deposits',
  '/console/deposits/:id': ({ console: { open } }) =>
    `/console/deposits/${open.deposits()[0]?.deposit_id}`,
  '/console/withdrawals': () => '/console/withdrawals',
  '/console/withdrawals/:id': () => '/console/withdrawals/wd-tx',
  '/console/books': () => '/console/books',
  '/console/books/movements/:hash': () => '/console/books/movements/0xa1',
  '/console/books/statement': () =>
    '/console/books/statement?vaultId=v1&accountId=acc-1&addressId=adr-1&asset=ethereum:ETH',
  '/console/breaks': () => '/console/breaks',
  '/console/breaks/guide': () => '/console/breaks/guide',
  '/console/breaks/exemptions': () => '/console/breaks/exemptions',
  '/console/breaks/:id': ({ console: { open } }) =>
    `/console/breaks/${open.openBreak('quarantined').id}`,
  '/console/quarantine': () => '/console/quarantine',
  '/console/quarantine/:id': ({ console: { open } }) => {
    const [kept] = open.rows<{ id: string }>('SELECT quarantine_id AS id FROM quarantine');
    return `/console/quarantine/${kept?.id}`;
  },
  '/console/journal/:seq{[0-9]{1,15}}': () => '/console/journal/2',
  '/console/close': () => '/console/close?month=2025-11',
  '/console/close/:day': () => '/console/close/2025-11-20',
  '/console/policy': () => '/console/policy',
  '/console/policy/history': () => '/console/policy/history',
  '/console/policy/change': () => '/console/policy/change',
  '/console/runs': () => '/console/runs',
  '/console/runs/:seq{[0-9]{1,15}}': ({ console: { open } }) => {
    const [run] = open.rows<{ seq: number }>('SELECT seq FROM reconciliations');
    return `/console/runs/${run?.seq}`;
  },
  '/console/audit': () => '/console/audit',
  '/console/settings': () => '/console/settings',
  '/console/access': () => '/console/access',
  '/console/search': () => '/console/search?q=0xa1',
};

test('every page of the application has an example here', async () => {
  const { app } = await consoleUnderTest();
  const routes = app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  const pages = routes.filter(
    (path) => !NO_PAGES.includes(path) && !FILES.test(path) && !SIGNING_IN.test(path),
  );
  expect([...new Set(pages)].toSorted()).toEqual(Object.keys(EXAMPLES).toSorted());
});

async function filledSite(): Promise<Site> {
  const site = await Site.open();
  await fill(site.console);
  const { open, service } = site.console;
  await open.deliver(service.outgoing('submitted', { blockchainHash: '0xf6' }));
  const rule = { until: open.at * 2, reason: 'ticket 4713', owner: 'finance' };
  const configured = { ...rule, rule: 'rounding of the old wallet', asset: 'ripple:XRP' };
  await open.decide({ kind: 'exemptions', rules: [configured] }, 'config');
  await open.decide({ kind: 'exempt', rule: { ...rule, rule: 'dust', blockchainHash: '0xf6' } });
  const olga = await site.console.as('olga');
  await olga.send('/console/policy/halt', { asset: 'ethereum:ETH', reason: 'a fork' });
  return site;
}

/** The headings and cards of a page, which scripts must not be needed for. */
function contentOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const shown = [...document.querySelectorAll('main h1, main h2, main th')]
      .filter((one) => one.offsetParent !== null);
    return shown.map((one) => one.textContent);
  })()`);
}

describe.runIf(HAS_BROWSER)('pages in a browser', () => {
  useBrowser();

  test.for(Object.keys(EXAMPLES))(
    '%s fits every width and theme, axe finds nothing, and it needs no script',
    { timeout: PAGE_MS_MAX },
    async (route) => {
      const site = await filledSite();
      const path = EXAMPLES[route]?.(site) ?? '';
      const page = await site.window({ as: 'ada' });
      const answer = await page.goto(path);
      expect(answer?.status()).toBe(200);
      const withScripts = await contentOf(page);
      expect(await faultsIn(page, page.url())).toEqual([]);
      const plain = await site.window({ as: 'ada', scripts: false });
      await plain.goto(path);
      const headings = await plain.locator('main h1, main h2, main th').allTextContents();
      expect(headings).toEqual(expect.arrayContaining(withScripts));
      expect(await plain.locator('.copy:visible, .keys:visible, .every:visible').count()).toBe(0);
      expect(site.faults).toEqual([]);
    },
  );

  test('the review of a policy fits and has no fault', async () => {
    const site = await filledSite();
    const page = await site.window({ as: 'ada' });
    await page.goto('/console/policy/change');
    await page.locator('[name="oneApprovalAbove-0"]').fill('0');
    await page.getByRole('button', { name: 'Review the change' }).click();
    await page.getByText('Would hold').waitFor();
    expect(await faultsIn(page, page.url())).toEqual([]);
  });
});
