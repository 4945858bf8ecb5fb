import type { Database } from 'better-sqlite3';
import { plus, storedAmount, type Amount } from '../../../domain/money/amount.ts';
import { unbalancedAssets, type Entry, type LedgerAccount } from '../../../domain/money/entry.ts';
import type { PostedEntry } from '../../records.ts';
import type { HashNumbers } from '../keys/hash-numbers.ts';
import type { BalanceRow } from '../table/ledger-tables.ts';
import { insertInto } from '../table/statement.ts';

/** Ledger accounts kept in memory with their balances, so that a posting need not look them up. */
const ACCOUNTS_CACHED_MAX = 100_000;

function accountKey(account: LedgerAccount): string {
  const { view, kind, vaultId, accountId, addressId, memo, asset } = account;
  return [view, kind, vaultId, accountId ?? '', addressId ?? '', memo ?? '', asset].join('\u0000');
}

/** A ledger account's balance, and the two newest entries that posted to it; null for none. */
interface AccountState {
  amount: Amount;
  newestEntry: number | null;
  previousEntry: number | null;
}

/** Writes entries and their postings, and keeps every touched balance in step. */
export class LedgerWriter {
  readonly #accounts = new Map<string, number>();
  readonly #states = new Map<number, AccountState>();
  readonly #entries;
  readonly #postings;
  readonly #insertAccount;
  readonly #putBalance;
  readonly #findAccount;
  readonly #lastAccount;
  readonly #balance;
  readonly #hashes: HashNumbers;

  constructor(db: Database, hashes: HashNumbers) {
    this.#hashes = hashes;
    this.#entries = insertInto(db, 'entries');
    this.#postings = insertInto(db, 'postings');
    this.#insertAccount = insertInto(db, 'ledger_accounts');
    this.#putBalance = db.prepare<[number, string, number | null]>(
      `INSERT INTO balances (ledger_account, amount, newest_entry) VALUES (?, ?, ?)
       ON CONFLICT (ledger_account) DO UPDATE
       SET amount = excluded.amount, newest_entry = excluded.newest_entry`,
    );
    this.#findAccount = db
      .prepare<string[], number>(
        `SELECT ledger_account FROM ledger_accounts
         WHERE vault_id = ? AND view = ? AND kind = ? AND account_id = ? AND address_id = ?
           AND memo = ? AND asset = ?`,
      )
      .pluck();
    this.#lastAccount = db
      .prepare<[], number>('SELECT coalesce(max(ledger_account), 0) FROM ledger_accounts')
      .pluck();
    this.#balance = db.prepare<[number], BalanceRow>(
      'SELECT * FROM balances WHERE ledger_account = ?',
    );
  }

  /** Forgets what a transaction that did not commit may have put in memory. */
  forget(): void {
    this.#accounts.clear();
    this.#states.clear();
  }

  write(entries: readonly PostedEntry[]): void {
    const touched = new Map<number, AccountState>();
    for (const { entry, seq, postedAt } of entries) {
      const unbalanced = unbalancedAssets(entry.postings);
      if (unbalanced.length > 0) {
        throw new Error(`entry ${entry.entryId} does not sum to zero for ${unbalanced.join(', ')}`);
      }
      this.#entries.run({
        entry_id: entry.entryId,
        seq,
        view: entry.view,
        source: entry.source,
        cause: entry.cause,
        vault_id: entry.vaultId,
        hash_id: this.#hashes.of(entry),
        network: entry.network,
        blockchain_hash: entry.blockchainHash,
        transaction_id: entry.transactionId,
        reverses: entry.reverses,
        posted_at: postedAt,
      });
      this.#post(entry, touched);
    }
    for (const [id, { amount, newestEntry }] of touched) {
      this.#putBalance.run(id, amount.toString(), newestEntry);
    }
    // Only between two calls: `touched` holds states that the store does not have yet.
    if (this.#accounts.size >= ACCOUNTS_CACHED_MAX) this.forget();
  }

  /** Writes an entry's postings. Two of them may have the same account. */
  #post({ entryId, postings }: Entry, touched: Map<number, AccountState>): void {
    for (const [line, { account, amount, change }] of postings.entries()) {
      const id = this.numberOf(account);
      const state = this.#stateOf(id);
      state.amount = plus(state.amount, amount);
      if (state.newestEntry !== entryId) {
        state.previousEntry = state.newestEntry;
        state.newestEntry = entryId;
      }
      this.#postings.run({
        entry_id: entryId,
        line,
        ledger_account: id,
        change_kind: change,
        amount: amount.toString(),
        previous_entry: state.previousEntry,
      });
      touched.set(id, state);
    }
  }

  #stateOf(account: number): AccountState {
    const known = this.#states.get(account);
    if (known !== undefined) return known;
    const row = this.#balance.get(account);
    const state = {
      amount: storedAmount(row?.amount ?? '0'),
      newestEntry: row?.newest_entry ?? null,
      previousEntry: null,
    };
    this.#states.set(account, state);
    return state;
  }

  /** The number of a ledger account; a new account gets the next one. */
  numberOf(account: LedgerAccount): number {
    const key = accountKey(account);
    const cached = this.#accounts.get(key);
    if (cached !== undefined) return cached;
    const { view, kind, vaultId, asset } = account;
    const accountId = account.accountId ?? '';
    const addressId = account.addressId ?? '';
    const memo = account.memo ?? '';
    const known = this.#findAccount.get(vaultId, view, kind, accountId, addressId, memo, asset);
    const id = known ?? (this.#lastAccount.get() ?? 0) + 1;
    if (known === undefined) {
      this.#insertAccount.run({
        ledger_account: id,
        view,
        kind,
        vault_id: vaultId,
        account_id: accountId,
        address_id: addressId,
        memo,
        asset,
      });
    }
    this.#accounts.set(key, id);
    return id;
  }
}
