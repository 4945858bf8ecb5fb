import type { Failure, Outcome } from '../custody/outcome.ts';
import type { Place } from '../custody/page-cursor.ts';
import { readPages, type ListReading, type PageEvent } from '../custody/pages.ts';
import type { Page } from '../custody/row.ts';

/** Asks for one page within the time and the budget of whoever reads on now. */
export type AskPage<Row> = (at: Place) => Promise<Outcome<Page<Row>>>;

/** What reading on brought: `paused` where it cannot go on now, and will from there. */
export type NextEvent<Row> = PageEvent<Row> | { readonly kind: 'paused'; readonly cause: Failure };

/**
 * A reading of pages that outlives a run: where the budget, the time or the API ends it, it waits, and
 * goes on from the same place when it is asked again. The list may move meanwhile; the seams of its
 * pages are proven as ever.
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

  async #read(at: Place): Promise<Outcome<Page<Row>>> {
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
