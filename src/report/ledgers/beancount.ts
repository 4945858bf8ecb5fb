import { createHash } from 'node:crypto';
import type { DailyReport, ReportTotal } from '../../domain/close/report.ts';
import { MOVES } from '../asset-totals.ts';
import { headLines, ledgerRow, printable, type LedgerRow } from './ledger-lines.ts';
import type { SignedReport } from '../signed-report.ts';
import { vaultNameOf } from '../vault-name.ts';

/** Beancount's commodities have at most 24 upper-case characters. */
const COMMODITY = /^[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]$/;
const DIGEST_CHARACTERS = 22;

/**
 * The commodity of an asset: `ethereum:USDC` is `ETHEREUM-USDC`. A name that does not fit, or
 * resembles such a name, becomes a digest. It depends on the asset alone, so it is the same every
 * day.
 */
function commodity(asset: string): string {
  const [, network = '', symbol = ''] = /^([a-z][a-z0-9]*):([A-Z0-9]+)$/.exec(asset) ?? [];
  const plain = `${network.toUpperCase()}-${symbol}`;
  if (symbol !== '' && COMMODITY.test(plain)) return plain;
  const digest = createHash('sha256').update(asset).digest('hex').toUpperCase();
  return `X-${digest.slice(0, DIGEST_CHARACTERS)}`;
}

/**
 * A part of an account name: letters, digits and hyphens after an initial letter of ours. Other
 * characters of the id become their code, `--3a-`. So does a hyphen before anything but a letter or
 * digit: no two ids are spelled alike.
 */
function part(id: string): string {
  const spelled = id.replaceAll(
    /-(?![A-Za-z0-9])|[^A-Za-z0-9-]/gu,
    (character) => `--${(character.codePointAt(0) ?? 0).toString(16)}-`,
  );
  return `V-${spelled}`;
}

function assetAccount({ vaultId }: LedgerRow): string {
  return `Assets:Custody:${part(vaultId)}`;
}

function counterpartAccount(counterpart: string, { vaultId }: LedgerRow): string {
  const parent = counterpart === 'NetworkFees' ? 'Expenses' : 'Equity';
  return `${parent}:${counterpart}:${part(vaultId)}`;
}

function nextDate(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

function transactions(row: LedgerRow, day: string): string[] {
  const unit = commodity(row.asset);
  const lines: string[] = [];
  if (/[1-9]/.test(row.opening)) {
    lines.push(
      `${day} * "opening balance" #opening`,
      `  ${assetAccount(row)}  ${row.opening} ${unit}`,
      `  Equity:OpeningBalances  ${row.openingContra} ${unit}`,
      '',
    );
  }
  if (row.legs.length > 0) {
    lines.push(
      `${day} * "daily totals"`,
      `  ${assetAccount(row)}  ${row.net} ${unit}`,
      ...row.legs.map(
        ({ counterpart, amount }) => `  ${counterpartAccount(counterpart, row)}  ${amount} ${unit}`,
      ),
      '',
    );
  }
  // An assertion applies at the start of its date.
  lines.push(`${nextDate(day)} balance ${assetAccount(row)}  ${row.closing} ~ 0 ${unit}`, '');
  return lines;
}

/** The vaults' names, by account. */
function accountNames(rows: readonly LedgerRow[], report: DailyReport): Map<string, string> {
  return new Map(
    rows.flatMap((row) => {
      const name = vaultNameOf(report, row.vaultId);
      return name === null ? [] : [[assetAccount(row), name] as const];
    }),
  );
}

/** A JSON string is a valid beancount string: escaped, on one line. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Beancount rounds every result to this many digits in total. */
const DIGITS_MAX = 28;

/** Assets whose sums beancount could round; only this format omits them. */
export function assetsBeyondBeancount(totals: readonly ReportTotal[]): string[] {
  const sums = new Map<string, bigint>();
  for (const total of totals) {
    const sizes = MOVES.map((figure) => BigInt(total[figure].replace('-', '')));
    const sum = sizes.reduce((all, size) => all + size, sums.get(total.asset) ?? 0n);
    sums.set(total.asset, sum);
  }
  const bound = 10n ** BigInt(DIGITS_MAX);
  return [...sums].filter(([, sum]) => sum >= bound).map(([asset]) => asset);
}

/**
 * A beancount ledger: each vault and asset with its opening and the day's totals, and the closing
 * asserted to the last digit. Omits and names assets whose amounts are too long for beancount.
 */
export function beancountText(signed: SignedReport): string {
  const { report } = signed;
  const beyond = assetsBeyondBeancount(report.totals);
  const rows = report.totals.filter(({ asset }) => !beyond.includes(asset)).map(ledgerRow);
  const { day } = report;
  const assets = [...new Set(rows.map(({ asset }) => asset))];
  const accounts = new Set([
    'Equity:OpeningBalances',
    ...rows.map(assetAccount),
    ...rows.flatMap((row) =>
      row.legs.map(({ counterpart }) => counterpartAccount(counterpart, row)),
    ),
  ]);
  const names = accountNames(rows, report);
  return [
    ...headLines(signed).map((line) => `; ${line}`),
    '; This file is one day and stands alone. Do not include several days in one ledger: each opens its',
    '; accounts and books its opening balances. docs/how-to/close-and-sign-a-day.md joins days.',
    ...beyond.map(
      (asset) =>
        `; left out: ${printable(asset)}: its amounts exceed the ${DIGITS_MAX} digits that beancount keeps; the other formats have it`,
    ),
    '',
    ...assets.flatMap((asset) => [
      `${day} commodity ${commodity(asset)}`,
      `  asset: ${quoted(asset)}`,
    ]),
    '',
    ...[...accounts].flatMap((account) => [
      `${day} open ${account}`,
      ...(names.has(account) ? [`  name: ${quoted(names.get(account) ?? '')}`] : []),
    ]),
    '',
    ...rows.flatMap((row) => transactions(row, day)),
  ].join('\n');
}
