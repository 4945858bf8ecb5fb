import type { DailyReport } from '../domain/close-report.ts';
import type { CloseSignature } from '../domain/close-signature.ts';
import type { DayMovement } from '../store/day-movement.ts';
import type { Page } from '../store/reads.ts';

/** A sealed report with what stands beside it. */
export interface SignedReport {
  readonly report: DailyReport;
  /** The report's own text, which `reportHash` is the SHA-256 of. */
  readonly sealed: string;
  readonly reportHash: string;
  readonly signatures: readonly CloseSignature[];
  /** What moved, for the formats that show it; `total` counts also those that are not in `items`. */
  readonly movements: Pick<Page<DayMovement>, 'items' | 'total'>;
}

/** Where all movements are when a document cannot show them. */
export const MOVEMENTS_CALL =
  'GET /v1/reports/daily/{date}/movements?vaultId&asset&figure lists them all';
