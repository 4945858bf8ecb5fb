import type { Database } from 'better-sqlite3';
import type { CloseRecord } from '../../../domain/close/record.ts';
import type { Fact } from '../../../domain/fact/fact.ts';
import { computeDay, packDay } from '../../close/close-day.ts';
import { CLOSE_DETAIL } from '../../codec/fact.ts';
import type { CloseSource } from '../../port.ts';
import type { JournalRow } from '../../records.ts';
import { JournalReader } from '../journal/journal-reader.ts';

type PositionedClose = CloseRecord & Required<Pick<CloseRecord, 'asOf'>>;

function closeIn(fact: Fact): PositionedClose | undefined {
  if (fact.kind !== 'custody-record' || fact.record.kind !== 'close') return undefined;
  const { asOf, ...rest } = fact.record;
  return asOf === undefined ? undefined : { ...rest, asOf };
}

/**
 * Computes each closed day's report when a replay reaches the journal position at which a reader
 * computed it. The fact that names this position follows later, so all closes are read first.
 */
export class ReplayedCloses {
  /** By the position at which a day was computed: the position of the fact that closes the day. */
  readonly #closedAt = new Map<number, number>();
  readonly #closeAt: (seq: number) => PositionedClose | undefined;
  readonly #source: CloseSource;
  #computed: string | undefined;

  /** `from`: the store whose journal is replayed. `source`: the records of the replay. */
  constructor(from: Database, source: CloseSource, read: (row: JournalRow) => Fact) {
    this.#source = source;
    const journal = new JournalReader(from);
    // Read again when it is needed: a close lists the day's transactions, and years have many closes.
    this.#closeAt = (seq) => {
      const row = journal.at(seq);
      return row && closeIn(read(row));
    };
    const seqs = from
      .prepare<[string], number>(
        "SELECT seq FROM journal WHERE kind = 'custody-record' AND detail = ? ORDER BY seq",
      )
      .pluck()
      .all(CLOSE_DETAIL);
    for (const seq of seqs) {
      const close = this.#closeAt(seq);
      if (close !== undefined) this.#closedAt.set(close.asOf.seq, seq);
    }
  }

  /** Call after the fact at `seq`. `flush` writes the pending records first. */
  passed(seq: number, flush: () => void): void {
    const closedAt = this.#closedAt.get(seq);
    const close = closedAt === undefined ? undefined : this.#closeAt(closedAt);
    if (close === undefined) return;
    flush();
    this.#computed = packDay(computeDay(close, this.#source, close.asOf.at));
  }

  /** The fact with its computed day, if it is a close that names a position. */
  completed(fact: Fact): Fact {
    if (fact.kind !== 'custody-record' || closeIn(fact) === undefined) return fact;
    return this.#computed === undefined ? fact : { ...fact, computed: this.#computed };
  }
}
