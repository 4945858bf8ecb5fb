import type { ReportTotal } from '../domain/close-report.ts';
import { scaled } from './figure.ts';

/** One leg of a day's totals in double entry: what the vault's account moves by, and its counterpart. */
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
  /** What the counterpart's account moves by, as plain digits. */
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

/** A row of the roll-forward in double entry, in the asset's own unit where it is known. */
export interface LedgerRow {
  readonly vaultId: string;
  readonly asset: string;
  readonly opening: string;
  readonly openingContra: string;
  readonly net: string;
  readonly legs: readonly LedgerLeg[];
  readonly closing: string;
}

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
