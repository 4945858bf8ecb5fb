import { SHORT_BYTES } from './body-memory.ts';

/**
 * Most bytes of long bodies processed at a time; a single longer body is allowed. A long body may
 * take a hundred times as long to read and book as a short one, and must not delay short ones.
 */
const UNDER_WAY_BYTES_MAX = 65_536;

interface QueuedBody {
  readonly bytes: number;
  readonly go: () => void;
}

/** Processes long bodies in order of arrival, within a limit. Short bodies never wait. */
export class LongBodyQueue {
  readonly #queued: QueuedBody[] = [];
  #underWay = 0;

  /**
   * Runs `take` for a body of `bytes` bytes: a short one at once, a long one when it is its turn.
   */
  async pass<Taken>(bytes: number, take: () => Promise<Taken>): Promise<Taken> {
    if (bytes <= SHORT_BYTES) return take();
    await new Promise<void>((go) => {
      this.#queued.push({ bytes, go });
      this.#admit();
    });
    try {
      return await take();
    } finally {
      this.#underWay -= bytes;
      this.#admit();
    }
  }

  #admit(): void {
    for (let next = this.#queued[0]; next !== undefined; next = this.#queued[0]) {
      if (this.#underWay > 0 && this.#underWay + next.bytes > UNDER_WAY_BYTES_MAX) return;
      this.#underWay += next.bytes;
      this.#queued.shift();
      next.go();
    }
  }
}
