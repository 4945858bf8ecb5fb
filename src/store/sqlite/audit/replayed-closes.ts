import type { Database } from 'better-sqlite3';
import type { CloseRecord } from '../../../domain/close/record.ts';
import type { Fact } from '../../../domain/fact/fact.ts';
import { computeDay, packDay } from '../../close/close-day.ts';
import { CLOSE_DETAIL } from '../../codec/fact.ts';
import type { CloseSource, JournalRow } from '../../records.ts';
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
  readonly #bySeq = new Map<number, PositionedClose>();
  readonly #source: CloseSource;
  #computed: string | undefined;

  /** `from`: the store whose journal is replayed. `source`: the records of the replay. */
  constructor(from: Database, source: CloseSource, read: (row: JournalRow) => Fact) {
    this.#source = source;
    const journal = new JournalReader(from);
    const seqs = from
      .prepare<[string], number>(
        "SELECT seq FROM journal WHERE kind = 'custody-record' AND detail = ? ORDER BY seq",
      )
      .pluck()
      .all(CLOSE_DETAIL);
    for (const seq of seqs) {
      const row = journal.at(seq);
      const close = row && closeIn(read(row));
      if (close !== undefined) this.#bySeq.set(close.asOf.seq, close);
    }
  }

  /** Call after the fact at `seq`. `flush` writes the pending records first. */
  passed(seq: number, flush: () => void): void {
    const close = this.#bySeq.get(seq);
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
