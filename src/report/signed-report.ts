import type { DailyReport } from '../domain/close-report.ts';
import type { CloseSignature } from '../domain/close-signature.ts';
import type { DayMovementPage } from '../store/reads.ts';

/** A sealed report with what stands beside it. */
export interface SignedReport {
  readonly report: DailyReport;
  /** The report's own text, which `reportHash` is the SHA-256 of. */
  readonly sealed: string;
  readonly reportHash: string;
  readonly signatures: readonly CloseSignature[];
  /** What moved, for the formats that show it. */
  readonly movements: Pick<DayMovementPage, 'items' | 'isWhole'>;
}

/** What a document says that does not show every movement of a long day. */
export const NOT_ALL_MOVEMENTS =
  'More hashes moved than stand here: GET /v1/reports/daily/{date}/movements?vaultId&asset&figure lists them all';
