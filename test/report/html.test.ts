import { expect, test } from 'vitest';
import { barsOf } from '../../src/report/page/waterfall.ts';
import { HUGE, NEWER, rendered, REPORT } from './report-under-test.ts';
import { wordsOf } from './reading-back.ts';

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

test('html: the page has its main part, and each table that scrolls has a name and takes the keyboard', async () => {
  const page = await rendered('html', NEWER);
  expect(page.match(/<main>/g)).toHaveLength(1);
  const frames = page.match(/<div class="scroll"[^>]*>/g) ?? [];
  const names = frames.map(
    (one) => / tabindex="0" role="group" aria-label="(.+)">$/.exec(one)?.[1],
  );
  expect(names).toContain('Roll-forward of ethereum:ETH');
  expect(names).toContain('Comparison of ethereum:ETH');
  expect(names).toContain('Differences');
  expect(names).not.toContain(undefined);
});

test('html: the page says which custody transactions are counted anew', async () => {
  expect(wordsOf(await rendered('html'))).toContain(
    '12 transactions read, 3 counted anew (they are new, or changed since earlier closes).',
  );
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

test('html: open differences have a verdict of their own, with their totals by asset', async () => {
  const page = await rendered('html', NEWER);
  expect(page).toContain('class="verdict open">balanced with open differences<');
  expect(wordsOf(page)).toContain(
    'ethereum:ETH custody 3 -1.210000000000000000 1.390000000000000000',
  );
  expect(await rendered('html')).not.toContain('Open differences');
});

test('html: critical breaks that were open stand beside the verdict, whatever it is', async () => {
  expect(wordsOf(await rendered('html'))).not.toContain('critical break');
  const [open] = REPORT.openBreaks;
  const critical = { ...open, severity: 'critical' } as const;
  const page = await rendered('html', { openBreaks: [critical, open, critical] as never });
  expect(page).toContain('class="verdict exceptions">2 critical breaks at the cut-off<');
  // The list begins with them.
  expect(wordsOf(page)).toMatch(/Breaks open at the cut-off .* critical .* critical .* warning /);
  const one = wordsOf(await rendered('html', { ...NEWER, openBreaks: [critical] as never }));
  expect(one).toContain('balanced with open differences 1 critical break at the cut-off');
});

test('html: each asset has a total over its vaults, and its differences with chain and custody', async () => {
  const words = wordsOf(await rendered('html', NEWER));
  // Two vaults that differ in their custody balance alone.
  expect(words).toMatch(/Total 3\.0{18} 4\.0{18} 1\.0{18} 0\.0000420{12} /);
  expect(words).toContain('Closing − chain Custody as read − After the cut-off Custody');
  expect(words).toMatch(/Total 5\.399958000000000004 5\.399958000000000004 0 5\.\d+42 0\.0{16}40 /);
  expect(words).toContain('5.399958000000000002 -0.000000000000000002');
});

test('html: a report without the custody balance as read has no such column', async () => {
  const words = wordsOf(await rendered('html'));
  expect(words).toContain('Closing − custody');
  expect(words).not.toContain('Custody as read');
});

test('html: burned fees and hashes without a chain view are named', async () => {
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

test('html: a held memo is advised as the console does, not by the frozen text', async () => {
  const [one] = REPORT.openBreaks;
  if (one === undefined) throw new Error('no break');
  const detail =
    'deposit of 35 ripple:XRP with memo "88" that is not registered: attribute it to its owner, or register the memo';
  const page = wordsOf(await rendered('html', { openBreaks: [{ ...one, detail }] }));
  expect(page).toContain('name its owner, and register the memo for later payments');
  expect(page).not.toContain('attribute it to its owner');
});

test('html: the texts of breaks, differences and exceptions show amounts in the unit of their asset', async () => {
  const [one] = REPORT.openBreaks;
  const [difference] = REPORT.differences;
  if (one === undefined || difference === undefined) throw new Error('no break');
  const detail =
    'the custody API says 1500000000000000000 ethereum:ETH, the notifications say -20000000000000000';
  const page = await rendered('html', {
    openBreaks: [{ ...one, detail }],
    differences: [
      { ...difference, explanation: 'break', detail: 'conservation: 5 x:X, books say 7' },
    ],
    exceptions: [
      {
        kind: 'identity',
        detail: 'v1 bitcoin:BTC: 150000000 apart from custody, of which 0 is on known hashes',
      },
    ],
  });
  expect(page).toContain('the custody API says <span title="1500000000000000000">1.5 ETH</span>');
  expect(page).toContain('say <span title="-20000000000000000">-0.02 ETH</span>');
  expect(wordsOf(page)).toContain('conservation: 5 x:X, books say 7');
  expect(wordsOf(page)).toContain(
    'identity: v1 bitcoin:BTC: 1.5 BTC apart from custody, of which 0 BTC is on known hashes',
  );
});

test('html: a sealed report does not promise a reversal that may be done, and says where to look', async () => {
  const [one] = REPORT.openBreaks;
  if (one === undefined) throw new Error('no break');
  const detail =
    "35 ripple:XRP was credited (crd_1) and its transaction has been rolled back: when the custody API agrees, the feed reverses the credit; recover it from the customer's balance then";
  const page = wordsOf(await rendered('html', { openBreaks: [{ ...one, detail }] }));
  expect(page).toContain(
    'has been rolled back: the page of the break says whether the feed has reversed the credit since',
  );
  expect(page).not.toContain('recover it');
});

test('html: figures of custody say whether nobody could ask, or nobody read', async () => {
  const totals = REPORT.totals.slice(0, 1).map((total) => ({
    ...total,
    custodyClosing: null,
    custodyDifference: null,
  }));
  const compared = async (reason: string): Promise<string> =>
    wordsOf(await rendered('html', { totals, custody: { compared: false, reason } }));
  expect(await compared('custody is not configured')).toMatch(
    / Custody Closing − custody .* Total [-0-9. ]+ not configured not compared /,
  );
  const late = 'closed late, together with 2025-11-21: custody is compared in a later report';
  expect(await compared(late)).toMatch(
    / Custody Closing − custody .* Total [-0-9. ]+ not read not compared /,
  );
});

test('html: a vault without a chain view says so, and the total says why it is not compared', async () => {
  const [eth] = REPORT.totals;
  if (eth === undefined) throw new Error('no total');
  const blind = { ...eth, vaultId: 'blind', chainClosing: '0', chainDifference: null };
  const both = wordsOf(await rendered('html', { totals: [eth, blind] }));
  expect(both).toMatch(/ blind 2\.699979000000000002 no chain view not compared 2\./);
  expect(both).toMatch(
    / Total 5\.399958000000000004 2\.699979000000000002 not compared: 1 of 2 vaults has no chain view 5\./,
  );
  const alone = wordsOf(await rendered('html', { totals: [blind] }));
  expect(alone).toMatch(/ Total 2\.699979000000000002 no chain view not compared 2\./);
  expect(alone).not.toMatch(/\d of \d vaults/);
});
