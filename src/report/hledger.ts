import { encoded, ledgerRow, type LedgerRow } from './ledger-lines.ts';
import type { SignedReport } from './signed-report.ts';

/** Assets are quoted; a quote, a semicolon or a line's end cannot stand inside. */
function commodity(asset: string): string {
  const spelled = asset.replaceAll(
    /["%;\p{Cc}]/gu,
    (character) => `%${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`,
  );
  return `"${spelled}"`;
}

function account(row: LedgerRow): string {
  return `Assets:Custody:${encoded(row.vaultId)}`;
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
      ({ counterpart, amount }) =>
        `    ${counterpartAccount(counterpart)}:${encoded(row.vaultId)}  ${amount} ${unit}`,
    ),
    '',
  );
  return lines;
}

function counterpartAccount(counterpart: string): string {
  return counterpart === 'NetworkFees' ? 'Expenses:Network fees' : `Equity:${counterpart}`;
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
