import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { decode } from '../../../src/intake/decode.ts';
import { Bookkeeper } from '../../../src/store/bookkeeping/bookkeeper.ts';
import type { RecordSource, Writes } from '../../../src/store/port.ts';
import { compareProjections } from '../../../src/store/sqlite/audit/projections.ts';
import { HashNumbers } from '../../../src/store/sqlite/keys/hash-numbers.ts';
import { KeyIndex } from '../../../src/store/sqlite/keys/key-index.ts';
import { SqliteRecords } from '../../../src/store/sqlite/writing/sqlite-records.ts';
import { SqliteWrites } from '../../../src/store/sqlite/writing/sqlite-writes.ts';
import { choices, type Choices } from '../generated-choices.ts';
import { OpenLedger } from '../open-ledger.ts';
import { played } from './random-steps.ts';

const PATIENCE_MS = 240_000;
const BOUNDED = { interruptAfterTimeLimit: 60_000 };

/** A question that the snapshot cannot answer yet; `load` asks the store. */
class NotLoaded extends Error {
  readonly load: () => void;

  constructor(question: string, load: () => void) {
    super(`not loaded: ${question}`);
    this.load = load;
  }
}

/** Answers of a store by question. A question without an answer throws `NotLoaded`. */
class Snapshot {
  readonly #answers = new Map<string, unknown>();

  /** The same object, answering from the snapshot. */
  of<Source extends object>(source: Source, path = ''): Source {
    return new Proxy(source, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        const question = `${path}${String(name)}`;
        if (typeof member === 'object' && member !== null) return this.of(member, `${question}.`);
        if (typeof member !== 'function') return member;
        return (...asked: unknown[]): unknown =>
          this.#answer(`${question} ${textOf(asked)}`, () => {
            const answer: unknown = Reflect.apply(member, target, asked);
            return isIterator(answer) ? [...answer] : answer;
          });
      },
    });
  }

  #answer(question: string, ask: () => unknown): unknown {
    if (this.#answers.has(question)) return this.#answers.get(question);
    throw new NotLoaded(question, () => this.#answers.set(question, ask()));
  }
}

function textOf(asked: unknown): string {
  return JSON.stringify(asked, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

function isIterator(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value;
}

/** Notifications share a commit; evidence and decisions, which scan the store, have their own. */
function batchesOf(facts: readonly Fact[], from: Choices): Fact[][] {
  const batches: Fact[][] = [];
  let isOpen = false;
  for (const fact of facts) {
    const scans = fact.kind === 'custody-record' || fact.kind === 'decision';
    if (scans || !isOpen || from.oneIn(6)) batches.push([]);
    batches.at(-1)?.push(fact);
    isOpen = !scans;
  }
  return batches;
}

/** A store whose reads are asynchronous: it loads what a batch asks for, and takes the batch again. */
class AsynchronousStore {
  readonly open = new OpenLedger();
  /** Flushes between the facts of a batch that had something to write. */
  readonly earlyWrites: number[] = [];
  /** How often the batches were taken. */
  attempts = 0;
  readonly #keys = new KeyIndex(this.open.db);
  readonly #hashes = new HashNumbers(this.#keys);
  readonly #records: RecordSource = new SqliteRecords(this.open.db, this.#keys, this.#hashes);
  readonly #writes = new SqliteWrites(this.open.db, this.#keys, this.#hashes);
  #head = 0;

  async commit(batch: readonly Fact[]): Promise<void> {
    const snapshot = new Snapshot();
    for (;;) {
      const missing = this.#attempt(batch, snapshot.of(this.#records));
      if (missing === undefined) return;
      await Promise.resolve();
      missing.load();
    }
  }

  #attempt(batch: readonly Fact[], source: RecordSource): NotLoaded | undefined {
    this.attempts += 1;
    const written: Writes[] = [];
    const write = (writes: Writes): void => void written.push(writes);
    const keeper = new Bookkeeper({ source, journalHead: this.#head, write, decode });
    try {
      for (const fact of batch) keeper.take(fact);
      for (const early of written) this.earlyWrites.push(...rowsIn(early));
      keeper.flush();
    } catch (error) {
      if (error instanceof NotLoaded) return error;
      throw error;
    }
    this.open.db.transaction(() => written.forEach((writes) => this.#writes.write(writes)))();
    this.#writes.committed();
    this.#head = keeper.nextSeq - 1;
    return undefined;
  }
}

/** How many rows each list of writes has, without the empty ones. */
function rowsIn(writes: Writes): number[] {
  return Object.values(writes).flatMap((rows: unknown) => {
    if (Array.isArray(rows)) return rows.length === 0 ? [] : [rows.length];
    return rows instanceof Map && rows.size > 0 ? [rows.size] : [];
  });
}

test(
  'a batch that is taken again with what it lacked leaves the same records as one read at once',
  async () => {
    const property = fc.asyncProperty(choices, async (stream) => {
      const { play, from } = await played(stream);
      const store = new AsynchronousStore();
      const batches = batchesOf(play.facts, from);
      for (const batch of batches) await store.commit(batch);
      // Each batch lacked something, for it began with an empty snapshot.
      expect(store.attempts).toBeGreaterThanOrEqual(2 * batches.length);
      expect(store.earlyWrites).toEqual([]);
      expect(compareProjections(play.open.db, store.open.db).problems).toEqual([]);
      store.open.close();
      play.open.close();
    });
    await fc.assert(property, { numRuns: 30, ...BOUNDED });
  },
  PATIENCE_MS,
);
