import type { Page, UnreadableRow } from './row.ts';

/** The rows that a reading reported, so that it reports each version once. */
export class SeenRows<Row> {
  readonly #idOf: (row: Row) => string;
  readonly #versionOf: (row: Row) => string;
  readonly #isPastEnd: (row: Row) => boolean;
  readonly #includesPastEnd: boolean;
  /** The newest version by id, and the pass that reported it first. */
  readonly #reported = new Map<string, { readonly version: string; readonly pass: number }>();
  readonly #unreadable = new Set<string>();
  #pass = 0;
  /** Version by id in this pass: an earlier pass proves nothing about a seam in this one. */
  #joined = new Map<string, string>();

  constructor(rules: {
    readonly idOf: (row: Row) => string;
    readonly versionOf?: (row: Row) => string;
    readonly isPastEnd?: (row: Row) => boolean;
    readonly includesPastEnd?: boolean;
  }) {
    this.#idOf = rules.idOf;
    this.#versionOf = rules.versionOf ?? (() => '');
    this.#isPastEnd = rules.isPastEnd ?? (() => false);
    this.#includesPastEnd = rules.includesPastEnd ?? false;
  }

  /** All reported rows were read without a gap. */
  endPass(): void {
    this.#pass += 1;
    this.restartPass();
  }

  restartPass(): void {
    this.#joined = new Map();
  }

  /**
   * Whether the first readable row belongs to this pass, in the same version. A changed row may
   * have moved past rows that were never read.
   */
  joins(page: Page<Row>): boolean {
    const [first] = page.rows;
    return first !== undefined && this.#joined.get(this.#idOf(first)) === this.#versionOf(first);
  }

  /**
   * Adds a page. Only a page that joins its pass proves the seam of the next one. `rows` and
   * `unreadable` are new. `meetsKnown`: the page holds a row in the version of an earlier pass.
   * `pastEnd`: its last row is past the caller's end.
   */
  add(
    page: Page<Row>,
    joined: boolean,
  ): {
    rows: Row[];
    unreadable: UnreadableRow<Row>[];
    meetsKnown: boolean;
    pastEnd: boolean;
  } {
    const news = { rows: [] as Row[], unreadable: [] as UnreadableRow<Row>[] };
    let meetsKnown = false;
    let pastEnd = false;
    for (const row of page.rows) {
      const id = this.#idOf(row);
      const version = this.#versionOf(row);
      if (joined) this.#joined.set(id, version);
      const reported = this.#reported.get(id);
      const isNews = reported?.version !== version;
      if (!isNews && reported.pass < this.#pass) meetsKnown = true;
      const isPastEnd = this.#isPastEnd(row);
      // Among newer rows, a row is shown as it was earlier: the rows after it are not past the end.
      pastEnd = isPastEnd;
      if (isNews && (!isPastEnd || this.#includesPastEnd)) {
        this.#reported.set(id, { version, pass: this.#pass });
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
