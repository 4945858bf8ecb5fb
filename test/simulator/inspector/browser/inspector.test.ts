import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  faultsIn,
  HAS_BROWSER,
  openContext,
  useBrowser,
  watched,
  type Window,
} from '../../../pages/browser.ts';
import { startScene } from '../scene.ts';
import type { Scene } from '../scene.ts';

let scene: Scene;
/** Whatever a page could not load or run. */
let faults: string[] = [];

/** A page of the inspector, in a browser of its own. */
async function open(path: string, look: Window = {}): Promise<Page> {
  const context = await openContext(scene.caller.core.controlUrl, look);
  const page = watched(await context.newPage(), faults);
  await page.goto(`/inspector${path}`);
  return page;
}

/** Presses a button that acts, and returns the message of the page that follows. */
async function press(page: Page, name: string): Promise<string> {
  const before = page.url();
  await page.getByRole('button', { name, exact: true }).click();
  await page.waitForURL((url) => url.href !== before);
  return page.locator('.notice b').innerText();
}

const WITH_AND_WITHOUT = [true, false];

describe.runIf(HAS_BROWSER)('the inspector in a browser', () => {
  useBrowser();
  beforeAll(async () => {
    scene = await startScene();
  });
  afterAll(() => scene.stop());

  const PAGES: [name: string, path: () => string][] = [
    ['the overview', () => ''],
    ['the deliveries', () => '/deliveries'],
    ['a notification', () => `/deliveries/${scene.notificationId}`],
    ['the transactions', () => '/transactions'],
    ['a transaction', () => `/transactions/${scene.transactionId}`],
    ['the chains', () => '/chains'],
    ['a chain', () => '/chains/bitcoin'],
    ['a hash', () => `/chains/hashes/${scene.hash}`],
    ['the vaults', () => '/vaults'],
    ['a vault', () => `/vaults/${scene.vaultId}`],
    ['the faults', () => '/faults'],
    ['the mailbox', () => '/mailbox'],
    ['the snapshots', () => '/snapshots'],
  ];
  test('no page has a fault for screen readers, and each fits every width in both themes', async () => {
    faults = [];
    const page = await open('');
    const found: string[] = [];
    for (const [name, path] of PAGES) {
      await page.goto(`/inspector${path()}`);
      found.push(...(await faultsIn(page, name)));
    }
    expect([...found, ...faults]).toEqual([]);
  });

  test('a search without a result says what can be found', async () => {
    // The browser reports the 404 as a fault of its own.
    const page = await open('/search?q=nothing');
    expect(await page.locator('main').innerText()).toContain('knows nothing of “nothing”');
    expect(await faultsIn(page, 'search')).toEqual([]);
  });

  test.for(WITH_AND_WITHOUT)('a person replays a notification (scripts: %s)', async (scripts) => {
    const page = await open('/deliveries', { scripts });
    await page.getByLabel('State').selectOption('delivered');
    await page.getByLabel('Stream').selectOption('incoming');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.locator('tbody a').first().click();
    const before = scene.receiver.hits.length;
    await page.getByText('Replay…').click();
    expect(await press(page, 'Replay')).toBe('The receiver took the replay (200).');
    expect(scene.receiver.hits).toHaveLength(before + 1);
    expect(await page.locator('#attempts').innerText()).toContain('replay');
    expect(await page.locator('#body pre').innerText()).toContain('"stream": "incoming"');
  });

  test.for(WITH_AND_WITHOUT)(
    'a person pays an address, mines and reorganises (scripts: %s)',
    async (scripts) => {
      const page = await open('/vaults', { scripts });
      await page.getByRole('link', { name: 'customers' }).click();
      await page.locator('#deposit').getByLabel('Amount').fill('7000');
      const [, hash = ''] = /Deposit (\w+) waits/.exec(await press(page, 'Deposit')) ?? [];
      await page.goto('/inspector/chains/bitcoin');
      expect(await page.locator('#mempool').innerHTML()).toContain(hash);
      await page.getByRole('textbox', { name: 'Blocks', exact: true }).fill('3');
      expect(await press(page, 'Mine')).toContain('bitcoin is at height');
      await page.locator(`#blocks a[title="${hash}"]`).click();
      expect(await page.locator('#hash').innerText()).toContain('confirmed');
      expect(await page.locator('#movements').innerText()).toContain('customers');
      await page.goto('/inspector/chains/bitcoin');
      await page.getByText('Reorg…').click();
      await page.getByLabel('Depth').fill('3');
      expect(await press(page, 'Reorg')).toContain('wait again: 1; dropped: 0');
      await page.getByText('Reorg…').click();
      await page.getByLabel('Depth').fill('0');
      await page.getByLabel('Hash to drop').fill(hash);
      expect(await press(page, 'Reorg')).toContain('wait again: 0; dropped: 1');
      await page.getByRole('textbox', { name: 'Blocks', exact: true }).fill('no number');
      expect(await press(page, 'Mine')).toBe('The core refused it');
      expect(await page.locator('.notice.alarm').innerText()).toContain('count');
    },
  );

  test('a person approves a transaction, and reads its life', async () => {
    const page = await open('/transactions?status=approval-pending');
    await page.locator('tbody a').first().click();
    await page.getByText('Approve…').click();
    expect(await press(page, 'Approve')).toContain(
      'The decision is recorded; the transaction is submitted',
    );
    const life = await page.locator('#life h3').allInnerTexts();
    expect(life).toEqual(['approval-pending', 'requested', 'inited', 'signed', 'submitted']);
    expect(await page.locator('#notifications').innerText()).toContain('outgoing submitted');
  });

  test.for(WITH_AND_WITHOUT)(
    'a person switches a fault on and off, and sees how often it struck (scripts: %s)',
    async (scripts) => {
      const page = await open('/faults', { scripts });
      await page.locator('select[name="name"]').selectOption('api.429');
      await page.getByLabel('Times').fill('2');
      await page.getByLabel('Operation').fill('listNetworks');
      expect(await press(page, 'Switch on')).toBe('api.429 is on.');
      expect((await scene.caller.api('GET', '/networks')).status).toBe(429);
      await page.reload();
      const row = page.locator('#faults tr', { hasText: 'api.429' });
      expect(await row.innerText()).toMatch(/operation listNetworks.*once/s);
      expect(await press(page, 'Switch api.429 off')).toBe('The fault is off.');
      expect((await scene.caller.api('GET', '/networks')).status).toBe(200);
    },
  );

  test.for(WITH_AND_WITHOUT)(
    'a person advances the clock, saves the state and loads it (scripts: %s)',
    async (scripts) => {
      const page = await open('/snapshots', { scripts });
      expect(await press(page, 'Save the state')).toContain('The state is saved as');
      const before = scene.caller.core.clock.now();
      await page.goto('/inspector');
      expect(await press(page, '10 min')).toBe('The clock advanced by 600 s.');
      expect(scene.caller.core.clock.now()).toBe(before + 600_000);
      await page.goto('/inspector/snapshots');
      await page.getByText('Load…').first().click();
      expect(await press(page, 'Load')).toContain('The core is back at');
      expect(scene.caller.core.clock.now()).toBe(before);
    },
  );

  test('the mailbox shows a login code', async () => {
    const page = await open('/mailbox?email=ana@example.com');
    expect(await page.locator('tbody').innerText()).toMatch(/ana@example\.com\s+\d{6}/);
  });

  test('an open page leaves a field that a person has filled', async () => {
    const page = await open('/chains/litecoin');
    await page.locator('[data-live="on"]').waitFor();
    const blocks = page.getByRole('textbox', { name: 'Blocks', exact: true });
    await blocks.fill('3');
    await page.getByRole('searchbox').focus();
    const { addressId } = await scene.caller.address(
      await scene.caller.account(scene.vaultId),
      'litecoin',
    );
    const deposit = { network: 'litecoin', addressId, asset: 'litecoin:LTC', amount: '5000' };
    const { blockchainHash } = await scene.caller.sim('POST', '/sim/deposits', deposit);
    await page.locator(`#mempool [title="${String(blockchainHash)}"]`).waitFor();
    expect(await blocks.inputValue()).toBe('3');
  });

  test('an open page shows by itself what another person changed', async () => {
    const page = await open('/faults');
    await page.locator('[data-live="on"]').waitFor();
    await scene.caller.sim('POST', '/sim/faults', { api: [{ fault: 'hang', count: 0 }] });
    await page.getByText('api.hang', { exact: true }).waitFor();
    expect(page.url()).toBe(`${scene.caller.core.controlUrl}/inspector/faults`);
  });
});
