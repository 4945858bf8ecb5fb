import type { DailyReport, ReportTotal } from '../domain/close/report.ts';
import { groupedBy } from '../domain/grouped.ts';
import { CATEGORIES, type Category } from '../domain/money/roll-forward.ts';

/** The figures of the roll-forward. */
export const MOVES = ['opening', ...CATEGORIES, 'closing'] as const;

/** Its titles, each with the sign of the figure. */
export const ROLL_FORWARD = [
  ['opening', 'Opening'],
  ['deposits', '+ Deposits'],
  ['withdrawals', '− Withdrawals'],
  ['fees', '− Fees'],
  ['rebates', '+ Rebates'],
  ['mints', '+ Mints'],
  ['internal', '± Internal'],
  ['change', '± Change'],
  ['adjustments', '± Adjustments'],
  ['closing', '= Closing'],
] as const satisfies readonly (readonly [figure: (typeof MOVES)[number], title: string])[];

/** The figures that the roll-forward subtracts. */
export const SUBTRACTED: ReadonlySet<string> = new Set<Category>(['withdrawals', 'fees']);

/**
 * Figures compared with the closing. Null or absent: not compared, or from an older report version.
 */
export const COMPARED = [
  'chainClosing',
  'chainDifference',
  'chainUntold',
  'custodyRead',
  'custodyAfterCutOff',
  'custodyBurnedFees',
  'custodyClosing',
  'custodyDifference',
] as const;

export type Figure = (typeof MOVES)[number] | (typeof COMPARED)[number];

/** One asset over all vaults, in smallest units; null when a vault lacks the figure. */
export type AssetTotal = Pick<ReportTotal, 'asset' | 'decimals'> &
  Readonly<Record<(typeof MOVES)[number], string>> &
  Readonly<Record<(typeof COMPARED)[number], string | null>>;

function sumOf(rows: readonly ReportTotal[], figure: Figure): string | null {
  let sum = 0n;
  for (const row of rows) {
    const amount = row[figure] ?? null;
    if (amount === null) return null;
    sum += BigInt(amount);
  }
  return sum.toString();
}

/** Sums several vaults' rows of one asset into one row. */
export function assetTotal(rows: readonly [ReportTotal, ...ReportTotal[]]): AssetTotal {
  const [{ asset, decimals }] = rows;
  const sums = [...MOVES, ...COMPARED].map((figure) => [figure, sumOf(rows, figure)] as const);
  return { asset, decimals, ...Object.fromEntries(sums) } as AssetTotal;
}

/** Decimals of the report's assets at the close; null where nobody knew them. */
export function decimalsByAsset({
  totals,
}: Pick<DailyReport, 'totals'>): ReadonlyMap<string, number | null> {
  return new Map(totals.map(({ asset, decimals }) => [asset, decimals]));
}

/** One row per asset, in order of appearance. */
export function assetTotals(totals: readonly ReportTotal[]): AssetTotal[] {
  return [...groupedBy(totals, ({ asset }) => asset).values()].map(assetTotal);
}
