import { expect, test } from 'vitest';
import { StatusBadge } from '../../../src/console/close/calendar.tsx';
import { isDay, readMonth } from '../../../src/console/close/days.ts';
import { closeOf, closesOf } from '../../store/close/closing.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import { fill } from '../browser/filled.ts';
import { consoleUnderTest, htmlOf, words } from '../console-under-test.ts';
import { closeTwoDays, FIRST_DAY, SECOND_DAY } from './closed-day.ts';

const PATH = `/console/close/${SECOND_DAY}`;

/** A console with two closed days. */
async function closed() {
  const console = await consoleUnderTest();
  await closeTwoDays(console);
  return console;
}

test.for([
  ['2025-11-20', true],
  ['2025-02-30', false],
  ['2025-11-20T', false],
  ['yesterday', false],
] as const)('%s is a day: %s', ([text, expected]) => {
  expect(isDay(text)).toBe(expected);
});

test('a calendar knows closed days, the days that wait, today, and the days that are nothing', async () => {
  const console = await closed();
  const now = Date.UTC(2025, 10, 22, 12);
  const month = await readMonth(console.api.reads, '2025-11', { now, timezone: 'UTC' });
  const kinds = Object.fromEntries(
    month.weeks.flat().flatMap((day) => (day === null ? [] : [[day.day, day.kind]])),
  );
  const [, second] = closesOf(console.open);
  expect(kinds).toMatchObject({
    '2025-11-01': 'none',
    [FIRST_DAY]: 'closed',
    [SECOND_DAY]: 'closed',
    '2025-11-21': 'due',
    '2025-11-22': 'open',
    '2025-11-23': 'none',
  });
  expect(second?.day).toBe(SECOND_DAY);
  // November 2025 begins on a Saturday.
  expect(month.weeks[0]?.slice(0, 6).map((day) => day?.day ?? null)).toEqual([
    null,
    null,
    null,
    null,
    null,
    '2025-11-01',
  ]);
  expect([month.before, month.after]).toEqual([null, null]);
  const later = await readMonth(console.api.reads, '2025-12', {
    now: Date.UTC(2026, 0, 1),
    timezone: 'UTC',
  });
  expect([later.before, later.after]).toEqual(['2025-11', '2026-01']);
});

test('before the first close, days end in the configured time zone', async () => {
  const console = await consoleUnderTest({ timezone: 'Asia/Bishkek' });
  const vera = await console.as('vera');
  expect(words(await vera.get('/console/close'))).toContain(
    'Days end at midnight in the time zone Asia/Bishkek.',
  );
});

test('a month without a closed day says when the next close is, and how a person closes a day', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver({ id: 'strange', stream: 'weather' });
  const [vera, fiona] = [await console.as('vera'), await console.as('fiona')];
  const page = words(await fiona.get('/console/close'));
  expect(page).toContain(
    'Days end at midnight in the time zone UTC. The next close is due 2025-11-21 00:05:00 UTC . It closes every day that has ended by then.',
  );
  expect(page).toContain(
    'No day of this month is closed yet. 2025-11-20 ends at midnight. Then wait for the next close, or open 2025-11-20 and choose Close now .',
  );
  expect(words(await vera.get('/console/close'))).toContain(
    '2025-11-20 ends at midnight. Then wait for the next close.',
  );
  expect(page).not.toMatch(/curl|reconcile\.close/);
  expect(await (await closed()).as('vera').then((one) => one.get('/console/close'))).not.toContain(
    'No day of this month',
  );
});

test('the page of a day without a close says when the next close is, and what to do until then', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver({ id: 'strange', stream: 'weather' });
  const next = 'The next close is due 2025-11-21 00:05:00 UTC . It closes every day that has ended';
  const open = words(await (await console.as('fiona')).get('/console/close/2025-11-20'));
  expect(open).toContain(`2025-11-20 is open: it ends at midnight, UTC. ${next}`);
  console.open.at = Date.UTC(2025, 10, 22, 12);
  const [vera, fiona] = [await console.as('vera'), await console.as('fiona')];
  const due = '/console/close/2025-11-21';
  expect(words(await fiona.get(due))).toContain(
    `${next} by then. To close it sooner, choose Close now .`,
  );
  expect(words(await vera.get(due))).toContain(
    `${next} by then. To close it sooner, ask a person with role finance, operator or admin.`,
  );
  const none = await vera.get('/console/close/2025-11-01');
  expect(words(none)).toContain(
    'The journal has nothing of 2025-11-01. Choose a day in the calendar .',
  );
});

test('a month without a closed day leads to the day that has ended, which closes with a button', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver({ id: 'strange', stream: 'weather' });
  console.open.at = Date.UTC(2025, 10, 22, 12);
  const [olga, vera] = [await console.as('olga'), await console.as('vera')];
  const page = await olga.get('/console/close');
  expect(words(page)).toContain(
    '2025-11-21 has ended: open 2025-11-21 and choose Close now , or wait for the next close.',
  );
  expect(page).toContain('open <a href="/console/close/2025-11-21">');
  expect(await olga.get('/console/close/2025-11-21')).toContain('Close now');
  expect(words(await vera.get('/console/close'))).toContain(
    '2025-11-21 has ended: wait for the next close, or ask a person with role finance, operator or admin.',
  );
});

test('the badge of a day has the words of the report', async () => {
  const badge = await htmlOf(StatusBadge({ status: 'balanced with open differences' }));
  expect(words(badge).trim()).toBe('balanced with open differences');
});

test('the calendar page links each day with its state', async () => {
  const vera = await (await closed()).as('vera');
  const page = await vera.get('/console/close?month=2025-11');
  expect(page).toContain(`<a class="day alarm" href="/console/close/${SECOND_DAY}">`);
  expect(words(page)).toContain('20 exceptions not signed');
  expect(page).toContain('data-live="close"');
});

test('a day shows waterfall, witnesses, differences and the day before', async () => {
  const vera = await (await closed()).as('vera');
  const html = await vera.get(PATH);
  const text = words(html);
  expect(html).toContain(
    'over all vaults: opening 1.500000000000000000, deposits 2.000000000000000000, closing 3.500000000000000000',
  );
  expect(text).toContain('= Closing 3.5 1.5 +2');
  expect(text).toContain('Figure 2025-11-20 2025-11-19 Change');
  expect(text).toContain('Differences (1)');
  expect(text).toContain('chain 2 3 −1 unexplained');
  expect(text).toContain('not compared: no custody API is configured');
  expect(html).toContain(`href="/console/close/${FIRST_DAY}"`);
});

test('a figure of the roll-forward opens to its movements, and each to the fact that proves it', async () => {
  const console = await closed();
  const vera = await console.as('vera');
  const page = await vera.get(PATH);
  const deposits = `${PATH}/movements?asset=ethereum%3AETH&amp;figure=deposits`;
  expect(page).toContain(`<a href="${deposits}"><data class="figure" value="2000000000000000000"`);
  expect(page).toContain(
    `<a href="/console/close/${FIRST_DAY}/movements?asset=ethereum%3AETH&amp;figure=deposits">`,
  );
  expect(page).toMatch(/<a href="\/console\/books\?asset=ethereum%3AETH&amp;asOf=[^"]*"><data/);
  const movements = await vera.get(deposits.replaceAll('&amp;', '&'));
  const [fact] = console.open.rows<{ seq: number }>(
    "SELECT entry.seq FROM entries AS entry JOIN hashes USING (hash_id) WHERE hashes.blockchain_hash = '0xb2' AND view = 'books'",
  );
  expect(words(movements)).toContain(`deposits of ${SECOND_DAY} (1)`);
  expect(movements).toContain('href="/console/books/movements/0xb2"');
  expect(movements).toContain(`<a href="/console/journal/${fact?.seq}"`);
  expect(words(movements)).toContain('+2 2000000000000000000');
  expect(movements).not.toContain('0xa1');
});

test('movements are filtered by vault, and an unknown figure or an open day has none', async () => {
  const vera = await (await closed()).as('vera');
  expect(await vera.get(`${PATH}/movements?vaultId=v1`)).toContain('/movements/0xb2');
  expect(words(await vera.get(`${PATH}/movements?vaultId=v2`))).toContain(
    'No movement of this day is like this.',
  );
  for (const path of [`${PATH}/movements?figure=all`, '/console/close/2025-11-28/movements']) {
    expect([path, (await vera.request(path)).status]).toEqual([path, 404]);
  }
});

test('a day lists own transfers in transit, unconfirmed debits and open breaks', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  const at = { ...AT_ADDRESS, ...decimals(18) };
  await open.deliver(
    service.outgoing('mined', {
      blockchainHash: '0xe3',
      balanceChanges: [change('-7000000000000000000', at)],
    }),
    { id: 'strange', stream: 'weather' },
  );
  open.at += 1_000;
  await open.record(closeOf(open, { day: SECOND_DAY, cutOffAt: open.at, rules: 2 }));
  const vera = await console.as('vera');
  const page = await vera.get(PATH);
  const text = words(page);
  expect(text).toContain('Own debits not confirmed by custody (1)');
  expect(text).toContain('−7');
  expect(page).toContain('href="/console/books/movements/0xe3"');
  expect(text).toContain('Breaks open at the cut-off (1)');
  expect(page).toContain(`href="/console/breaks/${open.openBreak('quarantined').id}"`);
  expect(page).toContain('<a href="#breaks">Breaks open at the cut-off</a>');
});

test('the amount of a break that was open at the cut-off names its asset', async () => {
  const console = await consoleUnderTest();
  await fill(console);
  const page = await (await console.as('vera')).get(PATH);
  const breaks = words(page.slice(page.indexOf('id="breaks"')));
  expect(breaks).toContain('+1.5 ethereum:ETH');
});

test('a difference that the chain alone moved before the cut-off is not called booked', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.chain('transaction'));
  open.at += 1_000;
  const grace = { graceMs: 3_600_000, rules: 2 } as const;
  await open.record(closeOf(open, { day: SECOND_DAY, cutOffAt: open.at, ...grace }));
  const page = words(await (await console.as('vera')).get(PATH));
  expect(page).toContain(
    'in grace one side moved so shortly before the cut-off that the other may still follow. Look again',
  );
  expect(page).not.toContain('booked so shortly');
});

test('an asset that the address names is drawn alone', async () => {
  const vera = await (await closed()).as('vera');
  const html = await vera.get(`${PATH}?asset=ethereum:ETH`);
  expect(html.match(/class="waterfall"/g)).toHaveLength(1);
});

test('a page of one list keeps the asset that is drawn alone, and the pages of other lists', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  for (let count = 0; count <= 50; count += 1) {
    const hash = { blockchainHash: `0xc${count}`, transactionId: `tx-c${count}` };
    await open.deliver(service.chain('transaction', hash));
  }
  open.at += 1_000;
  await open.record(closeOf(open, { day: SECOND_DAY, cutOffAt: open.at, rules: 2 }));
  const vera = await console.as('vera');
  const asked = 'asset=ethereum%3AETH&differences=1&breaks=2';
  const page = await vera.get(`${PATH}?${asked}`);
  expect(page).toContain(`href="${PATH}?asset=ethereum%3AETH&amp;breaks=2#differences" rel="prev"`);
});

test('every format is a download, and an unknown one is missing', async () => {
  const vera = await (await closed()).as('vera');
  const found = await Promise.all(
    ['html', 'csv', 'xlsx', 'json', 'hledger', 'beancount', 'pdf'].map(async (format) => {
      const { status, headers } = await vera.request(`${PATH}/${format}`);
      return `${status} ${headers.get('Content-Disposition') ?? ''}`;
    }),
  );
  expect(found).toEqual([
    '200 attachment; filename="counterfoil-2025-11-20.html"',
    '200 attachment; filename="counterfoil-2025-11-20.csv"',
    '200 attachment; filename="counterfoil-2025-11-20.xlsx"',
    '200 attachment; filename="counterfoil-2025-11-20.json"',
    '200 attachment; filename="counterfoil-2025-11-20.journal"',
    '200 attachment; filename="counterfoil-2025-11-20.beancount"',
    '404 ',
  ]);
  expect((await vera.request('/console/close/2025-11-18/csv')).status).toBe(404);
  expect((await vera.request('/console/close/yesterday/csv')).status).toBe(404);
});

test('the report opens as a page, the formats download, and each button says so', async () => {
  const vera = await (await closed()).as('vera');
  const page = await vera.get(PATH);
  const [, opens = '', label] =
    /<a class="button" href="\/console\/reports\/2025-11-20" title="([^"]*)"> *([^<]*?) *<\/a>/.exec(
      page,
    ) ?? [];
  expect([label, opens]).toEqual([
    'Open the report',
    'Opens the sealed report of 2025-11-20 as a page to read and to print',
  ]);
  const report = await vera.request('/console/reports/2025-11-20');
  expect(report.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(report.headers.get('Content-Disposition')).toBeNull();
  expect(words(page)).toContain('Download: JSON CSV XLSX HTML hledger beancount');
  expect(page).toContain('title="Downloads the sealed report of 2025-11-20 as CSV" download=""');
});

test('two people prepare and review; each form carries the hash of its page', async () => {
  const console = await closed();
  const [olga, otto] = [await console.as('olga'), await console.as('otto')];
  const reportHash = closesOf(console.open)[1]?.report_hash ?? '';
  const before = await olga.get(PATH);
  expect(before).toContain(`<input type="hidden" name="reportHash" value="${reportHash}"/>`);
  expect(words(before)).toContain('Reviewed by waits for the preparer');
  const sign = { reason: 'compared with the statement', reportHash };
  const prepared = words(await olga.send(`${PATH}/sign`, { role: 'preparer', ...sign }));
  expect(prepared).toContain(`You prepared ${SECOND_DAY}.`);
  expect(prepared).toContain('nobody yet; another person than you reviews');
  expect(prepared).toContain('Find their cause before you sign');
  expect(words(await otto.get(PATH))).toContain('Review…');
  const reviewed = words(await otto.send(`${PATH}/sign`, { role: 'reviewer', ...sign }));
  expect(reviewed).toContain(`You reviewed ${SECOND_DAY}.`);
  expect(reviewed).toContain('compared with the statement');
  expect(reviewed).not.toContain('Review…');
  expect(reviewed).not.toContain('before you sign');
  expect(reviewed).toContain('Both signatures are below, with their reasons.');
  expect(words(await otto.get('/console/close?month=2025-11'))).toContain('20 exceptions reviewed');
});

test('another hash is refused, and so is a second signature of the preparer', async () => {
  const console = await closed();
  const olga = await console.as('olga');
  const sign = { role: 'preparer', reason: 'seen', reportHash: 'a'.repeat(64) };
  expect(words(await olga.send(`${PATH}/sign`, sign))).toContain('has another hash');
  const reportHash = closesOf(console.open)[1]?.report_hash ?? '';
  await olga.send(`${PATH}/sign`, { ...sign, reportHash });
  const refused = await olga.send(`${PATH}/sign`, { ...sign, role: 'reviewer', reportHash });
  expect(words(refused)).toContain('the reviewer must be another person');
  expect((await olga.post(`${PATH}/sign`, { role: 'auditor' })).status).toBe(404);
});

test.for(['vera', 'chris'] as const)('%s signs and closes nothing', async (person) => {
  const console = await closed();
  const visitor = await console.as(person);
  const page = await visitor.get(PATH);
  expect(words(page)).toContain('your role may not sign');
  expect(page).not.toContain('/sign"');
  const reportHash = closesOf(console.open)[1]?.report_hash ?? '';
  const sign = { role: 'preparer', reason: 'seen', reportHash };
  expect(words(await visitor.send(`${PATH}/sign`, sign))).toContain(
    'Only the roles finance, operator and admin may close days and sign their reports. Your role is',
  );
  expect(words(await visitor.send(`${PATH}/close`))).toContain(
    'Only the roles finance, operator and admin may close days and sign their reports. Your role is',
  );
  expect(console.open.rows('SELECT * FROM close_signatures')).toEqual([]);
});

test('a day that has ended may be closed by an operator, and the API’s answer is shown', async () => {
  const console = await closed();
  console.open.at = Date.UTC(2025, 10, 23);
  const [olga, vera] = [await console.as('olga'), await console.as('vera')];
  const due = '/console/close/2025-11-21';
  expect(words(await vera.get(due))).toContain('2025-11-21 has ended and is not closed.');
  expect(await vera.get(due)).not.toContain('Close now');
  expect(await olga.get(due)).toContain('Close now');
  const asked = { reason: 'the daemon was stopped' };
  expect(words(await olga.send(`${due}/close`, asked))).toContain('nothing to close');
  expect(words(await olga.get('/console/close/2025-11-23'))).toContain('2025-11-23 is open');
  expect(words(await olga.get('/console/close/2025-11-01'))).toContain('nothing of 2025-11-01');
  expect((await olga.request('/console/close/2025-02-30')).status).toBe(404);
  expect((await olga.post('/console/close/2025-02-30/close')).status).toBe(404);
});
