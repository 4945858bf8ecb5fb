import { topicsOf, type Topic } from './topics.ts';

type Listener = (topics: ReadonlySet<Topic>) => void;

/** Announces to open pages what commits changed. */
export class Changes {
  readonly #listeners = new Set<Listener>();
  readonly #closers = new Set<() => void>();

  /** Open pages now. */
  get listening(): number {
    return this.#listeners.size;
  }

  /** `kinds`: of the facts that a commit took. */
  committed(kinds: ReadonlySet<string>): void {
    if (this.#listeners.size === 0) return;
    const topics = topicsOf(kinds);
    for (const listener of this.#listeners) listener(topics);
  }

  /** Calls `listener` at each change until the returned function is called; `closed` at the end. */
  listen(listener: Listener, closed: () => void): () => void {
    this.#listeners.add(listener);
    this.#closers.add(closed);
    return () => {
      this.#listeners.delete(listener);
      this.#closers.delete(closed);
    };
  }

  /** Ends every open page's stream: a shutdown waits for no viewer. */
  close(): void {
    for (const closed of this.#closers) closed();
  }
}
