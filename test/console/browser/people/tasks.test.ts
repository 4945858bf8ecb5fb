import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { Memo } from '../../../../src/domain/ids.ts';
import { balanceChange, verifyWith } from '../../../store/evidence.ts';
import { change, decimals } from '../../../store/webhook.ts';
import { moveUnexplained } from '../../breaks/several-breaks.ts';
import { closeTwoDays, SECOND_DAY } from '../../close/closed-day.ts';
import { HAS_BROWSER, Site, useBrowser, type Look } from '../browser.ts';

/** A person at a page, whose clicks count. They fill in a form with the keyboard. */
class Worker {
  readonly page: Page;
  clicks = 0;

  private constructor(page: Page) {
    this.page = page;
  }

  static async at(site: Site, path: string, look: Look): Promise<Worker> {
    const worker = new Worker(await site.window(look));
    await worker.page.goto(path);
    return worker;
  }

  async click(role: 'link' | 'button', name: string | RegExp): Promise<void> {
    this.clicks += 1;
    await this.page.getByRole(role, { name }).first().click();
  }

  /** Opens a form within the page. */
  async open(label: string): Promise<void> {
    this.clicks += 1;
    await this.page.getByText(label).first().click();
  }

  /** The next fields of the form that has the focus, by Tab. */
  async type(...texts: string[]): Promise<void> {
    for (const text of texts) {
      await this.page.keyboard.press('Tab');
      await this.page.keyboard.type(text);
    }
  }
}

/** A site with a verified deposit of memo 88, which nobody registered. */
async function withMemoDeposit(): Promise<Site> {
  const site = await Site.open();
  const { open, service } = site.console;
  await open.deliver(
    service.confirmed(6, { memo: '88', balanceChanges: [change('1500', decimals(2))] }),
  );
  await verifyWith(open, { memo: Memo('88'), changes: [balanceChange(1_500n)] });
  return site;
}

describe.runIf(HAS_BROWSER).for([true, false])('a day’s work (scripts: %s)', (scripts) => {
  useBrowser();

  test('why a customer’s deposit is not credited: two clicks from the overview', async () => {
    const site = await withMemoDeposit();
    const vera = await Worker.at(site, '/console', { as: 'vera', scripts });
    await vera.click('link', 'Deposits');
    await vera.click('link', /^dep_/);
    await vera.page.getByText('Its memo belongs to nobody.').waitFor();
    expect(vera.clicks).toBeLessThanOrEqual(3);
  });

  test('why a customer’s deposit is not credited: one search and no click', async () => {
    const site = await withMemoDeposit();
    const vera = await Worker.at(site, '/console', { as: 'vera', scripts });
    await vera.page.getByRole('searchbox').fill('88');
    await vera.page.getByRole('searchbox').press('Enter');
    await vera.page.getByText('Its memo belongs to nobody.').waitFor();
    expect(await vera.page.locator('.gates .shut').textContent()).toContain('no registered memo');
  });

  test('a memo deposit gets its owner and is credited in four clicks', async () => {
    const site = await withMemoDeposit();
    const olga = await Worker.at(site, '/console', { as: 'olga', scripts });
    await olga.click('link', 'Deposits');
    await olga.click('link', /^dep_/);
    await olga.open('Name owner…');
    await olga.type('customer 7', 'their ticket');
    await olga.click('button', 'Name owner');
    await olga.page.getByText('Its credit is in the feed.').waitFor();
    expect(olga.clicks).toBeLessThanOrEqual(4);
    expect(await olga.page.locator('#life').textContent()).toContain('owner customer 7');
  });

  test('twelve breaks of one cause are resolved in four clicks', async () => {
    const site = await Site.open();
    await moveUnexplained(site.console, 12);
    const olga = await Worker.at(site, '/console', { as: 'olga', scripts });
    await olga.click('link', 'Breaks');
    await olga.click('link', /^12 × unexplained movement in vault v1$/);
    await olga.open('Reason, or the text of the note');
    await olga.page.keyboard.type('an airdrop');
    await olga.click('button', 'Resolve');
    await olga.page.getByText('12 breaks are resolved.').waitFor();
    expect(olga.clicks).toBeLessThanOrEqual(4);
    expect(site.console.open.openBreaks()).toEqual([]);
  });

  test('two people prepare and review a day, each in four clicks from the overview', async () => {
    const site = await Site.open();
    await closeTwoDays(site.console);
    const sign = async (as: 'olga' | 'otto', label: string, done: string): Promise<void> => {
      const worker = await Worker.at(site, '/console', { as, scripts });
      await worker.click('link', SECOND_DAY);
      await worker.open(`${label}…`);
      await worker.type('compared with the statement');
      await worker.click('button', label);
      await worker.page.getByText(done).waitFor();
      expect(worker.clicks).toBeLessThanOrEqual(4);
    };
    await sign('olga', 'Prepare', `You prepared ${SECOND_DAY}.`);
    await sign('otto', 'Review', `You reviewed ${SECOND_DAY}.`);
    expect(site.console.open.rows('SELECT person FROM close_signatures ORDER BY seq')).toEqual([
      { person: 'olga' },
      { person: 'otto' },
    ]);
  });

  test('an asset is halted in three clicks from the overview, and resumed in two', async () => {
    const site = await withMemoDeposit();
    const olga = await Worker.at(site, '/console', { as: 'olga', scripts });
    await olga.click('link', 'Policy');
    await olga.open('Halt asset ethereum:ETH…');
    await olga.type('a fork');
    await olga.click('button', /^Halt asset ethereum:ETH$/);
    await olga.page.getByText('ethereum:ETH is halted.').waitFor();
    expect(olga.clicks).toBeLessThanOrEqual(3);
    await olga.open('Resume asset ethereum:ETH…');
    await olga.type('it is over');
    await olga.click('button', /^Resume asset ethereum:ETH$/);
    await olga.page.getByText('ethereum:ETH is no longer halted.').waitFor();
    expect(olga.clicks).toBeLessThanOrEqual(5);
    expect(site.faults).toEqual([]);
    expect(site.console.open.rows("SELECT actor FROM policies WHERE source = 'api'")).toEqual([
      { actor: 'olga' },
      { actor: 'olga' },
    ]);
  });
});
