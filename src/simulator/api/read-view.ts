/**
 * How a read is distorted by the faults that hit it. None of it on a sound read.
 * `drift` is by how many rows the pages after the first are shifted: -1 repeats a row, +1 skips one.
 */
export interface ReadView {
  readonly omitBalanceChanges: boolean;
  /** Rows are told as they were last served; young ones that never were, not at all (`ServedRows`). */
  readonly stale: boolean;
  readonly drift: -1 | 0 | 1;
}
