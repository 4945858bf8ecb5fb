import type { Page, UnreadableRow } from './row.ts';

/** What a reading has told already, so that each row is told once per version. */
export class SeenRows<Row> {
  readonly #idOf: (row: Row) => string;
  readonly #versionOf: (row: Row) => string;
  readonly #isPastEnd: (row: Row) => boolean;
  /** The newest version by id, and the pass that told it first. */
  readonly #told = new Map<string, { readonly version: string; readonly pass: number }>();
  readonly #unreadable = new Set<string>();
  #pass = 0;
  /** Version by id, of this pass: an earlier pass proves nothing about a seam in this one. */
  #joined = new Map<string, string>();

  constructor(rules: {
    readonly idOf: (row: Row) => string;
    readonly versionOf?: (row: Row) => string;
    readonly isPastEnd?: (row: Row) => boolean;
  }) {
    this.#idOf = rules.idOf;
    this.#versionOf = rules.versionOf ?? (() => '');
    this.#isPastEnd = rules.isPastEnd ?? (() => false);
  }

  /** All that was told until now was told without a gap. */
  endPass(): void {
    this.#pass += 1;
    this.restartPass();
  }

  restartPass(): void {
    this.#joined = new Map();
  }

  /**
   * Is the first row that can be read one of this pass, in the same version? One that changed may
   * have moved past rows that were never read.
   */
  joins(page: Page<Row>): boolean {
    const [first] = page.rows;
    return first !== undefined && this.#joined.get(this.#idOf(first)) === this.#versionOf(first);
  }

  /**
   * Remembers a page; only one that joins its pass can prove the seam of the next. `rows` and
   * `unreadable` are what was not told before; `meetsKnown` says that the page holds a row just as
   * an earlier pass told it, `pastEnd` one beyond the caller's end.
   */
  add(
    page: Page<Row>,
    joined: boolean,
  ): {
    rows: Row[];
    unreadable: UnreadableRow[];
    meetsKnown: boolean;
    pastEnd: boolean;
  } {
    const news = { rows: [] as Row[], unreadable: [] as UnreadableRow[] };
    let meetsKnown = false;
    let pastEnd = false;
    for (const row of page.rows) {
      const id = this.#idOf(row);
      const version = this.#versionOf(row);
      if (joined) this.#joined.set(id, version);
      const told = this.#told.get(id);
      const isNews = told?.version !== version;
      if (!isNews && told.pass < this.#pass) meetsKnown = true;
      if (this.#isPastEnd(row)) pastEnd = true;
      else if (isNews) {
        this.#told.set(id, { version, pass: this.#pass });
        news.rows.push(row);
      }
    }
    for (const row of page.unreadable) {
      const key = JSON.stringify([row.id, row.detail]);
      if (this.#unreadable.has(key)) continue;
      this.#unreadable.add(key);
      news.unreadable.push(row);
    }
    return { ...news, meetsKnown, pastEnd };
  }
}
