/** What a suite has measured. */
export interface SuiteResult {
  /** For people. */
  readonly text: string;
  /** Every figure, for --json. */
  readonly figures: unknown;
  /** What should not be; the run fails when there is any. */
  readonly defects: readonly string[];
}
