import type { Failure, Outcome } from '../../custody/call/outcome.ts';
import type { PageRequest } from '../../custody/list/page-cursor.ts';
import { readPages, type ListReading, type PageEvent } from '../../custody/list/pages.ts';
import type { Page } from '../../custody/list/row.ts';

/** Requests one page within the time and budget of the current reader. */
export type AskPage<Row> = (at: PageRequest) => Promise<Outcome<Page<Row>>>;

/** The next event of a reading. `paused`: it cannot continue now, and resumes from this page later. */
export type NextEvent<Row> = PageEvent<Row> | { readonly kind: 'paused'; readonly cause: Failure };

/**
 * A reading that spans several runs. When budget, time or the API stops it, it resumes from the same
 * page later. The list may shift meanwhile; the overlap of two pages proves that no row was missed.
 */
export class PausedList<Row> {
  readonly #pages: AsyncGenerator<PageEvent<Row>, void, undefined>;
  #pending: Promise<IteratorResult<PageEvent<Row>, void>> | undefined;
  #ask: AskPage<Row> | undefined;
  #resume: (ask: AskPage<Row>) => void = () => undefined;
  #pause: (cause: Failure) => void = () => undefined;

  constructor(reading: Omit<ListReading<Row>, 'read'>) {
    this.#pages = readPages({ ...reading, read: (at) => this.#read(at) });
  }

  async next(ask: AskPage<Row>): Promise<NextEvent<Row>> {
    const paused = new Promise<NextEvent<Row>>((resolve) => {
      this.#pause = (cause) => resolve({ kind: 'paused', cause });
    });
    this.#ask = ask;
    this.#resume(ask);
    this.#pending ??= this.#pages.next();
    const first = await Promise.race([this.#pending, paused]);
    if ('kind' in first) return first;
    this.#pending = undefined;
    if (first.done === true) throw new Error('a reading of pages was asked for more after its end');
    return first.value;
  }

  async #read(at: PageRequest): Promise<Outcome<Page<Row>>> {
    for (;;) {
      const ask = this.#ask ?? (await this.#resumed());
      const answer = await ask(at);
      if (answer.kind !== 'rate-budget' && answer.kind !== 'unavailable') return answer;
      this.#ask = undefined;
      const resumed = this.#resumed();
      this.#pause(answer);
      await resumed;
    }
  }

  #resumed(): Promise<AskPage<Row>> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }
}
