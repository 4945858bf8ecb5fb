import type { Database } from 'better-sqlite3';
import { plus, storedAmount, ZERO, type Amount } from '../../../domain/money/amount.ts';
import { GENESIS_HASH, sealHash } from '../../seal.ts';
import { isDamage } from '../file/open-refusal.ts';
import { JournalReader } from '../journal/journal-reader.ts';
import type { BalanceRow } from '../table/ledger-tables.ts';
import type { SealRow } from '../table/journal-tables.ts';

/** Most problems that a check reports; it only counts the rest. */
const PROBLEMS_SHOWN_MAX = 20;

/** Longest text of a problem: a row that differs may hold a report of many megabytes. */
const PROBLEM_CHARACTERS_MAX = 1_000;

/** The beginning of a text. A slice would keep the whole text in memory; the copy does not. */
function beginningOf(text: string): string {
  if (text.length <= PROBLEM_CHARACTERS_MAX) return text;
  return `${Buffer.from(text.slice(0, PROBLEM_CHARACTERS_MAX)).toString()}…`;
}

/** The result of one check of an audit. `problems`: at most 20 sentences; empty when it passed. */
export interface AuditCheck {
  readonly check:
    /** Of a journal that receivers share; the other checks are of a replica made from it. */
    | 'shared_journal'
    | 'integrity'
    | 'hash_chain'
    | 'entries_balance'
    | 'balances'
    | 'closes'
    | 'keys'
    | 'projections';
  /** Number of rows checked. */
  readonly examined: number;
  readonly problems: readonly string[];
  readonly problemCount: number;
}

/** Collects the problems of a check; it keeps the first 20 and counts all. */
export class Problems {
  readonly #shown: string[] = [];
  #count = 0;

  add(problem: string): void {
    this.#count += 1;
    if (this.#shown.length < PROBLEMS_SHOWN_MAX) this.#shown.push(beginningOf(problem));
  }

  /**
   * Runs a part of a check. Damage that stops it, such as an unreadable page, becomes a problem, and
   * the answer is undefined; other errors are thrown.
   */
  attempt<Result>(part: () => Result): Result | undefined {
    try {
      return part();
    } catch (error) {
      if (!meansDamage(error)) throw error;
      this.add(`check stopped: ${error.message}`);
      return undefined;
    }
  }

  result(check: AuditCheck['check'], examined: number): AuditCheck {
    return { check, examined, problems: this.#shown, problemCount: this.#count };
  }
}

/** Whether an error means that the store is damaged. A full disk or a lock does not. */
function meansDamage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (!('code' in error)) return true;
  const code = String(error.code);
  return isDamage(code) || code.startsWith('SQLITE_CONSTRAINT');
}

interface SchemaItem {
  readonly name: string;
  readonly type: string;
  readonly sql: string | null;
}

function schemaOf(db: Database): Map<string, SchemaItem> {
  const items = db
    .prepare<[], SchemaItem>(
      "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )
    .all();
  return new Map(items.map((item) => [item.name, item]));
}

/**
 * The statement of a table without its comment lines, so that stores of older comments stay sound.
 * Only whole lines count: a fresh statement ends no line inside a text, so a removed line is never
 * a part of one.
 */
function withoutComments(sql: string | null): string | undefined {
  return sql?.replaceAll(/^ *--.*\n/gm, '');
}

/**
 * Compares tables, indexes and append-only triggers with those of a fresh store. A missing index is
 * no problem: it holds nothing of its own, and opening the store for writing adds it.
 */
function checkSchema(db: Database, fresh: Database, problems: Problems): void {
  const stored = schemaOf(db);
  for (const { name, type, sql } of schemaOf(fresh).values()) {
    const found = stored.get(name);
    if (found === undefined) {
      if (type !== 'index') problems.add(`${type} ${name} is missing`);
    } else if (withoutComments(found.sql) !== withoutComments(sql))
      problems.add(`${type} ${name} was altered`);
  }
}

/** Checks pages and indexes with SQLite, foreign keys, and the schema against a fresh store's. */
export function checkIntegrity(db: Database, fresh: Database): AuditCheck {
  const problems = new Problems();
  let examined = 0;
  problems.attempt(() => {
    const rows = db.pragma('integrity_check') as { integrity_check: string }[];
    for (const { integrity_check: line } of rows) if (line !== 'ok') problems.add(line);
    examined = rows.length;
  });
  problems.attempt(() => {
    const dangling = db.pragma('foreign_key_check') as { table: string; rowid: number }[];
    for (const { table, rowid } of dangling) {
      problems.add(`${table} row ${rowid} refers to a missing row`);
    }
  });
  problems.attempt(() => checkSchema(db, fresh, problems));
  return problems.result('integrity', examined);
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

/** Recomputes every seal. It finds each fact that was changed, dropped, added or moved. */
export function checkHashChain(db: Database, tick: (facts: number) => void): AuditCheck {
  const problems = new Problems();
  const journal = new JournalReader(db);
  const seals = db.prepare<[], SealRow>('SELECT * FROM seals ORDER BY commit_number');
  let previous: { hash: Uint8Array; seq: number; commit: number } = {
    hash: GENESIS_HASH,
    seq: 0,
    commit: 0,
  };
  // One at a time: a store has millions of them.
  for (const seal of seals.iterate()) {
    const where = `commit ${seal.commit_number}`;
    if (seal.commit_number !== previous.commit + 1) {
      problems.add(`${where}: the commit before it is missing`);
    }
    if (seal.first_seq !== previous.seq + 1) {
      problems.add(`${where} does not begin after the last fact of the commit before it`);
    }
    if (!sameBytes(seal.previous_hash, previous.hash)) {
      problems.add(`${where} does not have the hash of the commit before it`);
    }
    const rows = journal.between(seal.first_seq, seal.last_seq);
    const complete = rows.length === seal.last_seq - seal.first_seq + 1;
    if (!complete) problems.add(`${where} lacks facts that it sealed`);
    if (
      rows.length > 0 &&
      !sameBytes(sealHash(seal.previous_hash, { sealedAt: seal.sealed_at, rows }), seal.hash)
    ) {
      problems.add(`${where}: its facts (${seal.first_seq}–${seal.last_seq}) were altered`);
    }
    previous = { hash: seal.hash, seq: seal.last_seq, commit: seal.commit_number };
    tick(rows.length);
  }
  if (journal.head() !== previous.seq)
    problems.add(`facts after position ${previous.seq} are not sealed`);
  return problems.result('hash_chain', previous.seq);
}

interface PostingLine {
  readonly entry_id: number;
  readonly ledger_account: number;
  readonly asset: string;
  readonly amount: string;
}

/** Checks that every entry sums to zero per asset, and every balance is the sum of its postings. */
export function checkLedger(
  db: Database,
  tick: (postings: number) => void,
): { entries: AuditCheck; balances: AuditCheck } {
  const lines = db
    .prepare<[], PostingLine>(
      `SELECT entry_id, ledger_account, asset, amount FROM postings
       JOIN ledger_accounts USING (ledger_account) ORDER BY entry_id, line`,
    )
    .iterate();
  const unbalanced = new Problems();
  const balances = new Map<number, Amount>();
  let entry = { id: 0, sums: new Map<string, Amount>() };
  let examined = 0;
  const closeEntry = (): void => {
    for (const [asset, sum] of entry.sums) {
      if (sum !== ZERO) unbalanced.add(`entry ${entry.id} is off by ${sum} ${asset}`);
    }
  };
  for (const line of lines) {
    if (line.entry_id !== entry.id) {
      closeEntry();
      entry = { id: line.entry_id, sums: new Map() };
    }
    const amount = amountOf(line.amount);
    if (amount === undefined) {
      unbalanced.add(
        `entry ${line.entry_id} holds ${JSON.stringify(line.amount)}, which is not an amount`,
      );
      continue;
    }
    entry.sums.set(line.asset, plus(entry.sums.get(line.asset) ?? ZERO, amount));
    balances.set(line.ledger_account, plus(balances.get(line.ledger_account) ?? ZERO, amount));
    examined += 1;
    tick(1);
  }
  closeEntry();
  return {
    entries: unbalanced.result('entries_balance', examined),
    balances: checkBalances(db, balances),
  };
}

const STORED_AMOUNT = /^(0|-?[1-9][0-9]*)$/;

/** Reads an amount in the form in which this program writes it. Undefined for any other text. */
function amountOf(text: string): Amount | undefined {
  return STORED_AMOUNT.test(text) ? storedAmount(text) : undefined;
}

/** `sums`: what the postings sum to, by ledger account. The check empties the map. */
function checkBalances(db: Database, sums: Map<number, Amount>): AuditCheck {
  const problems = new Problems();
  const balances = db.prepare<[], BalanceRow>('SELECT * FROM balances');
  let examined = 0;
  const check = (account: number, kept: string): void => {
    const sum = sums.get(account) ?? ZERO;
    if (sum.toString() === kept) return;
    problems.add(`ledger account ${account}: balance ${kept}, its postings sum to ${sum}`);
  };
  for (const { ledger_account: account, amount } of balances.iterate()) {
    check(account, amount);
    sums.delete(account);
    examined += 1;
  }
  for (const account of sums.keys()) check(account, '0');
  return problems.result('balances', examined);
}
