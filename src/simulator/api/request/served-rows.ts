import type { ReadView } from './read-view.ts';

/** Rows kept. Beyond this number the row that was served longest ago is deleted. */
const ROWS_MAX = 20_000;
/** Delay of a stale answer in milliseconds, for rows that were never served. */
const LAG_MS = 60_000;

/**
 * Keeps the rows that callers were last served, for the `stale` fault. The fault serves such a row
 * again, and hides a row younger than a minute that was never served.
 */
export class ServedRows {
  readonly #rows = new Map<string, object>();

  /** Returns the row for this read; undefined hides it. `createdAt` is ISO 8601. */
  view<Row extends { balanceChanges?: unknown }>(
    key: string,
    row: Row,
    options: { view: ReadView; nowMs: number; createdAt: string },
  ): Row | undefined {
    const shown = options.view.stale ? this.#stale(key, row, options) : row;
    if (!options.view.stale) this.#keep(key, row);
    if (shown === undefined || !options.view.omitBalanceChanges) return shown;
    return { ...shown, balanceChanges: undefined };
  }

  clear(): void {
    this.#rows.clear();
  }

  #stale<Row extends object>(
    key: string,
    row: Row,
    options: { nowMs: number; createdAt: string },
  ): Row | undefined {
    const served = this.#rows.get(key);
    if (served !== undefined) return served as Row;
    return Date.parse(options.createdAt) > options.nowMs - LAG_MS ? undefined : row;
  }

  #keep(key: string, row: object): void {
    this.#rows.delete(key);
    this.#rows.set(key, row);
    if (this.#rows.size <= ROWS_MAX) return;
    const [oldest] = this.#rows.keys();
    if (oldest !== undefined) this.#rows.delete(oldest);
  }
}
