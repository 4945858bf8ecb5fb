type Listener = (topics: Iterable<string>) => void;

/** The open pages. It announces to them which topics changed. */
export class Listeners {
  readonly #listeners = new Set<Listener>();
  readonly #closers = new Set<() => void>();

  /** Open pages now. */
  get listening(): number {
    return this.#listeners.size;
  }

  announce(topics: Iterable<string>): void {
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
