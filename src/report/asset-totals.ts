import type { ReportTotal } from '../domain/close-report.ts';
import { groupedBy } from '../domain/grouped.ts';
import { CATEGORIES } from '../domain/roll-forward.ts';

/** The roll-forward's own figures. */
export const MOVES = ['opening', ...CATEGORIES, 'closing'] as const;

/** What the closing is compared with. Null or absent: not compared, or not told by an older report. */
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

/** One asset over all vaults, in smallest units; null where a vault has no such figure. */
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

/** The rows of some vaults for one asset as one row. */
export function assetTotal(rows: readonly [ReportTotal, ...ReportTotal[]]): AssetTotal {
  const [{ asset, decimals }] = rows;
  const sums = [...MOVES, ...COMPARED].map((figure) => [figure, sumOf(rows, figure)] as const);
  return { asset, decimals, ...Object.fromEntries(sums) } as AssetTotal;
}

/** A row for each asset, in the order in which the assets come. */
export function assetTotals(totals: readonly ReportTotal[]): AssetTotal[] {
  const byAsset = groupedBy(totals, ({ asset }) => asset);
  return [...byAsset.values()].map((rows) => assetTotal(rows as [ReportTotal, ...ReportTotal[]]));
}
