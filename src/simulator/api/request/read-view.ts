/**
 * The faults that change a read. `drift` is the number of rows by which later pages are shifted: -1
 * repeats a row, +1 skips one.
 */
export interface ReadView {
  readonly omitBalanceChanges: boolean;
  /**
   * Rows appear as they were last served. Rows younger than a minute that were never served are
   * hidden (`ServedRows`).
   */
  readonly stale: boolean;
  readonly drift: -1 | 0 | 1;
}
