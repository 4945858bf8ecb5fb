import Database from 'better-sqlite3';
import type { Fact } from '../../domain/fact.ts';
import { Bookkeeper } from '../bookkeeper.ts';
import type { CommitResult, DecodeBody, FactOutcome, Ledger } from '../port.ts';
import type { JournalRow, Writes } from '../records.ts';
import { GENESIS_HASH, sealHash } from '../seal.ts';
import { SqliteRecords } from './sqlite-records.ts';
import { SqliteWrites } from './sqlite-writes.ts';
import { insertInto } from './statement.ts';

interface ChainHead {
  readonly commitNumber: number;
  readonly lastSeq: number;
  readonly hash: Uint8Array;
}

/** SQLite result codes that say "not now" rather than "never": the sender must retry. */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOMEM|READONLY|CANTOPEN|PROTOCOL)/;

/**
 * The one writer of a SQLite store. A commit is one immediate transaction: facts are applied in
 * order, sealed into the journal's hash chain, and fsynced once.
 */
export class SqliteLedger implements Ledger {
  readonly #db: Database.Database;
  readonly #decode: DecodeBody;
  readonly #now: () => number;
  readonly #records: SqliteRecords;
  readonly #writes: SqliteWrites;
  readonly #insertSeal;
  readonly #lastSeal;
  readonly #transact: (facts: readonly Fact[]) => { outcomes: FactOutcome[]; head: ChainHead };
  #head: ChainHead;

  constructor(db: Database.Database, options: { decode: DecodeBody; now: () => number }) {
    this.#db = db;
    this.#decode = options.decode;
    this.#now = options.now;
    this.#records = new SqliteRecords(db);
    this.#writes = new SqliteWrites(db);
    this.#insertSeal = insertInto(db, 'seals');
    this.#lastSeal = db.prepare<[], ChainHead>(
      `SELECT commit_number AS commitNumber, last_seq AS lastSeq, hash FROM seals
       ORDER BY commit_number DESC LIMIT 1`,
    );
    this.#head = this.#readHead();
    const transaction = db.transaction((facts: readonly Fact[]) => this.#applyAll(facts));
    this.#transact = (facts) => transaction.immediate(facts);
  }

  async commit(facts: readonly Fact[]): Promise<CommitResult> {
    try {
      const { outcomes, head } = this.#transact(facts);
      this.#head = head;
      return { kind: 'committed', outcomes };
    } catch (error) {
      this.#writes.forget();
      if (error instanceof Database.SqliteError && UNAVAILABLE.test(error.code)) {
        return { kind: 'unavailable', cause: `${error.code}: ${error.message}` };
      }
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }

  #readHead(): ChainHead {
    return this.#lastSeal.get() ?? { commitNumber: 0, lastSeq: 0, hash: GENESIS_HASH };
  }

  #applyAll(facts: readonly Fact[]): { outcomes: FactOutcome[]; head: ChainHead } {
    const sealed: JournalRow[] = [];
    const write = (writes: Writes): void => {
      this.#writes.write(writes);
      sealed.push(...writes.journal);
    };
    const keeper = new Bookkeeper({
      source: this.#records,
      journalHead: this.#head.lastSeq,
      write,
      decode: this.#decode,
    });
    const outcomes = facts.map((fact) => keeper.take(fact));
    keeper.flush();
    return { outcomes, head: this.#seal(sealed) };
  }

  #seal(rows: readonly JournalRow[]): ChainHead {
    const first = rows[0];
    const last = rows.at(-1);
    if (first === undefined || last === undefined) return this.#head;
    const sealedAt = this.#now();
    const hash = sealHash(this.#head.hash, { sealedAt, rows });
    const commitNumber = this.#head.commitNumber + 1;
    this.#insertSeal.run({
      commit_number: commitNumber,
      first_seq: first.seq,
      last_seq: last.seq,
      sealed_at: sealedAt,
      previous_hash: this.#head.hash,
      hash,
    });
    return { commitNumber, lastSeq: last.seq, hash };
  }
}
