import { createHash } from 'node:crypto';
import type { State } from './state.ts';
import type { Table } from './table.ts';

interface Counter {
  drawn: number;
}

/**
 * A seeded generator whose only state is a counter in `State`. Each subsystem draws from a stream
 * of its own name, so that one's draws never shift another's: the timing of deliveries must not
 * change the ids of the world.
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

  /** 32 fresh bytes. */
  block(): Buffer {
    const drawn = this.#counters.get(this.#stream)?.drawn ?? 0;
    this.#counters.put(this.#stream, { drawn: drawn + 1 });
    return createHash('sha256').update(`${this.#prefix}${drawn}`).digest();
  }

  /** `length` bytes as lower-case hex; at most 32. */
  hex(length: number): string {
    return this.block().toString('hex', 0, length);
  }

  /** Shaped like a version 4 UUID. */
  uuid(): string {
    return uuidOf(this.block());
  }

  /** A number in [0, 1). Never for amounts. */
  fraction(): number {
    return this.block().readUIntBE(0, 6) / 2 ** 48;
  }
}

/**
 * Shaped like a version 4 UUID, the same for the same name: for what concurrent work names, in an
 * order that a seed does not fix.
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
