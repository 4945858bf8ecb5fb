import type { ReportTotal } from '../../domain/close/report.ts';
import { decimalsByAsset } from '../asset-totals.ts';
import { scaled } from '../figure.ts';
import type { SignedReport } from '../signed-report.ts';

/**
 * One leg of a day's totals in double entry: the change of the vault's account, and its
 * counterpart.
 */
export interface LedgerLeg {
  readonly counterpart:
    | 'Deposits'
    | 'Withdrawals'
    | 'NetworkFees'
    | 'Rebates'
    | 'Mints'
    | 'Internal'
    | 'Change'
    | 'Adjustments';
  /** The change of the counterpart's account, as plain digits. */
  readonly amount: string;
}

function negatedText(amount: string): string {
  return (-BigInt(amount)).toString();
}

const LEGS = [
  ['deposits', 'Deposits', -1],
  ['withdrawals', 'Withdrawals', 1],
  ['fees', 'NetworkFees', 1],
  ['rebates', 'Rebates', -1],
  ['mints', 'Mints', -1],
  ['internal', 'Internal', -1],
  ['change', 'Change', -1],
  ['adjustments', 'Adjustments', -1],
] as const;

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
  readonly legs: readonly LedgerLeg[];
  readonly closing: string;
}

/** A roll-forward row in double entry. */
export function ledgerRow(total: ReportTotal): LedgerRow {
  const unit = (amount: string): string => scaled(amount, total.decimals);
  const legs = LEGS.filter(([figure]) => total[figure] !== '0').map(
    ([figure, counterpart, sign]): LedgerLeg => ({
      counterpart,
      amount: unit(sign < 0 ? negatedText(total[figure]) : total[figure]),
    }),
  );
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
