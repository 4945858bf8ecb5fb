import type { ReadView } from './read-view.ts';

/** Rows remembered; the least recently told give way. */
const ROWS_MAX = 20_000;
/** How far behind a stale answer is, for rows that were never told before. */
const LAG_MS = 60_000;

/**
 * What callers were last told, so that the `stale` fault can tell it again: a row as it was last
 * served, or nothing for a row younger than a minute that nobody has seen.
 */
export class ServedRows {
  readonly #rows = new Map<string, object>();

  /** The row as this read shows it; undefined hides it. `createdAt` is ISO 8601. */
  view<Row extends { balanceChanges?: unknown }>(
    key: string,
    row: Row,
    options: { view: ReadView; nowMs: number; createdAt: string },
  ): Row | undefined {
    const shown = options.view.stale ? this.#stale(key, row, options) : row;
    if (!options.view.stale) this.#remember(key, row);
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
    const told = this.#rows.get(key);
    if (told !== undefined) return told as Row;
    return Date.parse(options.createdAt) > options.nowMs - LAG_MS ? undefined : row;
  }

  #remember(key: string, row: object): void {
    this.#rows.delete(key);
    this.#rows.set(key, row);
    if (this.#rows.size <= ROWS_MAX) return;
    const [oldest] = this.#rows.keys();
    if (oldest !== undefined) this.#rows.delete(oldest);
  }
}
