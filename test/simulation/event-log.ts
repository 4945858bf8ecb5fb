import { createHash } from 'node:crypto';

/** Lines kept for the report of a failure. */
const TAIL_LINES = 60;

/** Events in order. The digest distinguishes two runs; the tail shows the events before a failure. */
export class EventLog {
  readonly #hash = createHash('sha256');
  readonly #now: () => number;
  readonly #startMs: number;
  readonly #echo: ((line: string) => void) | undefined;
  #tail: string[] = [];
  #lines = 0;

  /** `echo` gets every line as it is written. */
  constructor(options: { now: () => number; echo?: ((line: string) => void) | undefined }) {
    this.#now = options.now;
    this.#echo = options.echo;
    this.#startMs = options.now();
  }

  add(text: string): void {
    const line = `${((this.#now() - this.#startMs) / 1000).toFixed(3)} ${text}`;
    this.#hash.update(line).update('\n');
    this.#lines += 1;
    this.#echo?.(line);
    this.#tail.push(line);
    if (this.#tail.length > 2 * TAIL_LINES) this.#tail = this.#tail.slice(-TAIL_LINES);
  }

  get lines(): number {
    return this.#lines;
  }

  tail(): readonly string[] {
    return this.#tail.slice(-TAIL_LINES);
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
