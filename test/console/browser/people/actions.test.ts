import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { AssetId, BlockchainHash, DepositId, Memo } from '../../../../src/domain/ids.ts';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { apiUnderTest, type ApiUnderTest, type Person } from '../../../api/api-under-test.ts';
import { closeOf } from '../../../store/close/closing.ts';
import { balanceChange, verifyWith } from '../../../store/evidence.ts';
import { SIX_DEEP } from '../../../store/open-ledger.ts';
import { change, decimals, ETH } from '../../../store/webhook.ts';
import { moveUnexplained } from '../../breaks/several-breaks.ts';
import { keepUnderstood } from '../../quarantine/kept-body.ts';
import { HAS_BROWSER, Site, useBrowser } from '../browser.ts';

const DAY = '2025-11-21';
const DAY_MS = 86_400_000;

/** Two people must approve more than a thousand. */
const FOUR_EYES = {
  ...SIX_DEEP,
  assets: { [AssetId(ETH)]: { twoApprovalsAbove: Amount(1_000n) } },
};

/** An API whose days can be closed by hand. */
async function apiThatCloses(): Promise<ApiUnderTest> {
  const api: ApiUnderTest = await apiUnderTest(FOUR_EYES, {
    close: async (day) => {
      const cutOffAt = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
      await api.open.record(closeOf(api.open, { day, cutOffAt }));
      return { kind: 'closed' };
    },
  });
  return api;
}

/** A site with a deposit, a break, a body and a day for each action. */
async function siteToWorkOn(): Promise<Site> {
  const site = await Site.open({}, await apiThatCloses());
  const { open, service } = site.console;
  const ripple = (count: number) => ({
    balanceChanges: [change('7', { asset: 'ripple:XRP', ...decimals(count) })],
  });
  const large = { balanceChanges: [change('1500', decimals(2))] };
  await open.deliver(
    service.confirmed(6, large),
    service.confirmed(6, { blockchainHash: '0xb2', memo: '88' }),
    service.confirmed(1, { blockchainHash: '0xc3' }),
    service.confirmed(1, { blockchainHash: '0xd4', ...ripple(6) }),
    service.confirmed(1, { blockchainHash: '0xd5', ...ripple(8) }),
  );
  await verifyWith(open, { changes: [balanceChange(1_500n)] }, depositOf(site, '0xa1'));
  const toMemo = { blockchainHash: BlockchainHash('0xb2'), memo: Memo('88') };
  const changes = [balanceChange(100n)];
  await verifyWith(open, { ...toMemo, changes }, depositOf(site, '0xb2'));
  await moveUnexplained(site.console, 1);
  await keepUnderstood(site.console, 3);
  await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: open.at + 1 }));
  open.at += 2 * DAY_MS;
  return site;
}

function textOf(site: Site, sql: string): string {
  const row = site.console.open.rows<Record<string, string | number | null>>(sql)[0] ?? {};
  return Object.values(row).join(' ');
}

function depositOf(site: Site, hash: string): DepositId {
  return DepositId(
    textOf(site, `SELECT deposit_id FROM deposits WHERE blockchain_hash = '${hash}'`),
  );
}

const depositPage = (hash: string) => (site: Site) => `/console/deposits/${depositOf(site, hash)}`;
const breakPage = (site: Site) =>
  `/console/breaks/${textOf(site, "SELECT break_id FROM breaks WHERE type = 'unexplained_movement'")}`;
const keptPage = (site: Site) =>
  `/console/quarantine/${textOf(site, "SELECT quarantine_id FROM quarantine WHERE notification_id = 'k1'")}`;

const stateOf = (hash: string) =>
  `SELECT state, reason FROM deposits WHERE blockchain_hash = '${hash}'`;
const OF_THE_BREAK = `SELECT breaks.state, assignee, actor, action, reason
  FROM breaks JOIN break_events USING (break_id)
  WHERE type = 'unexplained_movement' ORDER BY break_events.rowid DESC LIMIT 1`;
const IN_SUSPENSE = `SELECT amount FROM balances JOIN ledger_accounts USING (ledger_account)
  WHERE kind = 'suspense'`;

interface Action {
  /** The button. */
  readonly name: string;
  readonly at: (site: Site) => string;
  /** What the person fills in, by the field's name. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Another person than the one of the row's test. */
  readonly by?: Person;
  /** What the page says afterwards. */
  readonly says: string;
  /** What the store holds afterwards, `ME` for the person. */
  readonly holds: readonly [sql: string, text: string];
}

const ON_DEPOSITS: readonly Action[] = [
  {
    name: 'Approve',
    at: depositPage('0xa1'),
    fields: { reason: 'large and known' },
    says: 'The approval is recorded.',
    holds: [stateOf('0xa1'), 'held approval_required'],
  },
  {
    name: 'Approve',
    at: depositPage('0xa1'),
    fields: { reason: 'large and known' },
    by: 'otto',
    says: 'Its credit is in the feed.',
    holds: [stateOf('0xa1'), 'credited '],
  },
  {
    name: 'Name owner',
    at: depositPage('0xb2'),
    fields: { attributedTo: 'customer 7', reason: 'their ticket' },
    says: 'The deposit has its owner.',
    holds: [
      "SELECT state, attributed_to, attributed_by FROM deposits WHERE memo = '88'",
      'credited customer 7 ME',
    ],
  },
  {
    name: 'Hold',
    at: depositPage('0xc3'),
    fields: { reason: 'a complaint' },
    says: 'The deposit is held.',
    holds: [
      "SELECT state, operator_hold FROM deposits WHERE blockchain_hash = '0xc3'",
      'held ME: a complaint',
    ],
  },
  {
    name: 'Release',
    at: depositPage('0xc3'),
    fields: { reason: 'it was withdrawn' },
    says: 'The deposit is released.',
    holds: [stateOf('0xc3'), 'confirming '],
  },
  {
    name: 'Retry',
    at: keptPage,
    fields: { reason: 'upgraded' },
    says: 'The body was read again, and takes effect now.',
    holds: ["SELECT count(*) FROM quarantine WHERE state = 'retried'", '1'],
  },
  {
    name: 'Retry the ticked bodies',
    at: () => '/console/quarantine',
    fields: { kept: 'every', reason: 'upgraded' },
    says: '2 bodies were read again, and take effect now.',
    holds: ["SELECT count(*) FROM quarantine WHERE state = 'retried'", '3'],
  },
  {
    name: 'Run now',
    at: () => '/console/runs',
    fields: { reason: 'the bank asks' },
    says: 'The reconciliation has run.',
    holds: ['SELECT count(*) FROM reconciliations', '2'],
  },
];

const ON_BREAKS: readonly Action[] = [
  {
    name: 'Assign',
    at: breakPage,
    fields: { assignee: 'fiona', reason: 'she knows the vault' },
    says: 'The break is assigned.',
    holds: [OF_THE_BREAK, 'open fiona ME assigned nobody → fiona: she knows the vault'],
  },
  {
    name: 'Investigate',
    at: breakPage,
    fields: { reason: 'asked the bank' },
    says: 'The break is under investigation.',
    holds: [OF_THE_BREAK, 'investigating fiona ME investigating asked the bank'],
  },
  {
    name: 'Note',
    at: breakPage,
    fields: { reason: 'it was an airdrop' },
    says: 'The break is noted.',
    holds: [OF_THE_BREAK, 'investigating fiona ME noted it was an airdrop'],
  },
  {
    name: 'Resolve',
    at: breakPage,
    fields: { reason: 'an airdrop' },
    says: 'The break is resolved.',
    holds: [OF_THE_BREAK, 'resolved fiona ME resolved an airdrop'],
  },
  {
    name: 'Note',
    at: breakPage,
    fields: { reason: 'see ticket 9' },
    says: 'The break is noted.',
    holds: [IN_SUSPENSE, '-1500000000000000000'],
  },
  {
    name: 'Close now',
    at: () => `/console/close/${DAY}`,
    fields: { reason: 'the daemon was stopped' },
    says: `${DAY} is closed.`,
    holds: ['SELECT day FROM daily_closes ORDER BY day DESC', DAY],
  },
];

/** What an admin alone may do. */
const OF_ADMINS: readonly Action[] = [
  {
    name: 'Correct',
    at: (site) => `/console/breaks/${site.console.open.openBreak('decimals_changed').id}`,
    fields: { decimals: '8', reason: 'as on its contract' },
    says: 'The decimals are corrected.',
    holds: ["SELECT decimals FROM assets WHERE asset = 'ripple:XRP'", '8'],
  },
];

/** Who does what; nobody else finds a button of these (`roles.test.ts`). */
const DONE_BY: readonly { person: Person; scripts: boolean; actions: readonly Action[] }[] = [
  { person: 'olga', scripts: true, actions: [...ON_DEPOSITS, ...ON_BREAKS] },
  { person: 'olga', scripts: false, actions: [...ON_DEPOSITS, ...ON_BREAKS] },
  { person: 'ada', scripts: true, actions: [...ON_DEPOSITS, ...OF_ADMINS] },
  { person: 'ada', scripts: false, actions: [...ON_BREAKS, ...OF_ADMINS] },
  { person: 'fiona', scripts: true, actions: ON_BREAKS },
];

/** Opens the action's form, where it has one, fills it in and sends it. */
async function send(page: Page, { name, fields = {} }: Action): Promise<void> {
  if (fields['kept'] === 'every') {
    for (const box of await page.locator('[name="kept"]').all()) await box.check();
  } else await page.getByText(`${name}…`, { exact: true }).click();
  const button = page.getByRole('button', { name, exact: true });
  const form = page.locator('form').filter({ has: button });
  for (const [field, text] of Object.entries(fields)) {
    if (text !== 'every') await form.locator(`[name="${field}"]`).fill(text);
  }
  await button.click();
}

describe.runIf(HAS_BROWSER)('every action on money, in a browser', () => {
  useBrowser();

  test.for(DONE_BY)(
    '$person acts, the page says so, and the store holds it (scripts: $scripts)',
    async ({ person, scripts, actions }) => {
      const site = await siteToWorkOn();
      const windows = new Map<Person, Page>();
      for (const action of actions) {
        const { by = person, name, at, says, holds } = action;
        const page = windows.get(by) ?? (await site.window({ as: by, scripts }));
        windows.set(by, page);
        // An action leads back to its page.
        if (!page.url().endsWith(at(site))) await page.goto(at(site));
        await send(page, action);
        await page.getByText(says).first().waitFor();
        expect([name, textOf(site, holds[0])]).toEqual([name, holds[1].replaceAll('ME', by)]);
      }
      expect(site.faults).toEqual([]);
    },
  );
});
