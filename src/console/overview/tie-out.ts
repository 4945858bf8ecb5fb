import { Amount } from '../../domain/money/amount.ts';
import type { DailyReport } from '../../domain/close/report.ts';
import { groupedBy } from '../../domain/grouped.ts';
import {
  missingChainViews,
  withoutCustody,
  type MissingChainViews,
} from '../../report/missing-witness.ts';
import { readCriticalBreaks, type CriticalBreaks } from '../parts/value/critical-breaks.tsx';
import { assetTotals } from '../../report/asset-totals.ts';
import type { Reads } from '../../store/reads.ts';
import type { ClosedDayRow } from '../../store/records.ts';

/** One asset over all vaults at a day's end. Null: not compared. */
export interface TieOutRow {
  readonly asset: string;
  readonly decimals: number | null;
  readonly books: Amount;
  readonly chain: Amount | null;
  /** How many of its vaults have no chain view. */
  readonly withoutChainView: MissingChainViews;
  readonly custody: Amount | null;
  /** What stands in place of custody's figure; null where custody was read. */
  readonly withoutCustody: string | null;
  /** The books minus the chain view, and minus custody. */
  readonly chainDifference: Amount | null;
  readonly custodyDifference: Amount | null;
}

function amountOf(text: string | null): Amount | null {
  return text === null ? null : Amount(BigInt(text));
}

/** What the overview says of a closed day's report. */
export interface TieOut {
  readonly rows: readonly TieOutRow[];
  /** Critical breaks that were open at the cut-off; null without one. */
  readonly critical: CriticalBreaks | null;
}

/** Before the first close. */
export const NO_TIE_OUT: TieOut = { rows: [], critical: null };

/** The rows of a report: assets that differ first, then in the report's order. */
function rowsOf({ totals, custody }: Pick<DailyReport, 'totals' | 'custody'>): TieOutRow[] {
  const vaultsOf = groupedBy(totals, ({ asset }) => asset);
  const rows = assetTotals(totals).map((total) => ({
    asset: total.asset,
    withoutChainView: missingChainViews(vaultsOf.get(total.asset) ?? []),
    decimals: total.decimals,
    books: Amount(BigInt(total.closing)),
    // Without a difference the vaults have no chain view of their own.
    chain: total.chainDifference === null ? null : amountOf(total.chainClosing),
    custody: amountOf(total.custodyClosing),
    withoutCustody: withoutCustody(custody),
    chainDifference: amountOf(total.chainDifference),
    custodyDifference: amountOf(total.custodyDifference),
  }));
  return [...rows.filter(differs), ...rows.filter((row) => !differs(row))];
}

/** Whether the books differ from another witness. */
export function differs({ chainDifference, custodyDifference }: TieOutRow): boolean {
  return (chainDifference ?? 0n) !== 0n || (custodyDifference ?? 0n) !== 0n;
}

/** The parts of a report that the overview shows. */
interface Kept extends Pick<TieOut, 'rows'>, Pick<DailyReport, 'openBreaks'> {
  readonly reportHash: string;
}

/** Reads the report of the newest day once: a sealed report never changes. Its breaks do. */
export class TieOuts {
  readonly #reads: Pick<Reads, 'closedDay' | 'breaks'>;
  #kept: Kept | undefined;

  constructor(reads: Pick<Reads, 'closedDay' | 'breaks'>) {
    this.#reads = reads;
  }

  async of(row: ClosedDayRow): Promise<TieOut> {
    const kept = await this.#reportOf(row);
    if (kept === undefined) return NO_TIE_OUT;
    const critical = await readCriticalBreaks(this.#reads, kept.openBreaks);
    return { rows: kept.rows, critical };
  }

  async #reportOf({ day, reportHash }: ClosedDayRow): Promise<Kept | undefined> {
    if (this.#kept?.reportHash === reportHash) return this.#kept;
    const closed = await this.#reads.closedDay(day);
    if (closed === undefined) return undefined;
    const report = JSON.parse(closed.close.report) as DailyReport;
    this.#kept = { reportHash, rows: rowsOf(report), openBreaks: report.openBreaks };
    return this.#kept;
  }
}
