import type { RecordSource } from './records.ts';
import type { WorkingSet } from './working-set.ts';

/** What a desk works with: the records at hand, the store behind them, and a way to write early. */
export interface DeskTools {
  readonly set: WorkingSet;
  readonly source: RecordSource;
  /** Scans of the store see only what has been written. */
  readonly flush: () => void;
}
