import type { DailyReport } from '../domain/close-report.ts';
import type { CloseSignature } from '../domain/close-signature.ts';

/** A sealed report with what stands beside it. */
export interface SignedReport {
  readonly report: DailyReport;
  /** The report's own text, which `reportHash` is the SHA-256 of. */
  readonly sealed: string;
  readonly reportHash: string;
  readonly signatures: readonly CloseSignature[];
}
