import { addTo } from '../../domain/counts.ts';
import { positionSums, type Entry } from '../../domain/money/entry.ts';
import {
  isAtOdds,
  moved,
  newMovement,
  agreementOf,
  type Movement,
  type MovementKey,
} from '../../domain/money/movement.ts';
import { TwoPeriodCache } from './two-period-cache.ts';
import type { MovementCounts } from '../records.ts';
import type { Writes } from '../port.ts';

function keyOf(key: MovementKey): string {
  return `${key.network}\u0000${key.blockchainHash}\u0000${key.vaultId}\u0000${key.asset}`;
}

/** The movements that a batch of facts changes, and how the counts by agreement have changed. */
export class MovementSums {
  readonly #stored: (key: MovementKey) => Movement | undefined;
  readonly #storedCounts: () => MovementCounts;
  readonly #movements = new TwoPeriodCache<string, Movement>();
  readonly #changed = new Map<string, Movement>();
  #counts = new Map<keyof MovementCounts, number>();

  constructor(
    stored: (key: MovementKey) => Movement | undefined,
    storedCounts: () => MovementCounts,
  ) {
    this.#stored = stored;
    this.#storedCounts = storedCounts;
  }

  /** How many movements were read in this period. */
  get size(): number {
    return this.#movements.size;
  }

  /** Forgets what was not read in this period. The caller has written everything. */
  age(): void {
    this.#movements.age();
  }

  get(key: MovementKey): Movement | undefined {
    return this.#known(keyOf(key), key);
  }

  /** Adds the sums of an entry, per asset. */
  post(entry: Entry, at: number): void {
    const { vaultId, network, blockchainHash, view } = entry;
    for (const [asset, amount] of positionSums(entry)) {
      const key = { vaultId, network, blockchainHash, asset };
      const name = keyOf(key);
      const before = this.#known(name, key);
      this.#put(name, before, moved(before ?? newMovement(key, at), { view, amount, at }));
    }
  }

  /** Replaces a movement by the one that a rule made of it. */
  put(movement: Movement): void {
    const name = keyOf(movement);
    this.#put(name, this.#known(name, movement), movement);
  }

  /** How many movements of a kind there are, including unwritten ones. */
  count(kind: keyof MovementCounts): number {
    return this.#storedCounts()[kind] + (this.#counts.get(kind) ?? 0);
  }

  takeWrites(): Pick<Writes, 'movements' | 'movementCounts'> {
    const movements = [...this.#changed.values()];
    const movementCounts = this.#counts;
    this.#changed.clear();
    this.#counts = new Map();
    return { movements, movementCounts };
  }

  #known(name: string, key: MovementKey): Movement | undefined {
    return this.#movements.get(name) ?? this.#stored(key);
  }

  #put(name: string, before: Movement | undefined, after: Movement): void {
    if (before !== undefined) this.#count(before, -1);
    this.#count(after, 1);
    this.#movements.set(name, after);
    this.#changed.set(name, after);
  }

  #count(movement: Movement, by: 1 | -1): void {
    addTo(this.#counts, agreementOf(movement), by);
    if (movement.compared === 'never' && isAtOdds(movement)) addTo(this.#counts, 'uncompared', by);
  }
}
