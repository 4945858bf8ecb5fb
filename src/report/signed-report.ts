import type { DailyReport } from '../domain/close/report.ts';
import type { CloseSignature } from '../domain/close/signature.ts';
import type { DayMovementPage } from '../store/day-movement.ts';

/** A sealed report with its hash, signatures and movements. */
export interface SignedReport {
  readonly report: DailyReport;
  /** The report's text; `reportHash` is its SHA-256. */
  readonly sealed: string;
  readonly reportHash: string;
  readonly signatures: readonly CloseSignature[];
  /** Movements, for the formats that show them. */
  readonly movements: Pick<DayMovementPage, 'items' | 'isWhole'>;
}

/** The note of a document that omits movements or entries of a long day. */
export const NOT_ALL_MOVEMENTS =
  'More moved than this document shows: GET /v1/reports/daily/{date}/movements?vaultId&asset&figure lists all';
