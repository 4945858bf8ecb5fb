import { ledgerRow, type LedgerRow } from './ledger-lines.ts';
import type { SignedReport } from './signed-report.ts';

/** What cannot stand in a quoted commodity: a quote, a semicolon, a line's end. */
const UNFIT_FOR_COMMODITY = /["%;\p{Cc}]/gu;

/**
 * What cannot stand in a part of an account: the colon that ends it, the beginning of a comment, what
 * cannot be seen, and each space that is not a single one between others: two end the account.
 */
const UNFIT_FOR_ACCOUNT = /[%:;\p{C}]|(?! )\p{Z}|^ | (?= )| $/gu;

/** What is unfit by its bytes, `%3a`; so is `%` itself, and no two names are spelled alike. */
function spelled(name: string, unfit: RegExp): string {
  return name.replaceAll(unfit, (character) =>
    Buffer.from(character).toString('hex').replaceAll(/../g, '%$&'),
  );
}

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
    lines.push(
      `${day} * opening balance  ; opening:`,
      `    ${account(row)}  ${row.opening} ${unit} = ${row.opening} ${unit}`,
      `    Equity:Opening balances  ${row.openingContra} ${unit}`,
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
 * A journal for hledger: each vault and asset with its opening and the day's totals, and the
 * closing asserted. One file is one day and stands by itself; to read several together, leave the
 * openings of the later ones out (`not:tag:opening`).
 */
export function hledgerText({ report, reportHash }: SignedReport): string {
  const rows = report.totals.map(ledgerRow);
  return [
    `; Counterfoil, daily close of ${report.day} (${report.timezone}), ${report.status}`,
    `; report sha256 ${reportHash}`,
    '',
    ...rows.flatMap((row) => transactions(row, report.day)),
  ].join('\n');
}
