import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { expect, onTestFinished, test } from 'vitest';
import type { ReportTotal } from '../../src/domain/close/report.ts';
import { ageText, scaled } from '../../src/report/figure.ts';
import { barsOf } from '../../src/report/page/waterfall.ts';
import { bytesOf, HUGE, MOVEMENTS, NEWER, rendered, REPORT } from './report-under-test.ts';

/** RFC 4180, read back. */
function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

test('csv: every line has every column, amounts are exact, and no cell runs as a formula', async () => {
  const [head = [], ...rows] = csvRows(await rendered('csv'));
  expect(rows.every((row) => row.length === head.length)).toBe(true);
  const records = rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
  expect(records.map(({ record }) => record)).toEqual([
    'report',
    'total',
    'total',
    'total',
    'asset_total',
    'asset_total',
    'asset_total',
    'exception',
    'custody_difference',
    'in_transit',
    'prior_day',
    'open_break',
    'signature',
  ]);
  expect(records[1]).toMatchObject({ vaultId: 'hot 1:main', internal: '-300000000000000000' });
  expect(records[2]).toMatchObject({
    vaultId: `'=HYPERLINK("http://evil")`,
    deposits: HUGE,
    opening: '-5',
    custodyClosing: '',
  });
  expect(records.at(-1)).toMatchObject({ kind: 'preparer', person: 'ann', detail: "'=1+1" });
  expect(rows.flat().filter((cell) => /^[=+@\t\r]/.test(cell))).toEqual([]);
});

/** The texts of a workbook's sheets by name: rows of cells, empty ones left out. */
function workbookOf(body: string | Uint8Array): Record<string, string[][]> {
  const files = unzipSync(Buffer.from(body));
  const read = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
  const text = (xml: string): string =>
    xml
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&');
  const shared = [...read('xl/sharedStrings.xml').matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map((one) =>
    text(one[1] ?? ''),
  );
  const names = [...read('xl/workbook.xml').matchAll(/<sheet [^>]*name="([^"]*)"/g)].map((one) =>
    text(one[1] ?? ''),
  );
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      [...read(`xl/worksheets/sheet${index + 1}.xml`).matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(
        ([, row = '']) =>
          [...row.matchAll(/<c [^>]*t="s"[^>]*><v>(\d+)<\/v><\/c>/g)].map(
            ([, at]) => shared[Number(at)] ?? 'not in the workbook',
          ),
      ),
    ]),
  );
}

test('xlsx: a sheet for each list, every cell text, amounts exact and none runs as a formula', async () => {
  const body = await bytesOf('xlsx');
  const sheets = workbookOf(body);
  expect(Object.keys(sheets)).toEqual([
    'Report',
    'Totals by asset',
    'Totals',
    'Totals, smallest units',
    'Differences',
    'In transit',
    'Prior day',
    'Open breaks',
    'Movements',
    'Entries',
    'Signatures',
  ]);
  expect(sheets['Report']).toContainEqual(['reportHash', 'ef'.repeat(32)]);
  expect(sheets['Totals']?.map((row) => row.length)).toEqual([22, 18, 15, 18]);
  expect(sheets['Totals, smallest units']?.flat()).toContain(HUGE);
  expect(sheets['Totals']?.flat()).toContain('2.699979000000000002');
  expect(sheets['Open breaks']?.[1]).toContain('-1');
  expect(sheets['Signatures']?.[1]).toEqual([
    'preparer',
    'ann',
    '=1+1',
    'ef'.repeat(32),
    '2025-11-21T08:00:00.000Z',
  ]);
  const xml = Object.entries(unzipSync(Buffer.from(body)))
    .filter(([name]) => name.startsWith('xl/worksheets/'))
    .map(([, bytes]) => strFromU8(bytes));
  expect(xml.filter((text) => text.includes('<f>'))).toEqual([]);
});

test('html: one page without scripts, everything escaped, figures exact in the title', async () => {
  const page = await rendered('html');
  expect(page).not.toMatch(/<script|<link|src=|href=/);
  expect(page).toContain('&lt;script&gt;alert(1)');
  expect(page).toContain(`title="${HUGE}"`);
  expect(page).toContain('2.699979000000000002');
  expect(page).toContain('not compared');
  expect(page).toContain('3 d 3 h');
  expect(page).toMatch(/ann, 2025-11-21T08:00:00.000Z/);
});

test('html: on paper no table is cut off where it would scroll on a screen', async () => {
  const [, paper = ''] = (await rendered('html')).split('@media print');
  expect(paper).toContain('.scroll { overflow: visible; }');
  expect(paper).toContain('td.number { white-space: normal; overflow-wrap: anywhere; }');
});

test('html: a figure of nothing takes the room of one digit', async () => {
  const page = await rendered('html');
  expect(page).toContain('<td class="number zero-figure" title="0">0</td>');
  expect(page).not.toMatch(/<td class="number[^>]*>0\.0+</);
});

test('html: the lists show amounts as the totals do, exact in the title', async () => {
  const page = await rendered('html');
  expect(page).toContain('<span title="-300000000000000000">-0.300000000000000000</span>');
  expect(page).toContain('<span title="1">0.000000000000000001</span>');
  expect(page).toContain('<span title="40">0.000000000000000040</span>');
  expect(page).toContain('<span title="-1">-0.000000000000000001</span>');
});

test('html: a day on which nothing was held says so', async () => {
  expect(await rendered('html', { totals: [] })).toContain('No vault had a balance or a movement');
});

test('exempt differences are shown by rule, and nowhere in a report that was sealed without them', async () => {
  const exempt = { 'rounding <b>': 2, '=1+1': 1 };
  const before = await rendered('csv');
  const rows = csvRows(await rendered('csv', { exempt }));
  const own = rows.filter(([record]) => record === 'exempt').map((row) => row.filter(Boolean));
  expect(own).toEqual([
    ['exempt', REPORT.day, 'rounding <b>', '2'],
    ['exempt', REPORT.day, "'=1+1", '1'],
  ]);
  expect(rows.filter(([record]) => record !== 'exempt')).toEqual(csvRows(before));
  const page = await rendered('html', { exempt });
  expect(page).toMatch(
    /Exempt by rule \(2\)[\s\S]*rounding &lt;b&gt;<\/td>\s*<td class="number">2</,
  );
  expect(await rendered('html', { exempt: {} })).toContain('No rule exempted a difference.');
  expect(await rendered('html')).not.toContain('xempt');
  const sheets = workbookOf(await bytesOf('xlsx', { exempt }));
  expect(sheets['Report']).toContainEqual(['exempt rounding <b>', '2']);
  const untold = workbookOf(await bytesOf('xlsx'));
  expect(JSON.stringify(untold)).not.toContain('exempt');
});

/** A page's words, tags left out. */
function wordsOf(page: string): string {
  return page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('html: open differences have a verdict of their own, with their totals by asset', async () => {
  const page = await rendered('html', NEWER);
  expect(page).toContain('class="verdict open">balanced with open differences<');
  expect(wordsOf(page)).toContain(
    'ethereum:ETH custody 3 -1.210000000000000000 1.390000000000000000',
  );
  expect(await rendered('html')).not.toContain('Open differences');
});

test('html: each asset has a total over its vaults, and its differences with chain and custody', async () => {
  const words = wordsOf(await rendered('html', NEWER));
  // Two vaults that are alike, but for what custody shows.
  expect(words).toMatch(/Total 3\.0{18} 4\.0{18} 1\.0{18} 0\.0000420{12} /);
  expect(words).toContain('Closing − chain Custody as read − After the cut-off Custody');
  expect(words).toMatch(/Total 5\.399958000000000004 5\.399958000000000004 0 5\.\d+42 0\.0{16}40 /);
  expect(words).toContain('5.399958000000000002 -0.000000000000000002');
});

test('html: a report that does not tell what custody showed after the cut-off has no such column', async () => {
  const words = wordsOf(await rendered('html'));
  expect(words).toContain('Closing − custody');
  expect(words).not.toContain('Custody as read');
});

test('html: burned fees and hashes that the chain view was not told of are named', async () => {
  const [total] = NEWER.totals;
  const [difference] = REPORT.differences;
  if (total === undefined || difference === undefined) throw new Error('the report lacks them');
  const words = wordsOf(
    await rendered('html', {
      ...NEWER,
      totals: [{ ...total, custodyBurnedFees: '-21' }],
      differences: [{ ...difference, untold: true }],
    }),
  );
  expect(words).toMatch(/Burned fees in it .* -0\.0{16}21 /);
  expect(words).toContain('(this hash has no chain view)');
  expect(wordsOf(await rendered('html', NEWER))).not.toContain('Burned fees');
});

test('html: numbers stand at the right in every list', async () => {
  const page = await rendered('html', NEWER);
  const amounts = [...page.matchAll(/<td class="([^"]*)">\s*<span title="-?\d+">/g)];
  expect(amounts.length).toBeGreaterThan(8);
  expect(new Set(amounts.map(([, name]) => name))).toEqual(new Set(['number']));
});

test('what only newer reports tell is in every format, under the names of the vaults', async () => {
  const page = wordsOf(await rendered('html', NEWER));
  for (const words of [
    'Hot &lt;i&gt;wallet hot 1:main',
    '2025-11-20T23:01:00.000Z block',
    'Not confirmed by custody (1)',
    'reclassified (from withdrawals to internal)',
    'Breaks opened after the cut-off that explain a difference (1) ',
    'brk_later',
  ]) {
    expect(page).toContain(words);
  }
  const [head = [], ...rows] = csvRows(await rendered('csv', NEWER));
  const records = rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
  const of = (record: string) => records.filter((one) => one['record'] === record);
  expect(of('open_difference')).toMatchObject([
    { asset: 'ethereum:ETH', kind: 'custody', count: '3', absolute: '1390000000000000000' },
  ]);
  expect(of('asset_total')[0]).toMatchObject({ asset: 'ethereum:ETH', custodyDifference: '-2' });
  expect(of('total').map((one) => one['vaultName'])).toEqual(['Hot <i>wallet', "'=Cold", '', '']);
  expect(of('after_cut_off')).toMatchObject([{ amount: '40', datedBy: 'block' }]);
  expect(of('unconfirmed')).toMatchObject([{ amount: '-77', blockchainHash: '0xf6' }]);
  expect(of('later_break')).toMatchObject([{ breakId: 'brk_later' }]);
  expect(of('prior_day').at(-1)).toMatchObject({ from: 'withdrawals', to: 'internal' });
  const sheets = workbookOf(await bytesOf('xlsx', NEWER));
  expect(sheets['Totals by asset']?.[1]).toContain('5.399958000000000004');
  expect(sheets['Open differences']?.[1]).toContain('1390000000000000000');
  expect(sheets['After the cut-off']?.[1]).toContain('Hot <i>wallet');
  expect(sheets['Not confirmed']?.[1]).toContain('-77');
  expect(sheets['Later breaks']?.[1]).toContain('brk_later');
  const open = 'open against custody: ethereum:ETH, 3 differences, sum -1.210000000000000000';
  expect(await rendered('hledger', NEWER)).toContain(open);
  expect(await rendered('hledger', NEWER)).toContain('hot 1%3amain  ; Hot <i>wallet');
  expect(await rendered('beancount', NEWER)).toContain(open);
  expect(await rendered('beancount', NEWER)).toContain('name: "Hot <i>wallet"');
});

test('the movements behind the figures name their entries, webhooks, accounts and addresses', async () => {
  const page = wordsOf(await rendered('html', NEWER, MOVEMENTS));
  expect(page).toContain('Movements behind the figures (2)');
  expect(page).toContain(
    'withdrawals 0xa7 -0.500000000000000000 entry 17 (webhook ntf-1, journal 12)',
  );
  expect(page).toContain('=Hot &lt;b&gt;account (acc-1), Treasury (adr-1)');
  expect(page).toContain(
    'More hashes moved than this document shows: GET /v1/reports/daily/{date}/movements',
  );
  const [head = [], ...rows] = csvRows(await rendered('csv', NEWER, MOVEMENTS));
  const records = rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
  expect(records.filter(({ record }) => record === 'movement')).toMatchObject([
    { kind: 'withdrawals', blockchainHash: '0xa7', amount: '-500000000000000000' },
    { kind: 'fees', blockchainHash: '0xa7', amount: '-21000000000000' },
  ]);
  expect(records.find(({ record }) => record === 'entry')).toMatchObject({
    entryId: '17',
    journalSeq: '12',
    notificationId: 'ntf-1',
    accountName: "'=Hot <b>account",
    addressName: 'Treasury',
    at: '2025-11-20T12:00:00.000Z',
  });
  expect(records.some(({ record }) => record === 'movements_not_shown')).toBe(true);
  const sheets = workbookOf(await bytesOf('xlsx', NEWER, MOVEMENTS));
  expect(sheets['Movements']?.[1]).toContain('-0.500000000000000000');
  expect(sheets['Entries']?.[1]).toContain('ntf-1');
  expect(sheets['Report']?.flat()).toContain('movements not shown');
});

test('the picture goes from the opening to the closing by the steps that moved', () => {
  const bars = barsOf(REPORT.totals.slice(0, 1));
  expect(bars.map(({ label }) => label)).toEqual([
    'opening',
    'deposits',
    'withdrawals',
    'fees',
    'rebates',
    'mints',
    'internal',
    'adjustments',
    'closing',
  ]);
  expect(bars.at(-1)?.to).toBe(BigInt(REPORT.totals[0]?.closing ?? ''));
});

test.for([
  ['1500000000000000000', 18, '1.500000000000000000'],
  ['-1', 18, '-0.000000000000000001'],
  ['0', 8, '0.00000000'],
  ['123', 0, '123'],
  ['123', null, '123'],
  [HUGE, 2, `1${'0'.repeat(57)}.00`],
] as const)('%s at %s decimals reads %s', ([amount, decimals, shown]) => {
  expect(scaled(amount, decimals)).toBe(shown);
});

test.for([
  [0, '0 h'],
  [3_599, '0 h'],
  [90_000, '1 d 1 h'],
] as const)('%i seconds are %s', ([seconds, shown]) => {
  expect(ageText(seconds)).toBe(shown);
});

function has(program: string): boolean {
  return spawnSync(program, ['--help'], { stdio: 'ignore' }).status === 0;
}

function fileOf(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** A total that differs by its vault alone, for each of these. */
function totalsOf(vaultIds: readonly string[]): ReportTotal[] {
  return REPORT.totals
    .slice(2)
    .flatMap((total) => vaultIds.map((vaultId) => ({ ...total, vaultId })));
}

/** The accounts of vaults in a rendered ledger, in their order. */
async function vaultAccounts(format: 'hledger' | 'beancount', vaultIds: readonly string[]) {
  const text = await rendered(format, { totals: totalsOf(vaultIds) });
  return [...text.matchAll(/^ +(Assets:Custody:.*?) {2}/gm)].map(([, account]) => account);
}

const UUID = '550e8400-e29b-41d4-a716-446655440000';

const VAULT_NAMES = [
  [UUID, UUID, `V-${UUID}`],
  ['vault_eu.1', 'vault_eu.1', 'V-vault--5f-eu--2e-1'],
  ['hot 1:main', 'hot 1%3amain', 'V-hot--20-1--3a-main'],
  ['a;b%c', 'a%3bb%25c', 'V-a--3b-b--25-c'],
  [' two  spaces ', '%20two%20 spaces%20', 'V---20-two--20---20-spaces--20-'],
  ['no\u00a0break\n', 'no%c2%a0break%0a', 'V-no--a0-break--a-'],
  ['-a--b-', '-a--b-', 'V--a--2d--b--2d-'],
  ['日é', '日é', 'V---65e5---e9-'],
] as const;

test('vaults keep their names in ledgers as far as these take them', async () => {
  const ids = VAULT_NAMES.map(([id]) => id);
  expect(await vaultAccounts('hledger', ids)).toEqual(
    VAULT_NAMES.map(([, name]) => `Assets:Custody:${name}`),
  );
  expect(await vaultAccounts('beancount', ids)).toEqual(
    VAULT_NAMES.map(([, , name]) => `Assets:Custody:${name}`),
  );
});

test.for(['hledger', 'beancount'] as const)(
  'no two vaults share an account in %s',
  async (format) => {
    // Every id of up to four of these, which are what the spelling is made of.
    const letters = ['-', '2', 'd', '5', ' ', ':', '%'];
    let ids = [''];
    const all: string[] = [];
    for (let length = 1; length <= 4; length += 1) {
      ids = ids.flatMap((id) => letters.map((letter) => id + letter));
      all.push(...ids);
    }
    expect(new Set(await vaultAccounts(format, all)).size).toBe(all.length);
  },
);

test.skipIf(!has('hledger'))(
  'hledger reads the journal, its assertions hold, and the balances are the closings (skipped where hledger is not installed)',
  async () => {
    const file = fileOf('close.journal', await rendered('hledger'));
    const hledger = (...args: string[]): string =>
      execFileSync('hledger', ['-f', file, ...args], { encoding: 'utf8' });
    hledger('check', '--strict', 'ordereddates');
    const newer = fileOf('newer.journal', await rendered('hledger', NEWER));
    execFileSync('hledger', ['-f', newer, 'check', '--strict', 'ordereddates']);
    const balances = hledger('bal', 'assets', '--flat', '-N', '-O', 'csv', '--layout', 'bare');
    expect(balances).toContain('2.699979000000000002');
    expect(balances).toContain(REPORT.totals[1]?.closing);
    expect(balances).toContain('0.00000007');
  },
);

test.skipIf(!has('hledger'))(
  'hledger reads several days after one another, and each day’s opening is the closing before it (skipped where hledger is not installed)',
  async () => {
    const next = REPORT.totals.map((total) => ({
      ...total,
      opening: total.closing,
      deposits: '0',
      withdrawals: '1',
      fees: '0',
      rebates: '0',
      mints: '0',
      internal: '0',
      adjustments: '0',
      closing: (BigInt(total.closing) - 1n).toString(),
    }));
    const one = fileOf('one.journal', await rendered('hledger'));
    const two = fileOf(
      'two.journal',
      await rendered('hledger', { day: '2025-11-21', totals: next }),
    );
    const both = fileOf('both.journal', `include ${one}\ninclude ${two}\n`);
    const hledger = (...args: string[]): string =>
      execFileSync('hledger', ['-f', both, ...args], { encoding: 'utf8' });
    hledger('check', '--strict', 'ordereddates');
    const balances = hledger('bal', 'assets:custody:hot', '-N', '-O', 'csv', '--layout', 'bare');
    expect(balances).toContain('"2.699979000000000001"');
    expect(hledger('bal', 'equity:opening', '-N', '-O', 'csv', '--layout', 'bare')).toContain(
      '"-1.500000000000000000"',
    );
  },
);

test.skipIf(!has('hledger'))(
  'hledger tells every vault by one account below Custody (skipped where hledger is not installed)',
  async () => {
    const totals = totalsOf(VAULT_NAMES.map(([vaultId]) => vaultId));
    const file = fileOf('names.journal', await rendered('hledger', { totals }));
    const listed = execFileSync('hledger', ['-f', file, 'accounts', 'assets'], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    expect(listed.trimEnd().split('\n').toSorted()).toEqual(
      VAULT_NAMES.map(([, name]) => `Assets:Custody:${name}`).toSorted(),
    );
  },
);

/** An amount of a day's deposits, and whether beancount's 28 digits hold what it sums to. */
const LENGTHS = [
  ['4'.repeat(27), true],
  // Nothing is longer than 28 digits, but 9… + 9… is.
  ['9'.repeat(28), false],
  ['1'.repeat(31), false],
] as const;

test.for(LENGTHS)(
  'an asset of which %s came is in the beancount ledger: %s',
  async ([amount, isIn]) => {
    const spam = 'ethereum:0xspam';
    const [total] = REPORT.totals.slice(2);
    if (total === undefined) throw new Error('no total');
    const deposited = { ...total, asset: spam, opening: '0', deposits: amount, closing: amount };
    const totals = [...REPORT.totals.slice(0, 1), { ...deposited, decimals: 6 }];
    const text = await rendered('beancount', { totals });
    expect(text.includes(amount.slice(0, -6))).toBe(isIn);
    expect(text.includes(`; left out: ${spam}`)).toBe(!isIn);
    expect(text).toContain('2.699979000000000002 ');
    const page = await rendered('html', { totals });
    expect(/beancount[^<]*ethereum:0xspam/.test(page)).toBe(!isIn);
    const sheets = workbookOf(await bytesOf('xlsx', { totals }));
    expect(JSON.stringify(sheets['Report']).includes(spam)).toBe(!isIn);
    if (!has('bean-check')) return;
    const checked = spawnSync('bean-check', [fileOf('spam.beancount', text)], { encoding: 'utf8' });
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
  },
);

test.skipIf(!has('bean-check'))(
  'beancount checks the ledger without a word (skipped where beancount is not installed)',
  async () => {
    const totals = [...REPORT.totals, ...totalsOf(VAULT_NAMES.map(([vaultId]) => vaultId))];
    const file = fileOf('close.beancount', await rendered('beancount', { totals }));
    const checked = spawnSync('bean-check', [file], { encoding: 'utf8' });
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
    const newer = fileOf('newer.beancount', await rendered('beancount', NEWER));
    expect(spawnSync('bean-check', [newer]).status).toBe(0);
    const moved = totals.map((total) => ({ ...total, closing: `${total.closing}1` }));
    const wrong = fileOf('wrong.beancount', await rendered('beancount', { totals: moved }));
    expect(spawnSync('bean-check', [wrong]).status).toBe(1);
  },
);
