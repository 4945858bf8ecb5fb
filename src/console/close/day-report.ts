import type { DailyReport, ReportTotal } from '../../domain/close/report.ts';
import { groupedBy } from '../../domain/grouped.ts';
import { assetTotal, assetTotals, type AssetTotal } from '../../report/asset-totals.ts';
import type { ClosedReport } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';

/** One asset of a closed day: its vaults, their sum, and the sum of the day before. */
export interface DayAsset {
  readonly asset: string;
  readonly vaults: readonly [ReportTotal, ...ReportTotal[]];
  readonly sum: AssetTotal;
  /** Undefined for the first day, and for an asset that the day before did not have. */
  readonly before: AssetTotal | undefined;
}

/** A closed day as its page shows it. */
export interface DayReport extends ClosedReport {
  readonly report: DailyReport;
  /** The day closed before; null for the first. */
  readonly before: DailyReport | null;
  readonly assets: readonly DayAsset[];
  /** Decimals of the assets at the close. */
  readonly decimals: ReadonlyMap<string, number>;
}

function parsed({ close }: ClosedReport): DailyReport {
  return JSON.parse(close.report) as DailyReport;
}

function assetsOf(report: DailyReport, before: DailyReport | null): DayAsset[] {
  const earlier = new Map(assetTotals(before?.totals ?? []).map((sum) => [sum.asset, sum]));
  return [...groupedBy(report.totals, ({ asset }) => asset)].map(([asset, vaults]) => ({
    asset,
    vaults,
    sum: assetTotal(vaults),
    before: earlier.get(asset),
  }));
}

/** A closed day with the day closed before; undefined when the day is not closed. */
export async function readDayReport(
  reads: Pick<Reads, 'closedDay'>,
  day: string,
): Promise<DayReport | undefined> {
  const closed = await reads.closedDay(day);
  if (closed === undefined) return undefined;
  const report = parsed(closed);
  const earlier = report.previous === null ? undefined : await reads.closedDay(report.previous.day);
  const before = earlier === undefined ? null : parsed(earlier);
  const decimals = new Map<string, number>();
  for (const total of report.totals) {
    if (total.decimals !== null) decimals.set(total.asset, total.decimals);
  }
  return { ...closed, report, before, assets: assetsOf(report, before), decimals };
}
