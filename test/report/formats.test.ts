import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { bytesOf, HUGE, MOVEMENTS, NEWER, rendered, REPORT } from './report-under-test.ts';
import { csvRows, firstRecord, numbersOf, widthsOf, workbookOf, wordsOf } from './reading-back.ts';

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

test('xlsx: a sheet for each list, amounts exact, and no cell runs as a formula', async () => {
  const body = await bytesOf('xlsx');
  const sheets = workbookOf(body);
  expect(Object.keys(sheets)).toEqual([
    'Report',
    'Totals by asset',
    'Totals',
    'Differences',
    'In transit',
    'Prior day',
    'Open breaks',
    'Movements',
    'Entries',
    'Signatures',
  ]);
  expect(sheets['Report']).toContainEqual(['reportHash', 'ef'.repeat(32)]);
  expect(sheets['Totals']?.flat()).toContain(HUGE);
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

test('xlsx: an amount is a number to sum, the exact text, and smallest units, and its column says so', async () => {
  const body = await bytesOf('xlsx', NEWER, MOVEMENTS);
  const sheets = workbookOf(body);
  const names = Object.keys(sheets);
  const numbers = (sheet: string) => numbersOf(body, names.indexOf(sheet) + 1);
  const first = (sheet: string) => firstRecord(body, names.indexOf(sheet) + 1);
  expect(first('Open differences')).toMatchObject({
    count: '3',
    difference: '-1.21',
    differenceExact: '-1.210000000000000000',
    differenceUnits: '-1210000000000000000',
    absolute: '1.39',
    absoluteUnits: '1390000000000000000',
  });
  expect(first('Movements')).toMatchObject({
    figure: 'withdrawals',
    amount: '-0.5',
    amountExact: '-0.500000000000000000',
    amountUnits: '-500000000000000000',
  });
  expect(first('Entries')).toMatchObject({
    amountUnits: '-500000000000000000',
    change: 'transfer',
  });
  expect(first('Not confirmed')).toMatchObject({ amount: '-7.7e-17', amountUnits: '-77' });
  expect(first('Differences')).toMatchObject({ difference: '1e-18', differenceUnits: '1' });
  expect(first('Totals by asset')).toMatchObject({
    decimals: '18',
    openingUnits: '3000000000000000000',
  });
  // 2.699979000000000002 has more digits than a number keeps; 1.5, 2 and 0.5 have not.
  expect(numbers('Totals').slice(0, 5)).toEqual(['18', '1.5', '2', '0.5', '0.000021']);
  expect(numbers('Totals')).not.toContain('2.699979000000000002');
  expect(sheets['Report']?.map(([name]) => name)).toEqual(
    expect.arrayContaining(['number columns', '…Exact columns', '…Units columns']),
  );
});

test('xlsx: critical breaks that were open stand below the status, as on the page', async () => {
  const [open] = REPORT.openBreaks;
  const critical = { ...open, severity: 'critical' } as const;
  const body = await bytesOf('xlsx', { openBreaks: [critical, critical] as never });
  const names = workbookOf(body)['Report']?.map(([name]) => name) ?? [];
  expect(workbookOf(body)['Report']).toContainEqual([
    'beside the status',
    '2 critical breaks at the cut-off',
  ]);
  expect(names.indexOf('beside the status')).toBe(names.indexOf('status') + 1);
  expect(workbookOf(await bytesOf('xlsx'))['Report']?.flat()).not.toContain('beside the status');
});

test('csv and xlsx: the sentences of breaks are those of the page, which promise no reversal that may be done', async () => {
  const [one] = REPORT.openBreaks;
  const [difference] = REPORT.differences;
  if (one === undefined || difference === undefined) throw new Error('no break');
  const promise =
    "crd_1 has been rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then";
  const memo =
    'a memo "88" that is not registered: attribute it to its owner, or register the memo';
  const more = {
    openBreaks: [
      { ...one, detail: promise },
      { ...one, detail: memo },
    ],
    laterBreaks: [{ ...one, detail: promise }],
    differences: [
      { ...difference, explanation: 'break', detail: `reversal_after_credit: ${promise}` },
    ],
  } as const;
  const texts = [
    await rendered('csv', more),
    JSON.stringify(workbookOf(await bytesOf('xlsx', more))),
  ];
  for (const text of texts) {
    expect(text.split('says whether the feed has reversed the credit since')).toHaveLength(4);
    expect(text).toContain('name its owner, and register the memo for later payments');
    expect(text).not.toContain('recover it');
    expect(text).not.toContain('attribute it to its owner');
  }
  expect(await rendered('json', more)).toContain('recover it');
});

test('csv and xlsx: the sentences name amounts in the asset’s own unit, as the page does', async () => {
  const [difference] = REPORT.differences;
  const [open] = REPORT.openBreaks;
  if (difference === undefined || open === undefined) throw new Error('the report lacks something');
  const moved = 'the books moved 1500000000000000000, the chain says 1000000000000000000';
  const shown = 'the books moved 1.5 ETH, the chain says 1 ETH';
  const apart = 'hot 1:main ethereum:ETH: 1500000000000000000 apart from custody';
  const shownApart = 'hot 1:main ethereum:ETH: 1.5 ETH apart from custody';
  const more = {
    exceptions: [{ kind: 'identity' as const, detail: apart }],
    differences: [{ ...difference, detail: moved }],
    openBreaks: [{ ...open, detail: moved }],
    laterBreaks: [{ ...open, detail: moved }],
  };
  const [head = [], ...rows] = csvRows(await rendered('csv', more));
  const details = rows
    .filter(([record = '']) =>
      ['exception', 'custody_difference', 'open_break', 'later_break'].includes(record),
    )
    .map((row) => row[head.indexOf('detail')]);
  expect(details).toEqual([shownApart, shown, shown, shown]);
  const sheets = workbookOf(await bytesOf('xlsx', more));
  const lists = ['Differences', 'Open breaks', 'Later breaks'];
  expect(lists.filter((name) => sheets[name]?.flat().includes(shown) !== true)).toEqual([]);
  expect(sheets['Report']?.flat()).toContain(shownApart);
});

test('xlsx: the figures of a break without an asset are counts, and its age is a number', async () => {
  const [one] = REPORT.openBreaks;
  if (one === undefined) throw new Error('no break');
  const openBreaks = [{ ...one, asset: null, expected: '5', actual: '4', difference: '-1' }];
  const body = await bytesOf('xlsx', { openBreaks });
  const sheets = workbookOf(body);
  expect(sheets['Open breaks']?.[1]?.filter((cell) => cell === '5')).toHaveLength(2);
  const numbers = numbersOf(body, Object.keys(sheets).indexOf('Open breaks') + 1);
  expect(numbers).toEqual(['5', '4', '-1', `${one.ageSeconds}`]);
});

test('xlsx: every column is as wide as its longest amount, id and hash', async () => {
  const hash = `0x${'a1'.repeat(32)}`;
  const vaultId = '6b1f6c0e-9c1b-4a39-8d3c-7d3f0a5e2b11';
  const [one] = REPORT.differences;
  if (one === undefined) throw new Error('no difference');
  const differences = [{ ...one, blockchainHash: hash, vaultId, expected: '1'.repeat(78) }];
  const body = await bytesOf('xlsx', { differences }, MOVEMENTS);
  for (const sheet of [2, 3, 4, 5, 8, 9, 10]) {
    const columns = widthsOf(body, sheet);
    expect(columns.length).toBeGreaterThan(0);
    expect([sheet, columns.filter(({ width, longest }) => width < longest)]).toEqual([sheet, []]);
  }
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
  const body = await bytesOf('xlsx', { exempt });
  expect(workbookOf(body)['Report']).toContainEqual(['exempt rounding <b>']);
  expect(numbersOf(body, 1).slice(-2)).toEqual(['2', '1']);
  const untold = workbookOf(await bytesOf('xlsx'));
  expect(JSON.stringify(untold)).not.toContain('exempt');
});

test('what only newer reports hold is in every format, under the names of the vaults', async () => {
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
  expect(await rendered('hledger', NEWER)).toContain(
    '; Hot <i>wallet\naccount Assets:Custody:hot 1%3amain\n',
  );
  expect(await rendered('beancount', NEWER)).toContain(open);
  expect(await rendered('beancount', NEWER)).toContain('name: "Hot <i>wallet"');
});

test.each(['hledger', 'beancount'] as const)('%s counts one difference as one', async (format) => {
  const openDifferences = NEWER.openDifferences.map((one) => ({ ...one, count: 1 }));
  expect(await rendered(format, { ...NEWER, openDifferences })).toContain(
    'open against custody: ethereum:ETH, 1 difference, sum -1.210000000000000000',
  );
});

test('the movements behind the figures name their entries, webhooks, accounts and addresses', async () => {
  const page = wordsOf(await rendered('html', NEWER, MOVEMENTS));
  expect(page).toContain('Movements behind the figures (2)');
  expect(page).toContain(
    'withdrawals 0xa7 -0.500000000000000000 entry 17 (webhook ntf-1, journal 12)',
  );
  expect(page).toContain('=Hot &lt;b&gt;account (acc-1), Treasury (adr-1)');
  expect(page).toContain(
    'More moved than this document shows: GET /v1/reports/daily/{date}/movements',
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
