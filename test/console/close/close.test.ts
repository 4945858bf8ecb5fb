import { expect, test } from 'vitest';
import { StatusBadge } from '../../../src/console/parts/value/report-status.tsx';
import { Exceptions } from '../../../src/console/close/day-page.tsx';
import { isDay, readMonth } from '../../../src/console/close/days.ts';
import type { DailyReport } from '../../../src/domain/close/report.ts';
import { BreakId } from '../../../src/domain/ids.ts';
import { closeOf, closesOf } from '../../store/close/closing.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import { fill } from '../browser/filled-store.ts';
import { consoleUnderTest, htmlOf, words, type ConsoleUnderTest } from '../console-under-test.ts';
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
  expect(text).toContain('not compared: custody is not configured');
  expect(text).toContain('ethereum:ETH 3.5 4.5 −1 not configured not compared');
  expect(text).toContain('Custody was not compared: custody is not configured.');
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

/** A movement out of a vault on the chain: without a transaction that explains it, theft. */
function debit(blockchainHash: string) {
  const at = { ...AT_ADDRESS, ...decimals(18) };
  return { blockchainHash, balanceChanges: [change('-500000000000000000', at)] };
}

/** Closes a day on which debits were reported that nothing explains. */
async function closeWithDebits(
  open: ConsoleUnderTest['open'],
  ...debits: readonly object[]
): Promise<void> {
  await open.deliver(...debits);
  await open.unboundedRun();
  open.at += 1_000;
  await open.record(closeOf(open, { day: SECOND_DAY, cutOffAt: open.at, rules: 2 }));
}

test('a day names its critical breaks beside its status, and leads to them', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await closeWithDebits(open, service.chain('transaction', debit('0xe4')));
  const vera = await console.as('vera');
  const page = await vera.get(PATH);
  expect(words(page)).toMatch(/The close .* 1 critical break at the cut-off Cut off at midnight/);
  expect(page).toContain(
    '<a href="#breaks"><span class="badge alarm">1 critical break at the cut-off</span></a>',
  );
  expect(words(await vera.get('/console'))).toMatch(
    /2025-11-2\d \w.* 1 critical break at the cut-off closed/,
  );
});

test('a day says beside its critical breaks how many are resolved since, and so does the overview', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await closeWithDebits(
    open,
    service.chain('transaction', debit('0xe4')),
    service.chain('transaction', debit('0xe5')),
  );
  const vera = await console.as('vera');
  const resolveOne = async (): Promise<void> => {
    const one = open.breaks().find(({ state }) => state !== 'resolved');
    const breakId = BreakId(one?.break_id ?? '');
    await open.decide({ kind: 'resolve', breakId, reason: 'explained' }, 'olga');
    open.at += 60_000;
  };
  for (const since of ['', '(1 of 2 resolved since) ', '(resolved since) ']) {
    if (since !== '') await resolveOne();
    expect(words(await vera.get(PATH))).toContain(
      `2 critical breaks at the cut-off ${since}Cut off at midnight`,
    );
    expect(words(await vera.get('/console'))).toContain(
      `2 critical breaks at the cut-off ${since}closed`,
    );
  }
  expect(await vera.get(PATH)).toContain('<span class="badge plain">2 critical breaks');
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

test('the exceptions of a day show amounts in the unit of their asset', async () => {
  const report = {
    exceptions: [
      {
        kind: 'identity',
        detail:
          'v1 ethereum:ETH: 1500000000000000000 apart from custody, of which 0 is on known hashes',
      },
    ],
  } as unknown as DailyReport;
  const shown = { report, decimals: new Map([['ethereum:ETH', 18]]), signatures: [] };
  expect(words(await htmlOf(Exceptions(shown)))).toContain(
    'identity: v1 ethereum:ETH: 1.5 ETH apart from custody, of which 0 ETH is on known hashes',
  );
});

test('a vault without a chain view says so, and the sum says why it is not compared', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  const body = { balanceChanges: [change('1500', { ...AT_ADDRESS, ...decimals(2) })] };
  await open.deliver(service.confirmed(6, body));
  const close = async (day: string): Promise<string> => {
    open.at += 1_000;
    await open.record(closeOf(open, { day, cutOffAt: open.at, rules: 2 }));
    open.at += 1_000;
    return words(await (await console.as('vera')).get(`/console/close/${day}`));
  };
  const alone = await close(FIRST_DAY);
  expect(alone).toContain('ethereum:ETH 15 no chain view not compared');
  expect(alone).toMatch(
    /All vaults 15 no chain view not compared .* v1 movements 15 no chain view/,
  );
  const other = { vaultId: 'v2', blockchainHash: '0xb2', transactionId: 'tx-b2', ...body };
  await open.deliver(service.confirmed(6, other), service.chain('transaction', other));
  const both = await close(SECOND_DAY);
  expect(both).toContain('ethereum:ETH 30 15 not compared: 1 of 2 vaults has no chain view');
  const overview = words(await (await console.as('vera')).get('/console'));
  expect(overview).toContain('not compared 1 of 2 vaults has no chain view');
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
