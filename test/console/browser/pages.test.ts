import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { apiUnderTest } from '../../api/api-under-test.ts';
import { faultsIn } from '../../pages/browser.ts';
import { differingPixels } from '../../pages/picture.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import { consoleUnderTest, type ConsoleUnderTest } from '../console-under-test.ts';
import { HAS_BROWSER, Site, useBrowser } from './browser.ts';
import { fill } from './filled-store.ts';

/** Every page takes several looks, which take long on a busy machine. */
const PAGES_MS_MAX = 900_000;

/** Routes that answer with no page of the frame: redirects, files, streams, documents and 404. */
const NO_PAGES = [
  '/console/*',
  '/',
  '/console/',
  '/console/live',
  '/console/journal/:seq{[0-9]{1,15}}/bytes',
  '/console/close/:day/:format',
  '/console/reports/:day',
];
const FILES = /^\/console\/assets\/|[./](csv|xlsx)$/;
/** Pages of signing in, which a provider may add to. */
const SIGNING_IN = /^\/console\/session/;

/** Whatever a page needs in the store is there; each page is opened as somebody who may do most. */
const EXAMPLES: Readonly<Record<string, (site: Site) => string>> = {
  '/console': () => '/console',
  '/console/deposits': () => '/console/deposits',
  '/console/deposits/:id': ({ console: { open } }) =>
    `/console/deposits/${open.deposits()[0]?.deposit_id}`,
  '/console/feed': () => '/console/feed',
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
  '/console/close/:day/movements': () => '/console/close/2025-11-20/movements',
  '/console/policy': () => '/console/policy',
  '/console/policy/history': () => '/console/policy/history',
  '/console/policy/compare': ({ console: { open } }) => {
    const [from, to] = open.rows<{ seq: number }>('SELECT seq FROM policies ORDER BY seq');
    return `/console/policy/compare?from=pol_${from?.seq}&to=pol_${to?.seq}`;
  },
  '/console/policy/change': () => '/console/policy/change',
  '/console/runs': () => '/console/runs',
  '/console/runs/:run{(?:rec_)?[0-9]{1,15}}': ({ console: { open } }) => {
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

/** A deposit and a withdrawal of as many digits as one line of a phone holds, and of more. */
function longAmounts(service: ConsoleUnderTest['service']) {
  const at = { ...AT_ADDRESS, ...decimals(18) };
  const fits = '123456789012345678901234567890';
  const more = '987654321'.repeat(8);
  return [
    service.confirmed(1, { blockchainHash: '0xe1', balanceChanges: [change(fits, at)] }),
    service.confirmed(1, { blockchainHash: '0xe2', balanceChanges: [change(more, at)] }),
    service.outgoing('mined', {
      transactionId: 'wd-long',
      blockchainHash: '0xe3',
      balanceChanges: [change(`-${fits}`, at)],
    }),
  ];
}

async function filledSite(...opening: Parameters<typeof Site.open>): Promise<Site> {
  const site = await Site.open(...opening);
  await fill(site.console);
  const { open, service } = site.console;
  await open.deliver(
    service.outgoing('submitted', { blockchainHash: '0xf6' }),
    ...longAmounts(service),
  );
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

/** A filled site whose clock stands still until `later` moves it. */
async function siteWithStoppedClock(): Promise<{
  readonly site: Site;
  readonly later: () => void;
}> {
  const api = await apiUnderTest();
  let at = api.open.at + 86_400_000;
  const site = await filledSite({ now: () => at }, api);
  return { site, later: () => void (at += 60_000) };
}

/** Live parts that a commit may change; the others follow the clock alone. */
const CHANGED = 'main [data-live]:not([data-live="tick"])';

/** Opens a page, changes what it may show, and waits until it has rendered every live part again. */
async function openAndChange(
  { site, later }: Awaited<ReturnType<typeof siteWithStoppedClock>>,
  page: Page,
  path: string,
): Promise<boolean> {
  const { open, service, changes } = site.console;
  await page.goto(path);
  if ((await page.locator(CHANGED).count()) === 0) return false;
  await page.locator('body[data-live="on"]').waitFor();
  await open.deliver(service.confirmed(1, { blockchainHash: `0x${path}` }), { id: path });
  later();
  await page.evaluate(`window.rendered = new Promise((resolve) => {
    const { morph } = Idiomorph;
    let left = document.querySelectorAll('${CHANGED}').length;
    Idiomorph.morph = (...args) => {
      morph(...args);
      left -= 1;
      if (left === 0) resolve();
    };
  }), 0`);
  changes.everything();
  await page.evaluate('window.rendered');
  return true;
}

/**
 * How many pixels of the page differ when it is opened again. Opening a page is an action of its
 * session, so the list of sessions is masked.
 */
async function differenceWhenOpenedAgain(page: Page): Promise<number> {
  const picture = { fullPage: true, mask: [page.locator('#sessions')] };
  const before = await page.screenshot(picture);
  await page.goto(page.url());
  await page.locator('body[data-live="on"]').waitFor();
  return differingPixels(before, await page.screenshot(picture));
}

describe.runIf(HAS_BROWSER)('pages in a browser', () => {
  useBrowser();

  test(
    'a page that was changed live is the same picture as the page opened again',
    { timeout: PAGES_MS_MAX },
    async () => {
      const stopped = await siteWithStoppedClock();
      const { site } = stopped;
      const page = await site.window({ as: 'ada' });
      const paths = Object.values(EXAMPLES).map((pathIn) => pathIn(site));
      const differences: [path: string, pixels: number][] = [];
      for (const path of paths) {
        if (!(await openAndChange(stopped, page, path))) continue;
        differences.push([path, await differenceWhenOpenedAgain(page)]);
      }
      expect(differences.filter(([, pixels]) => pixels > 0)).toEqual([]);
      expect(differences.length).toBeGreaterThan(20);
      expect(site.faults).toEqual([]);
    },
  );

  test('a live change that renders otherwise than the page does is another picture', async () => {
    const stopped = await siteWithStoppedClock();
    const page = await stopped.site.window({ as: 'ada' });
    await page.route('**/console/deposits', async (route) => {
      const answer = await route.fetch();
      const isLive = route.request().headers()['x-live'] === '1';
      const body = await answer.text();
      await route.fulfill({ body: isLive ? body.replaceAll('</td>', ' !</td>') : body });
    });
    expect(await openAndChange(stopped, page, '/console/deposits')).toBe(true);
    expect(await differenceWhenOpenedAgain(page)).toBeGreaterThan(0);
  });

  test(
    'every page fits every width and theme, axe finds nothing, and it needs no script',
    { timeout: PAGES_MS_MAX },
    async () => {
      const site = await filledSite();
      const page = await site.window({ as: 'ada' });
      const plain = await site.window({ as: 'ada', scripts: false });
      const found: string[] = [];
      for (const [route, pathIn] of Object.entries(EXAMPLES)) {
        const path = pathIn(site);
        const answer = await page.goto(path);
        expect([route, answer?.status()]).toEqual([route, 200]);
        const withScripts = await contentOf(page);
        found.push(...(await faultsIn(page, route)));
        await plain.goto(path);
        const headings = await plain.locator('main h1, main h2, main th').allTextContents();
        const missing = withScripts.filter((heading) => !headings.includes(heading));
        found.push(...missing.map((heading) => `${route} without scripts lacks ${heading}`));
        const scripted = plain.locator('.copy:visible, .keys:visible, .every:visible');
        if ((await scripted.count()) > 0) found.push(`${route} without scripts has dead buttons`);
      }
      expect([...found, ...site.faults]).toEqual([]);
    },
  );

  test('a picture without a name, and text that is pale in one theme, are found', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'ada' });
    await page.goto('/console');
    await page.evaluate(`(() => {
      const pale = Object.assign(document.createElement('p'), { id: 'pale', textContent: 'pale' });
      // The page behind it is light or dark.
      pale.style.color = '#222';
      document.querySelector('main').append(pale, document.createElement('img'));
    })()`);
    const found = await faultsIn(page, 'planted');
    for (const width of [390, 1_440]) {
      expect(found).toContain(`planted ${width}: light: image-alt: img`);
      expect(found).toContain(`planted ${width}: dark: color-contrast: #pale`);
      expect(found).not.toContain(`planted ${width}: light: color-contrast: #pale`);
    }
  });

  test('the page of an unknown path fits and has no fault', async () => {
    const site = await Site.open();
    const page = await site.window({ as: 'vera' });
    expect((await page.goto('/console/nothing'))?.status()).toBe(404);
    expect(await faultsIn(page, 'unknown')).toEqual([]);
  });

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
