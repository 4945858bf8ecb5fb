import { expect, test } from 'vitest';
import { closeOf, closesOf } from '../../store/close/closing.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import { words } from '../console-under-test.ts';
import { openConsole } from './open-console.ts';

test('an empty store shows an empty console, and what would fill it', async () => {
  const { read } = await openConsole();
  const text = words(await read());
  expect(text).toContain('Accepted 0 Duplicates 0 Quarantined 0 Credits 0 Reversals 0');
  expect(text).toContain('Nothing waits for a person.');
  expect(text).toContain('No deposits yet.');
  expect(text).toContain('No open breaks.');
  expect(text).toContain('Custody API not configured');
});

test('before the first close the tie-out says what it will show, when, and what to do now', async () => {
  const { open, read } = await openConsole();
  const before = await read();
  expect(words(before)).toContain(
    'No day is closed yet. A close compares books, chain view and custody for each asset at midnight, UTC. Then this card shows the three figures, and every difference. The next close is due 2025-11-21 00:05:00 UTC',
  );
  expect(words(before)).toContain(
    'To compare now, an operator starts a reconciliation under Runs .',
  );
  await open.run();
  open.at += 60_000;
  const after = await read();
  expect(words(after)).toContain(
    'Until then, read the last reconciliation , the open breaks and the balances .',
  );
  const [run] = open.rows<{ seq: number }>('SELECT seq FROM reconciliations');
  for (const href of [`/console/runs/${run?.seq}`, '/console/breaks', '/console/books']) {
    expect(after).toContain(`<a href="${href}">`);
  }
});

test('the last closed day shows books, chain view and custody, and who signed it', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(
    service.confirmed(6, { balanceChanges: [change('1500', decimals(2))] }),
    service.chain('transaction', {
      balanceChanges: [change('1400', { ...AT_ADDRESS, ...decimals(2) })],
    }),
  );
  await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: open.at + 1 }));
  expect(words(await read())).toContain(
    '2025-11-20 exceptions closed 1 s ago; not compared with custody; not signed; no reconciliation has run yet',
  );
  const reportHash = closesOf(open)[0]?.report_hash ?? '';
  const signed = { kind: 'sign', day: '2025-11-20', reportHash, reason: 'seen' } as const;
  await open.decide({ ...signed, role: 'preparer' }, 'olga');
  open.at += 60_000;
  const page = await read();
  expect(words(page)).toContain('not compared with custody; preparer olga');
  expect(words(page)).toContain('ethereum:ETH chain +1 100 15 1500 14 1400 not configured ');
  expect(page).toContain('href="/console/close/2025-11-20"');
  expect(page).toContain(
    'href="/console/close/2025-11-20?asset=ethereum%3AETH#asset-ethereum:ETH"',
  );
  expect(page).toMatch(/href="\/console\/books\?view=chain&amp;asset=ethereum%3AETH&amp;asOf=/);
  expect(page).toContain('href="/console/close/2025-11-20#differences"');
});

test('the counts lead to what they count, and the tie-out to the last run', async () => {
  const { open, read } = await openConsole();
  expect(words(await read())).toContain('no reconciliation has run yet');
  await open.run();
  open.at += 60_000;
  const page = await read();
  const [run] = open.rows<{ seq: number }>('SELECT seq FROM reconciliations');
  expect(page).toContain(`<a href="/console/runs/${run?.seq}">reconciled</a>`);
  for (const [label, href] of [
    ['Quarantined', '/console/quarantine'],
    ['Credits', '/console/feed'],
    ['Reversals', '/console/deposits?state=reversed'],
    ['Open breaks', '/console/breaks'],
  ] as const) {
    expect(page).toContain(`<a href="${href}">${label}</a>`);
  }
});

test('a deposit is shown with its state, depth and amount both ways, and its amount opens it', async () => {
  const { open, service, read, stranger } = await openConsole();
  await open.deliver(
    service.confirmed(3, { balanceChanges: [change('1500000000000000000', decimals(18))] }),
    service.confirmed(1, {
      blockchainHash: '0xb2',
      addressId: '0fb3d6a4-5b1c-4a55-9b62-1f0f6a2c9e11',
      memo: '88',
      balanceChanges: [change('7', { asset: 'ripple:XRP' })],
    }),
  );
  const page = await read();
  const text = words(page);
  expect(text).toContain('confirming 1.5 ETH 1500000000000000000 3 / 6 v1 · adr-1 0xa1');
  expect(text).toContain(
    'held unattributed memo 7 XRP smallest units 1 / 6 v1 · 0fb3d6a4…2c9e11 · memo 88 0xb2',
  );
  expect(page).toContain('title="v1 · 0fb3d6a4-5b1c-4a55-9b62-1f0f6a2c9e11 · memo 88"');
  expect(text).toContain('confirming 1 held 1');
  expect(text).toContain('The latest 2 of 2');
  const [{ deposit_id: depositId } = {}] = open.rows<{ deposit_id: string }>(
    "SELECT deposit_id FROM deposits WHERE amount = '7'",
  );
  for (const list of [page, await stranger.get('/console/deposits')]) {
    expect(list).toMatch(
      new RegExp(`<a href="/console/deposits/${depositId}">\\s*<data class="amount" value="7">`),
    );
  }
});

test('what arrives from outside is never markup', async () => {
  const { open, service, read } = await openConsole();
  const hostile = '<img src=x onerror="alert(1)">';
  await open.deliver(
    service.confirmed(1, {
      blockchainHash: hostile,
      addressId: hostile,
      memo: hostile,
      balanceChanges: [change('1', { asset: hostile })],
    }),
    { id: hostile, stream: hostile },
  );
  const page = await read();
  expect(page).not.toContain('<img');
  expect(page).not.toContain('onerror="');
  expect(page).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
});

test('without scripts the page reloads itself', async () => {
  const { read } = await openConsole();
  expect(await read()).toContain(
    '<noscript><meta http-equiv="refresh" content="15;url=/console?reload"/></noscript>',
  );
});
