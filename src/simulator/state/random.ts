import { createHash } from 'node:crypto';
import type { State } from './state.ts';
import type { Table } from './table.ts';

interface Counter {
  drawn: number;
}

/**
 * A seeded random generator. Its only state is a counter in `State`. Each part of the core has a
 * stream of its own name, so one part's draws never shift another's: the timing of deliveries must
 * not change the ids of the world.
 */
export class Random {
  readonly #prefix: string;
  readonly #stream: string;
  readonly #counters: Table<Counter>;

  constructor(state: State, stream: string) {
    this.#prefix = `${state.seed}|${stream}|`;
    this.#stream = stream;
    this.#counters = state.table<Counter>('random');
  }

  /** Draws 32 bytes. */
  block(): Buffer {
    const drawn = this.#counters.get(this.#stream)?.drawn ?? 0;
    this.#counters.put(this.#stream, { drawn: drawn + 1 });
    return createHash('sha256').update(`${this.#prefix}${drawn}`).digest();
  }

  /** Draws `length` bytes as lower-case hex; at most 32. */
  hex(length: number): string {
    return this.block().toString('hex', 0, length);
  }

  /** Draws an id in the form of a version 4 UUID. */
  uuid(): string {
    return uuidOf(this.block());
  }

  /** Draws a number in [0, 1). Never use it for amounts. */
  fraction(): number {
    return this.block().readUIntBE(0, 6) / 2 ** 48;
  }
}

/**
 * Makes an id in the form of a version 4 UUID from a name. The same name gives the same id. For
 * concurrent work, whose order the seed does not fix.
 */
export function namedUuid(seed: string, name: string): string {
  return uuidOf(createHash('sha256').update(`${seed}|${name}`).digest());
}

function uuidOf(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const text = bytes.toString('hex', 0, 16);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}
