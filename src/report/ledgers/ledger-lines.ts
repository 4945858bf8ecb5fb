import type { ReportTotal } from '../../domain/close/report.ts';
import { CATEGORIES, type Category } from '../../domain/money/roll-forward.ts';
import { decimalsByAsset, SUBTRACTED } from '../asset-totals.ts';
import { scaled } from '../figure.ts';
import type { SignedReport } from '../signed-report.ts';

function negatedText(amount: string): string {
  return (-BigInt(amount)).toString();
}

/** The account against which each figure is booked. */
const COUNTERPARTS: Readonly<Record<Category, string>> = {
  deposits: 'Deposits',
  withdrawals: 'Withdrawals',
  fees: 'NetworkFees',
  rebates: 'Rebates',
  mints: 'Mints',
  internal: 'Internal',
  change: 'Change',
  adjustments: 'Adjustments',
};

/** An id or name on one line of a comment. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '?');
}

/** The head lines of a ledger, without their comment sign. */
export function headLines({ report, reportHash }: SignedReport): string[] {
  const decimals = decimalsByAsset(report);
  return [
    `Counterfoil, daily close of ${report.day} (${report.timezone}), ${report.status}`,
    `from ${report.from ?? 'the first fact'} to the cut-off ${report.cutOffAt}, times in UTC`,
    `report sha256 ${reportHash}`,
    ...(report.openDifferences ?? []).map(({ asset, against, count, difference, absolute }) => {
      const unit = (amount: string): string => scaled(amount, decimals.get(asset) ?? null);
      return `open against ${against}: ${printable(asset)}, ${count === 1 ? '1 difference' : `${count} differences`}, sum ${unit(difference)}, absolute sum ${unit(absolute)}`;
    }),
  ];
}

/** A row of the roll-forward in double entry, in the asset's own unit where known. */
export interface LedgerRow {
  readonly vaultId: string;
  readonly asset: string;
  readonly opening: string;
  readonly openingContra: string;
  readonly net: string;
  /** The day's totals. `amount`: the change of the counterpart's account, as plain digits. */
  readonly legs: readonly { readonly counterpart: string; readonly amount: string }[];
  readonly closing: string;
}

/** A roll-forward row in double entry. */
export function ledgerRow(total: ReportTotal): LedgerRow {
  const unit = (amount: string): string => scaled(amount, total.decimals);
  const legs = CATEGORIES.filter((figure) => total[figure] !== '0').map((figure) => ({
    counterpart: COUNTERPARTS[figure],
    amount: unit(SUBTRACTED.has(figure) ? total[figure] : negatedText(total[figure])),
  }));
  return {
    vaultId: total.vaultId,
    asset: total.asset,
    opening: unit(total.opening),
    openingContra: unit(negatedText(total.opening)),
    net: unit((BigInt(total.closing) - BigInt(total.opening)).toString()),
    legs,
    closing: unit(total.closing),
  };
}
