import { expect, test } from 'vitest';
import { csvRows, numbersOf, workbookOf } from '../../report/reading-back.ts';
import { closeTwoDays, FIRST_DAY, SECOND_DAY } from '../close/closed-day.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';
import { book, LONG_HASH } from './booked-hash.ts';

const POSITION = 'vaultId=v1&accountId=acc-1&addressId=adr-1&asset=ethereum%3AETH';
const STATEMENT = `/console/books/statement?${POSITION}`;

async function booked() {
  const console = await consoleUnderTest();
  await book(console);
  return { console, vera: await console.as('vera') };
}

test('balances are listed by position, with their asset’s decimals and what is pending', async () => {
  const { vera } = await booked();
  const page = await vera.get('/console/books');
  expect(words(page)).toContain('12_315.499979 ETH 12315499979000000000000 0.000000000000000001');
  expect(words(page)).toContain('25 XRP 25000000');
  expect(page).toContain(`<a class="id" title="v1" href="${STATEMENT.replaceAll('&', '&amp;')}">`);
  expect(page).toContain('href="/console/books" aria-current="page"');
});

test('balances are filtered by a link, and looked back at', async () => {
  const { console, vera } = await booked();
  const path = '/console/books?asset=ripple%3AXRP&memo=88';
  expect(words(await vera.get(path))).toContain('Filter: Asset ripple:XRP, Memo 88');
  expect(words(await vera.get(path))).not.toContain('ETH 12');
  expect(words(await vera.get('/console/books?view=chain'))).toContain('The chain view now');
  expect(words(await vera.get('/console/books?asOf=2025-11-19'))).toContain(
    'No position is like this.',
  );
  const then = new Date(console.open.at - 3_000).toISOString();
  expect(words(await vera.get(`/console/books?asOf=${then}`))).not.toContain('25 XRP');
  const wrong = await vera.request('/console/books?asOf=yesterday');
  expect([wrong.status, words(await wrong.text())]).toEqual([
    400,
    expect.stringContaining('Write a day such as 2025-11-20'),
  ]);
  expect((await vera.request('/console/books?view=dream')).status).toBe(400);
});

test('the balances of a closed day lead to a statement that closes with them, at its cut-off', async () => {
  const console = await consoleUnderTest();
  // Both days end within one UTC day, as days do in most time zones.
  await closeTwoDays(console);
  const vera = await console.as('vera');
  const hrefIn = (page: string, pattern: RegExp): string =>
    pattern.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? 'no such link';
  for (const [day, opening, closing] of [
    [FIRST_DAY, '0', '1.5'],
    [SECOND_DAY, '1.5', '3.5'],
  ] as const) {
    const closed = await vera.get(`/console/close/${day}`);
    const atCutOff = hrefIn(closed, /href="(\/console\/books\?vaultId=v1&amp;[^"]*)"/);
    const balances = await vera.get(atCutOff);
    expect(words(balances)).toContain(` ${closing} ETH `);
    const link = hrefIn(balances, /<a class="id" title="v1" href="([^"]*)"/);
    const statement = await vera.get(link);
    const text = words(statement);
    expect(text).toMatch(new RegExp(`Opening, \\S+ \\S+ UTC ${opening} ETH`));
    expect(text).toMatch(new RegExp(`Closing, \\S+ \\S+ UTC ${closing} ETH`));
    expect(statement).toMatch(new RegExp(`aria-current="true"> ?Closed day ${day}`));
    expect(text).toContain('Before (UTC moment)');
  }
  expect(words(await vera.get(STATEMENT))).toContain(`Closed day ${SECOND_DAY}`);
  expect(words(await vera.get(STATEMENT))).not.toContain(`Closed day ${FIRST_DAY}`);
});

test('a balance at any moment leads to a statement until this moment', async () => {
  const { console, vera } = await booked();
  const asOf = new Date(console.open.at - 1_000).toISOString();
  const before = new Date(console.open.at - 999).toISOString();
  expect(await vera.get(`/console/books?asOf=${asOf}`)).toContain(
    `&amp;to=${encodeURIComponent(before)}"`,
  );
});

test('an empty store says what makes a position', async () => {
  const vera = await (await consoleUnderTest()).as('vera');
  expect(words(await vera.get('/console/books'))).toContain(
    'No position holds anything yet. The first confirmation of a deposit',
  );
});

test('a statement has opening, each line with hash, kind, balance and evidence, and closing', async () => {
  const { vera } = await booked();
  const page = await vera.get(`${STATEMENT}&from=2025-11-20&to=2025-11-20`);
  const text = words(page);
  expect(text).toContain('Opening, 2025-11-20 00:00:00 UTC 0 ETH 0 Moved by 5 lines');
  expect(text).toContain('+12_315.499979 ETH');
  expect(text).toContain('deposit +12_345.5 12345500000000000000000 12_345.5');
  expect(text).toContain('reversal: deposit −12_345.5');
  expect(text).toContain('withdrawal −30');
  expect(text).toContain('withdrawal fee −0.000021');
  expect(text).toContain('Closing so far');
  // "As of" is a moment; this is a place in the journal.
  expect(text).toMatch(/Read through journal position \d+\./);
  expect(page).toContain('href="/console/journal/2" title="ntf-1"');
  expect(page).toContain(`href="/console/books/movements/${LONG_HASH}"`);
});

test('a statement begins thirty days ago where nobody chose a period, and names common ones', async () => {
  const { vera } = await booked();
  const page = await vera.get(STATEMENT);
  expect(page).toContain('name="from" type="date" value="2025-10-22"');
  expect(page).toContain('name="to" type="date" value="2025-11-20"');
  expect(page).toMatch(/from=2025-10-22&amp;to=2025-11-20" aria-current="true">Thirty days/);
  expect(page).toContain('from=2025-10-01&amp;to=2025-10-31">Last month');
  const before = words(await vera.get(`${STATEMENT}&from=2025-11-01&to=2025-11-02`));
  expect(before).toContain('Nothing moved this position in the period.');
  expect(before).toContain('Closing, 2025-11-03 00:00:00 UTC 0 ETH');
});

test('a statement says what is wrong with its position or period', async () => {
  const { vera } = await booked();
  const cases = [
    ['/console/books/statement?vaultId=v1', 404, 'A statement needs a vault and an asset.'],
    [`${STATEMENT}&untill=2025-11-20`, 404, 'There is no filter untill here. The filters are view'],
    [`${STATEMENT}&view=custody`, 404, 'There is no such view'],
    [STATEMENT.replace('?', '/csv?untill=2025-11-20&'), 404, 'There is no filter untill here.'],
    [`${STATEMENT}&memo=1`, 404, 'Nothing was ever posted at this position.'],
    [`${STATEMENT}&from=monday`, 400, '“From” is not a day'],
    [`${STATEMENT}&to=2025-11-31x`, 400, '“Until” is not a day'],
    [`${STATEMENT}&from=2025-11-21&to=2025-11-20`, 400, 'The period ends before it begins'],
  ] as const;
  for (const [path, status, text] of cases) {
    const answer = await vera.request(path);
    expect([path, answer.status, words(await answer.text())]).toEqual([
      path,
      status,
      expect.stringContaining(text),
    ]);
  }
  const csv = await vera.request(
    `/console/books/statement/csv?${POSITION}&from=2025-11-21&to=2025-11-20`,
  );
  expect(csv.status).toBe(400);
});

test('a statement is saved as csv and as a workbook, opening and lines coming to the closing', async () => {
  const { console } = await booked();
  console.open.at = Date.parse('2025-11-21T00:00:00Z');
  const vera = await console.as('vera');
  const query = `${POSITION}&from=2025-11-20&to=2025-11-20`;
  const csv = await vera.request(`/console/books/statement/csv?${query}`);
  expect(csv.headers.get('Content-Disposition')).toBe(
    'attachment; filename="statement-v1-adr-1-ethereum-ETH-2025-11-20-2025-11-20.csv"',
  );
  const noon = await vera.request(
    `/console/books/statement/csv?${POSITION}&from=2025-11-20&to=2025-11-20T12:00:00Z`,
  );
  expect(noon.headers.get('Content-Disposition')).toBe(
    'attachment; filename="statement-v1-adr-1-ethereum-ETH-2025-11-20T00-00-00.000Z-2025-11-20T12-00-00.000Z.csv"',
  );
  const [head = [], ...rows] = csvRows(await csv.text());
  const records = rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
  expect(records.map(({ record }) => record)).toEqual([
    'opening',
    ...Array.from({ length: 5 }, () => 'line'),
    'closing',
  ]);
  const moved = records.reduce((sum, { amountUnits }) => sum + BigInt(amountUnits ?? '0'), 0n);
  expect(moved.toString()).toBe(records.at(-1)?.['balanceUnits']);
  expect(records.at(-1)?.['balance']).toBe('12315.499979000000000000');
  expect(records[1]).toMatchObject({ notificationId: 'ntf-1', journalSeq: '2', vaultId: 'v1' });
  const xlsx = await vera.request(`/console/books/statement/xlsx?${query}`);
  const body = new Uint8Array(await xlsx.arrayBuffer());
  expect(workbookOf(body)['About']).toContainEqual([
    'closing, smallest units',
    '12315499979000000000000',
  ]);
  expect(numbersOf(body, 2)).toContain('12315.499979');
});

test('the file of a period that is not over says when it was read, and from which journal position', async () => {
  const { console, vera } = await booked();
  const query = `${POSITION}&from=2025-11-20&to=2025-11-20`;
  const askedAt = console.open.at;
  const csv = await vera.request(`/console/books/statement/csv?${query}`);
  expect(csv.headers.get('Content-Disposition')).toContain('-2025-11-20-2025-11-20-so-far.csv"');
  const [head = [], ...rows] = csvRows(await csv.text());
  const last = Object.fromEntries(head.map((name, at) => [name, rows.at(-1)?.[at]]));
  const [journal] = console.open.rows<{ seq: number }>('SELECT max(seq) AS seq FROM journal');
  expect(last).toMatchObject({ record: 'closing_so_far', journalSeq: String(journal?.seq) });
  const readAt = Date.parse(last['at'] ?? '');
  expect(readAt).toBeGreaterThanOrEqual(askedAt);
  expect(readAt).toBeLessThan(Date.parse('2025-11-21T00:00:00Z'));
  const xlsx = await vera.request(`/console/books/statement/xlsx?${query}`);
  const body = new Uint8Array(await xlsx.arrayBuffer());
  const about = workbookOf(body)['About'];
  expect(about).toContainEqual(['closing so far, smallest units', '12315499979000000000000']);
  expect(about?.map(([name]) => name)).toContain('read at');
  expect(about?.map(([name]) => name)).toContain('through journal position');
  expect(numbersOf(body, 1)).toContain(String(journal?.seq));
});

test('balances are saved as csv and as a workbook', async () => {
  const { vera } = await booked();
  const csv = await vera.request('/console/books/balances/csv?asset=ripple%3AXRP');
  expect(csvRows(await csv.text())).toEqual([
    [
      'vaultId',
      'accountId',
      'addressId',
      'memo',
      'asset',
      'amount',
      'amountUnits',
      'pending',
      'pendingUnits',
    ],
    ['v1', 'acc-1', 'adr-1', '88', 'ripple:XRP', '25.000000', '25000000', '0.000000', '0'],
  ]);
  const xlsx = await vera.request('/console/books/balances/xlsx');
  expect(xlsx.headers.get('Content-Disposition')).toMatch(/filename="balances-books-.*\.xlsx"/);
  const body = new Uint8Array(await xlsx.arrayBuffer());
  expect(numbersOf(body, 2)).toEqual(['12315.499979', '1e-18', '25', '0']);
  expect((await vera.request('/console/books/balances/csv?view=dream')).status).toBe(400);
});

test('a hash shows its witnesses, every entry and posting, its reversals and its webhooks', async () => {
  const { vera } = await booked();
  const deposit = await vera.get('/console/books/movements/0xa1');
  const text = words(deposit);
  expect(text).toContain('books and chain view agree');
  expect(text).toMatch(/deposit entry 2_000_000 2025-11-20/);
  expect(text).toMatch(/entry 4_000_000 reverses 2_000_000/);
  expect(text).toContain('the world outside transfer −12_345.5 ETH');
  expect(deposit).toContain('href="#entry-2000000"');
  expect(deposit).toContain('href="/console/journal/2"');
  expect(deposit).toContain('title="ntf-1"');
  expect(deposit).toContain(`href="${STATEMENT.replaceAll('&', '&amp;')}"`);
  expect(deposit).toMatch(/href="\/console\/deposits\/dep_/);
  const differs = words(await vera.get(`/console/books/movements/${LONG_HASH}`));
  expect(differs).toMatch(/−30.000021 ETH .* −30 ETH .* −0.000021 ETH .* differs/);
  expect(differs).toContain('network fees fee 0.000021 ETH'.replace('fee 0', 'fee +0'));
});

test('a hash that no fact names is answered in the frame', async () => {
  const { vera } = await booked();
  const answer = await vera.request('/console/books/movements/0xnone');
  expect([answer.status, words(await answer.text())]).toEqual([
    404,
    expect.stringContaining('No fact names the hash 0xnone.'),
  ]);
});

test('deposit, break, close and search lead to the movements of the hash', async () => {
  const console = await consoleUnderTest();
  await closeTwoDays(console);
  await console.open.unboundedRun();
  const vera = await console.as('vera');
  const [deposit] = console.open.deposits();
  const link = 'href="/console/books/movements/0xb2"';
  const second = console.open
    .deposits()
    .find(({ blockchain_hash: hash }) => hash === '0xb2')?.deposit_id;
  expect(await vera.get(`/console/deposits/${second}`)).toContain(link);
  expect(await vera.get(`/console/deposits/${deposit?.deposit_id}`)).toContain(
    'Statement of its position',
  );
  const { id } = console.open.openBreak('conservation');
  expect(await vera.get(`/console/breaks/${id}`)).toContain(link);
  const day = await vera.get(`/console/close/${SECOND_DAY}`);
  expect(day).toContain(link);
  expect(day).toContain('href="/console/books?vaultId=v1&amp;asset=ethereum%3AETH&amp;asOf=');
  await console.open.deliver(console.service.chain('transaction', { blockchainHash: '0xe5' }));
  expect(await vera.get('/console/search?q=0xe5')).toContain('/console/books/movements/0xe5"');
});

test.for([
  '/console/books',
  STATEMENT,
  '/console/deposits',
  '/console/withdrawals',
  '/console/breaks',
])('the workbook of %s is named XLSX', async (path) => {
  const { vera } = await booked();
  const page = await vera.get(path);
  expect(page).toContain('>XLSX</a>');
  expect(page).not.toContain('Excel');
});

test('the entries of a hash and the statement of a position link their evidence alike', async () => {
  const { vera } = await booked();
  const evidence = /<a href="\/console\/journal\/\d+"[^>]*>.*?<\/a>/gs;
  const links = (await vera.get(`/console/books/movements/${LONG_HASH}`)).match(evidence) ?? [];
  expect(words(links[0] ?? '').trim()).toMatch(/^notification at journal position \d+$/);
  const statement = await vera.get(STATEMENT);
  expect(links.some((link) => statement.includes(link))).toBe(true);
});
