import type { Outcome } from '../../../src/custody/call/outcome.ts';
import type { ListReading } from '../../../src/custody/list/pages.ts';
import type { PageRequest } from '../../../src/custody/list/page-cursor.ts';
import type { Page } from '../../../src/custody/list/row.ts';
export interface Row {
  readonly id: string;
  readonly at: number;
}

/** A list that the test may change before each read. */
export class MovingList {
  rows: Row[];
  readonly asked: PageRequest[] = [];
  /** Called before the read with that number, from 1. */
  before: (read: number) => void = () => undefined;
  spoil: (page: Page<Row>, read: number) => Outcome<Page<Row>> = (page) => ({
    kind: 'ok',
    value: page,
  });
  #clock: number;

  constructor(count: number) {
    this.rows = Array.from({ length: count }, (_, index) => ({
      id: `r${index}`,
      at: count - index,
    }));
    this.#clock = count;
  }

  insertAtHead(id: string): void {
    this.rows.unshift({ id, at: ++this.#clock });
  }

  update(id: string, to: 'head' | 'tail'): void {
    this.remove(id);
    const row = { id, at: ++this.#clock };
    if (to === 'head') this.rows.unshift(row);
    else this.rows.push(row);
  }

  remove(id: string): void {
    this.rows = this.rows.filter((row) => row.id !== id);
  }

  reading(options: Partial<ListReading<Row>> = {}): ListReading<Row> {
    return {
      read: ({ page, pageSize }) => {
        this.asked.push({ page, pageSize });
        this.before(this.asked.length);
        const rows = this.rows.slice(page * pageSize, (page + 1) * pageSize);
        const whole = { rows, unreadable: [], page, pageSize, total: this.rows.length };
        return Promise.resolve(this.spoil(whole, this.asked.length));
      },
      idOf: (row) => row.id,
      versionOf: (row) => String(row.at),
      newestFirst: true,
      pageSizeMax: 100,
      ...options,
    };
  }
}
