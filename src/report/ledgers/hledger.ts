import type { DailyReport } from '../../domain/close/report.ts';
import { headLines, ledgerRow, printable, type LedgerRow } from './ledger-lines.ts';
import type { SignedReport } from '../signed-report.ts';
import { vaultNameOf } from '../vault-name.ts';

/** Characters that a quoted commodity cannot hold: a quote, a semicolon, a line end. */
const UNFIT_FOR_COMMODITY = /["%;\p{Cc}]/gu;

/**
 * Characters that a part of an account cannot hold: the separating colon, the start of a comment,
 * invisible characters, and spaces other than single inner ones, because two end the account.
 */
const UNFIT_FOR_ACCOUNT = /[%:;\p{C}]|(?! )\p{Z}|^ | (?= )| $/gu;

/** Writes unfit characters as bytes, `%3a`, and `%` itself too: no two names are spelled alike. */
function spelled(name: string, unfit: RegExp): string {
  return name.replaceAll(unfit, (character) =>
    Buffer.from(character).toString('hex').replaceAll(/../g, '%$&'),
  );
}

const OPENING = 'Equity:Opening balances';

function commodity(asset: string): string {
  return `"${spelled(asset, UNFIT_FOR_COMMODITY)}"`;
}

function account(row: LedgerRow): string {
  return `Assets:Custody:${spelled(row.vaultId, UNFIT_FOR_ACCOUNT)}`;
}

function transactions(row: LedgerRow, day: string): string[] {
  const unit = commodity(row.asset);
  const lines: string[] = [];
  if (/[1-9]/.test(row.opening)) {
    // An assignment: after the previous day's file, in one journal, it books nothing.
    lines.push(
      `${day} * opening balance  ; opening:`,
      `    ${account(row)}  = ${row.opening} ${unit}`,
      `    ${OPENING}`,
      '',
    );
  }
  if (row.legs.length === 0) return lines;
  lines.push(
    `${day} * daily totals`,
    `    ${account(row)}  ${row.net} ${unit} = ${row.closing} ${unit}`,
    ...row.legs.map(
      ({ counterpart, amount }) => `    ${counterpartAccount(counterpart, row)}  ${amount} ${unit}`,
    ),
    '',
  );
  return lines;
}

function counterpartAccount(counterpart: string, row: LedgerRow): string {
  const parent = counterpart === 'NetworkFees' ? 'Expenses:Network fees' : `Equity:${counterpart}`;
  return `${parent}:${spelled(row.vaultId, UNFIT_FOR_ACCOUNT)}`;
}

/**
 * A vault's account, below its name. The name has a line of its own: behind the account, hledger
 * reads a comment for tags, and refuses the journal for a vault named `Cold, type: hot`.
 */
function vaultAccount(row: LedgerRow, report: DailyReport): string {
  const name = vaultNameOf(report, row.vaultId);
  return `${name === null ? '' : `; ${printable(name)}\n`}account ${account(row)}`;
}

/** `hledger check --strict` wants every commodity and account declared. */
function declarations(rows: readonly LedgerRow[], report: DailyReport): string[] {
  const commodities = new Set(rows.map(({ asset }) => commodity(asset)));
  const accounts = new Set(
    rows.flatMap((row) => [
      vaultAccount(row, report),
      ...row.legs.map(({ counterpart }) => `account ${counterpartAccount(counterpart, row)}`),
    ]),
  );
  return [
    ...[...commodities].map((unit) => `commodity ${unit}`),
    ...accounts,
    `account ${OPENING}`,
  ];
}

/**
 * An hledger journal: each vault and asset with its opening and the day's totals, and the closing
 * asserted. Each file is one complete day. One journal can include consecutive days.
 */
export function hledgerText(signed: SignedReport): string {
  const { report } = signed;
  const rows = report.totals.map(ledgerRow);
  return [
    ...headLines(signed).map((line) => `; ${line}`),
    '; This file is one day. To read several days, include their files in one journal, in order:',
    ';   include counterfoil-2025-11-20.journal',
    ';   include counterfoil-2025-11-21.journal',
    '; The opening of each later day then books nothing, because the balance is already there.',
    '; Do not give several files with several -f options: hledger then counts every opening.',
    '',
    ...declarations(rows, report),
    '',
    ...rows.flatMap((row) => transactions(row, report.day)),
  ].join('\n');
}
