import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ReportTotal } from '../../src/domain/close/report.ts';
import { readPage } from '../docs/reading/page.ts';
import { bytesOf, NEWER, rendered, REPORT } from './report-under-test.ts';
import { workbookOf } from './reading-back.ts';

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
    // Every id of up to four of these characters, from which escaped names are made.
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

/** The day after the report under test, on which every vault sends one smallest unit. */
const NEXT_DAY = {
  day: '2025-11-21',
  totals: REPORT.totals.map((total) => ({
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
  })),
};

test.skipIf(!has('hledger'))(
  'hledger reads several days after one another, and each day’s opening is the closing before it (skipped where hledger is not installed)',
  async () => {
    const one = fileOf('one.journal', await rendered('hledger'));
    const two = fileOf('two.journal', await rendered('hledger', NEXT_DAY));
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
  'hledger reads every vault as one account below Custody (skipped where hledger is not installed)',
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

test.skipIf(!has('bean-check'))(
  'beancount checks days that are joined as the documentation says, and sums them to the last closings (skipped where beancount is not installed)',
  async () => {
    const { text: page } = readPage('docs/how-to/close-and-sign-a-day.md');
    const [, program = ''] = /^awk '([^']+)'/m.exec(page) ?? [];
    const vaultNames = { quiet: 'Cold', newcomer: 'A "new" vault' };
    const [, , quiet] = NEXT_DAY.totals;
    if (quiet === undefined) throw new Error('no total');
    const sums = { opening: '0', deposits: '5', withdrawals: '0', closing: '5' };
    const totals = [...NEXT_DAY.totals, { ...quiet, ...sums, vaultId: 'newcomer' }];
    const days = [
      fileOf('1.beancount', await rendered('beancount', { vaultNames })),
      fileOf('2.beancount', await rendered('beancount', { ...NEXT_DAY, totals, vaultNames })),
    ];
    const joined = execFileSync('awk', [program, ...days], { encoding: 'utf8' });
    const checked = spawnSync('bean-check', [fileOf('days.beancount', joined)], {
      encoding: 'utf8',
    });
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
    expect(joined.match(/ balance /g)).toHaveLength(5);
    expect(joined).toContain(
      '2025-11-21 open Assets:Custody:V-newcomer\n  name: "A \\"new\\" vault"',
    );
    const included = days.map((file) => `include "${file}"\n`).join('');
    expect(spawnSync('bean-check', [fileOf('both.beancount', included)]).status).toBe(1);
  },
);

/** Names of vaults in which a ledger could read more than a name. */
const HOSTILE_NAMES = [
  'Cold, type: hot',
  'type:X',
  'type:',
  '; Cold',
  'Cold ; type: X',
  '[2025-13-45]',
  'date:2025-13-45',
  'Cold\naccount Assets:Evil',
  'Cold\r\n2025-11-20 open Assets:Evil',
  'Cold\u2028account Assets:Evil',
  'Cold" #evil ^evil',
  'Cold\\',
  'Cold\\"',
  '\ud800\u0000\u0085',
  '日本: é, 💰',
  ' ',
  '',
];

/** A ledger in which each of these is the name of a vault. */
function namedLedger(format: 'hledger' | 'beancount'): Promise<string> {
  const ids = HOSTILE_NAMES.map((_, index) => `vault-${index}`);
  const vaultNames = Object.fromEntries(ids.map((id, index) => [id, HOSTILE_NAMES[index] ?? '']));
  return rendered(format, { totals: totalsOf(ids), vaultNames });
}

test.skipIf(!has('hledger'))(
  'hledger reads no tag, type or account in a vault’s name (skipped where hledger is not installed)',
  async () => {
    const file = fileOf('hostile.journal', await namedLedger('hledger'));
    const hledger = (...args: string[]) =>
      spawnSync('hledger', ['-f', file, ...args], {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      });
    const checked = hledger('check', '--strict', 'ordereddates');
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
    expect(hledger('tags').stdout).toBe('opening\n');
    const accounts = hledger('accounts').stdout.trimEnd().split('\n');
    expect(accounts.toSorted()).toEqual(
      [
        ...HOSTILE_NAMES.map((_, index) => `Assets:Custody:vault-${index}`),
        'Equity:Opening balances',
      ].toSorted(),
    );
  },
);

test.skipIf(!has('bean-check'))(
  'beancount reads a vault’s name as a name alone (skipped where beancount is not installed)',
  async () => {
    const file = fileOf('hostile.beancount', await namedLedger('beancount'));
    const checked = spawnSync('bean-check', [file], { encoding: 'utf8' });
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
  },
);
