import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { TOKENS, type Person } from '../../../api/api-under-test.ts';
import { faultsOf, HAS_BROWSER, Site, useBrowser } from '../browser.ts';
import { fill } from '../filled-store.ts';

/** One person of each role, and a stranger in a public console. */
const PEOPLE = ['vera', 'chris', 'fiona', 'olga', 'ada', 'audra'] as const satisfies Person[];

const DAY = '2025-11-20';

/** Pages with actions. */
const PAGES = [
  'deposit',
  'break',
  'movement',
  'exemptions',
  'breaks',
  'quarantine',
  'kept',
  'runs',
  'day',
  'unclosed',
  'policy',
] as const;
type PageName = (typeof PAGES)[number];

const STEPS = ['Assign', 'Investigate', 'Note', 'Resolve'];
/** The queue's form asks for the step in a list. */
const BULK = ['Resolve'];
const HALTS = [
  'Halt another',
  'Halt asset ethereum:ETH',
  'Halt asset ripple:XRP',
  'Halt everything',
  'Halt network ethereum',
  'Halt network ripple',
];
const NOTHING: Record<PageName, readonly string[]> = {
  deposit: [],
  break: [],
  movement: [],
  exemptions: [],
  breaks: [],
  quarantine: [],
  kept: [],
  runs: [],
  day: [],
  unclosed: [],
  policy: [],
};
const FINANCE = {
  ...NOTHING,
  break: STEPS,
  movement: [...STEPS, 'Exempt'].toSorted(),
  exemptions: ['End'],
  breaks: BULK,
  day: ['Prepare'],
  unclosed: ['Close now'],
};
const OPERATOR = {
  ...FINANCE,
  deposit: ['Hold', 'Name owner'],
  quarantine: ['Retry the ticked bodies'],
  kept: ['Retry'],
  runs: ['Run now'],
  policy: HALTS,
};

/** What each role finds on each page, by the labels of its buttons and links that act. */
const SEEN: Record<(typeof PEOPLE)[number], Record<PageName, readonly string[]>> = {
  vera: NOTHING,
  chris: NOTHING,
  fiona: FINANCE,
  olga: OPERATOR,
  ada: { ...OPERATOR, policy: ['Change…', ...HALTS] },
  audra: NOTHING,
};

/** The statuses of pages that a role may not open: raw bytes, their download, a change of policy. */
const OPENS: Record<(typeof PEOPLE)[number], readonly number[]> = {
  vera: [403, 403, 403],
  chris: [403, 403, 403],
  fiona: [200, 200, 403],
  olga: [200, 200, 403],
  ada: [200, 200, 200],
  audra: [200, 200, 403],
};

function addressesOf({ console: { open } }: Site): Record<PageName, string> {
  const idOf = (sql: string): string => String(Object.values(open.rows(sql)[0] ?? {})[0]);
  const deposit = idOf("SELECT deposit_id FROM deposits WHERE state = 'held'");
  return {
    deposit: `/console/deposits/${deposit}`,
    break: `/console/breaks/${open.openBreak('quarantined').id}`,
    movement: `/console/breaks/${open.openBreak('unexplained_movement').id}`,
    exemptions: '/console/breaks/exemptions',
    breaks: '/console/breaks',
    quarantine: '/console/quarantine',
    kept: `/console/quarantine/${idOf('SELECT quarantine_id FROM quarantine')}`,
    runs: '/console/runs',
    day: `/console/close/${DAY}`,
    unclosed: '/console/close/2025-11-21',
    policy: '/console/policy',
  };
}

/** Labels of everything in the page that acts. */
async function actionsOn(page: Page): Promise<string[]> {
  const found = page.locator('main form[method="post"] button.primary, main a[href$="/change"]');
  const labels = (await found.allTextContents()).map((label) => label.trim());
  return [...new Set(labels)].toSorted();
}

describe.runIf(HAS_BROWSER)('what each role sees', () => {
  useBrowser();

  test.for(PEOPLE)('%s finds the actions of the role, and no others', async (person) => {
    const site = await Site.open();
    await fill(site.console);
    const own = { rule: 'dust', vaultId: 'v9', reason: 'ticket 1', owner: 'finance' };
    const until = site.console.open.at * 2;
    await site.console.open.decide({ kind: 'exempt', rule: { ...own, until } });
    // The day after the closed one has ended.
    site.console.open.at += 2 * 86_400_000;
    const addresses = addressesOf(site);
    const page = await site.window({ as: person });
    const found: Partial<Record<PageName, string[]>> = {};
    for (const name of PAGES) {
      await page.goto(addresses[name]);
      found[name] = await actionsOn(page);
    }
    expect(found).toEqual(SEEN[person]);
    const opened: number[] = [];
    for (const path of [
      '/console/journal/2',
      '/console/journal/2/bytes',
      '/console/policy/change',
    ]) {
      opened.push((await page.request.get(path)).status());
    }
    expect(opened).toEqual(OPENS[person]);
    expect(await page.locator('.visitor').textContent()).toBe(`${person} · ${TOKENS[person]}`);
    expect(site.faults).toEqual([]);
  });

  test('a page that a role may not open says which roles may open it', async () => {
    const site = await Site.open();
    await fill(site.console);
    expect(await faultsOf(site, '/console/policy/change', 'audra')).toEqual([
      'Failed to load resource: the server responded with a status of 403 (Forbidden)',
    ]);
    const page = await site.window({ as: 'vera', scripts: false });
    await page.goto('/console/journal/2');
    await page.getByText('Your role does not allow this').waitFor();
    await page
      .getByText('Only the roles finance, operator, admin and auditor may read the bytes')
      .waitFor();
  });
});
