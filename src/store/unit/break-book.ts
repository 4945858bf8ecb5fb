import {
  foundAgain,
  opened,
  RECONCILER,
  resolved,
  saysNothingNew,
  type Break,
  type BreakStep,
  type BreakType,
  type Finding,
} from '../../domain/break/break.ts';
import { addTo } from '../../domain/counts.ts';
import type { BreakId, IdMint } from '../../domain/ids.ts';
import type { RecordSource } from '../port.ts';
import type { StoredBreakEvent } from '../records.ts';

interface At {
  readonly seq: number;
  readonly at: number;
}

/** The breaks that a batch of facts changes: at most one is unresolved per key. */
export class BreakBook {
  readonly #source: Pick<RecordSource, 'unresolvedBreak' | 'run'>;
  /** By key, the newest: unresolved, or resolved in this batch. Null where none is unresolved. */
  readonly #newest = new Map<string, Break | null>();
  /** In the order of their first change: a resolved one is written before the next of its key. */
  readonly #changed = new Map<BreakId, Break>();
  #events: StoredBreakEvent[] = [];
  /** By type, how many more are unresolved than the store has. */
  #grown = new Map<BreakType, number>();

  constructor(source: Pick<RecordSource, 'unresolvedBreak' | 'run'>) {
    this.#source = source;
  }

  /** How many keys are in memory. */
  get size(): number {
    return this.#newest.size;
  }

  /** Forgets the breaks in memory. The caller has written everything. */
  letGo(): void {
    this.#newest.clear();
  }

  unresolved(key: string): Break | undefined {
    let known = this.#newest.get(key);
    if (known === undefined) {
      known = this.#source.unresolvedBreak(key) ?? null;
      this.#newest.set(key, known);
    }
    return known === null || known.state === 'resolved' ? undefined : known;
  }

  put({ after, event }: BreakStep, seq: number): void {
    // A note on a resolved break does not make it the newest of its key.
    const isNewest = after.state !== 'resolved' || event.action === 'resolved';
    if (isNewest) this.#newest.set(after.key, after);
    this.#changed.set(after.breakId, after);
    this.#events.push({ ...event, seq });
    if (event.action === 'opened') addTo(this.#grown, after.type, 1);
    if (event.action === 'resolved') addTo(this.#grown, after.type, -1);
  }

  /** Opens a break, or updates the open one of its key; the history keeps both findings. */
  find(found: Finding, fact: At & { readonly mint: IdMint }): void {
    const known = this.unresolved(found.key);
    if (known === undefined) {
      this.put(opened(found, fact.mint.break(), fact.at), fact.seq);
      return;
    }
    if (!saysNothingNew(known, found)) this.put(foundAgain(known, found, fact.at), fact.seq);
  }

  heal(key: string, reason: string, { seq, at }: At): void {
    const known = this.unresolved(key);
    if (known === undefined) return;
    this.put(resolved(known, { actor: RECONCILER, reason, at }), seq);
  }

  /** How many are unresolved, including unwritten ones. */
  unresolvedCount(types: readonly BreakType[]): number {
    const grown = types.reduce((sum, type) => sum + (this.#grown.get(type) ?? 0), 0);
    return this.#source.run.unresolvedCount(types) + grown;
  }

  /** Returns the changes since the last call. The breaks stay in memory. */
  takeWrites(): { breaks: readonly Break[]; breakEvents: readonly StoredBreakEvent[] } {
    const writes = { breaks: [...this.#changed.values()], breakEvents: this.#events };
    this.#events = [];
    this.#grown = new Map();
    this.#changed.clear();
    return writes;
  }
}
