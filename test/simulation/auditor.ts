import { createHash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import type { CreditingRule } from './crediting-rules.ts';

/** One change on one address of ours, as the chain made it. */
export interface TrueMovement {
  readonly vaultId: string;
  readonly accountId: string;
  readonly addressId: string;
  readonly memo: string | null;
  readonly asset: string;
  readonly amount: bigint;
  readonly tags: readonly string[];
}

export interface TrueTransaction {
  readonly network: string;
  readonly blockchainHash: string;
  readonly status: string;
  readonly confirmations: number;
  /** Set when the platform itself sent it. */
  readonly transactionId: string | null;
  readonly movements: readonly TrueMovement[];
}

export interface TrueBalance {
  readonly vaultId: string;
  readonly accountId: string;
  readonly addressId: string;
  readonly memo: string | null;
  readonly asset: string;
  readonly amount: bigint;
}

/** Everything that the auditor compares the product's file with. */
export interface Evidence {
  readonly transactions: readonly TrueTransaction[];
  readonly balances: readonly TrueBalance[];
  /** The deepest that a hash ever was. */
  readonly deepest: ReadonlyMap<string, number>;
  /** Level of each vault's `mined` entries. */
  readonly sources: ReadonlyMap<string, 'address' | 'account' | 'vault'>;
  readonly ruleOf: (network: string, asset: string) => CreditingRule;
  /** `<addressId> <memo>` of the memos that were registered before anything was paid. */
  readonly registeredMemos: ReadonlySet<string>;
  /** Deposits that a person gave an owner. */
  readonly attributed: ReadonlySet<string>;
  readonly lies: readonly {
    readonly kind: string;
    readonly hashes: readonly string[];
    readonly transactionId: string | null;
    readonly id: string;
    readonly leaves: string | null;
    readonly excuses: boolean;
  }[];
  /** Bodies that the product answered 2xx to. */
  readonly acknowledged: readonly Uint8Array[];
}

interface PostingRow {
  view: 'books' | 'chain';
  hash: string;
  vault: string;
  account: string;
  address: string;
  memo: string;
  asset: string;
  amount: string;
}

interface FeedRow {
  feed_seq: number;
  credit_id: string;
  kind: 'credit' | 'reversal';
  deposit_id: string;
  amount: string;
  reverses: string | null;
  hash: string;
  network: string;
  vault: string;
  account: string | null;
  address: string | null;
  memo: string | null;
  asset: string;
}

interface BreakRow {
  type: string;
  key: string;
  state: string;
  hash: string | null;
  resolved_by: string | null;
}

/** Kinds of differences that a system at rest may not show where nobody lied. */
const FALSE_ALARMS = new Set([
  'conservation',
  'unexplained_movement',
  'missing_notification',
  'status_mismatch',
  'amount_mismatch',
  'amount_changed',
  'unknown_to_custody',
  'id_conflict',
  'quarantined',
  'decimals_changed',
]);

/**
 * Compares a store at rest with what really is. Written from the interface specification and the
 * promises alone, over plain SQL: it shares no code with the rules that it checks.
 */
export class Auditor {
  readonly #db: Database;
  readonly #evidence: Evidence;
  readonly #lied: ReadonlySet<string>;
  readonly #problems: string[] = [];

  constructor(path: string, evidence: Evidence) {
    this.#db = new Sqlite(path, { readonly: true });
    this.#evidence = evidence;
    this.#lied = new Set(evidence.lies.flatMap(({ hashes }) => hashes));
  }

  /** Sentences on everything that is wrong; empty when all holds. */
  audit(): readonly string[] {
    try {
      this.#checkPositions('books');
      this.#checkPositions('chain');
      this.#checkHashes('books');
      this.#checkHashes('chain');
      this.#checkBalances();
      this.#checkFeed();
      this.#checkCredits();
      this.#checkLies();
      this.#checkAlarms();
      this.#checkAcknowledged();
      return this.#problems;
    } finally {
      this.#db.close();
    }
  }

  #rows<Row>(sql: string): Row[] {
    return this.#db.prepare<[], Row>(sql).all();
  }

  #postings(view: 'books' | 'chain'): PostingRow[] {
    return this.#rows<PostingRow>(
      `SELECT a.view AS view, e.blockchain_hash AS hash, a.vault_id AS vault,
              a.account_id AS account, a.address_id AS address, a.memo AS memo,
              a.asset AS asset, p.amount AS amount
       FROM postings p
       JOIN entries e ON e.entry_id = p.entry_id
       JOIN ledger_accounts a ON a.ledger_account = p.ledger_account
       WHERE a.kind = 'position'`,
    ).filter((row) => row.view === view);
  }

  /** As fine as the vault's own entries are: the chain view always knows the address. */
  #positionOf(
    view: 'books' | 'chain',
    row: { vaultId: string; accountId: string; addressId: string; memo: string; asset: string },
  ): string {
    const { vaultId, accountId, addressId, memo, asset } = row;
    if (view === 'chain') return [vaultId, accountId, addressId, asset].join(' ');
    const source = this.#evidence.sources.get(vaultId) ?? 'address';
    if (source === 'vault') return [vaultId, asset].join(' ');
    if (source === 'account') return [vaultId, accountId, asset].join(' ');
    return [vaultId, accountId, addressId, memo, asset].join(' ');
  }

  /** Balances of every position, what was lied about left out on both sides. */
  #checkPositions(view: 'books' | 'chain'): void {
    const expected = new Sums();
    const actual = new Sums();
    for (const { memo, amount, ...row } of this.#evidence.balances) {
      expected.add(this.#positionOf(view, { ...row, memo: memo ?? '' }), amount);
    }
    for (const { blockchainHash, status, movements } of this.#evidence.transactions) {
      if (status !== 'confirmed' || !this.#lied.has(blockchainHash)) continue;
      for (const { memo, amount, ...row } of movements) {
        const registered = memo !== null && this.#isRegistered(row.addressId, memo);
        const position = this.#positionOf(view, { ...row, memo: registered ? memo : '' });
        expected.add(position, -amount);
      }
    }
    for (const row of this.#postings(view)) {
      if (this.#lied.has(row.hash)) continue;
      const { vault: vaultId, account: accountId, address: addressId, memo, asset } = row;
      const position = this.#positionOf(view, { vaultId, accountId, addressId, memo, asset });
      actual.add(position, BigInt(row.amount));
    }
    for (const { key, left, right } of expected.differences(actual)) {
      this.#problems.push(`${view} at ${key}: ${right}, the chain holds ${left}`);
    }
  }

  /** Per hash, vault and asset; where somebody lied, a difference needs an open break. */
  #checkHashes(view: 'books' | 'chain'): void {
    const expected = new Sums();
    const actual = new Sums();
    for (const { blockchainHash, status, movements } of this.#evidence.transactions) {
      if (status !== 'confirmed') continue;
      for (const { vaultId, asset, amount } of movements) {
        expected.add([blockchainHash, vaultId, asset].join(' '), amount);
      }
    }
    for (const { hash, vault, asset, amount } of this.#postings(view)) {
      actual.add([hash, vault, asset].join(' '), BigInt(amount));
    }
    for (const { key, left, right } of expected.differences(actual)) {
      const [hash = ''] = key.split(' ');
      if (!this.#lied.has(hash)) {
        this.#problems.push(`${view} of ${key}: ${right}, the chain moved ${left}`);
      } else if (!this.#isOnRecord(hash)) {
        const kinds = this.#evidence.lies.filter((lie) => lie.hashes.includes(hash));
        const lie = kinds.map(({ kind }) => kind).join(', ');
        this.#problems.push(
          `silent (${lie}): ${view} of ${key}: ${right}, the chain moved ${left}, and no break says so`,
        );
      }
    }
  }

  /** Every balance is the sum of its postings. */
  #checkBalances(): void {
    const expected = new Sums();
    const actual = new Sums();
    for (const { account, amount } of this.#rows<{ account: number; amount: string }>(
      'SELECT ledger_account AS account, amount FROM postings',
    )) {
      expected.add(String(account), BigInt(amount));
    }
    for (const { account, amount } of this.#rows<{ account: number; amount: string }>(
      'SELECT ledger_account AS account, amount FROM balances',
    )) {
      actual.add(String(account), BigInt(amount));
    }
    for (const { key, left, right } of expected.differences(actual)) {
      this.#problems.push(`balance of ledger account ${key}: ${right}, its postings say ${left}`);
    }
  }

  #feed(): FeedRow[] {
    return this.#rows<FeedRow>(
      `SELECT c.feed_seq, c.credit_id, c.kind, c.deposit_id, c.amount, c.reverses,
              d.blockchain_hash AS hash, d.network AS network, d.vault_id AS vault,
              d.account_id AS account, d.address_id AS address, d.memo AS memo, d.asset AS asset
       FROM credits c JOIN deposits d ON d.deposit_id = c.deposit_id ORDER BY c.feed_seq`,
    );
  }

  /** No gap; each reversal takes back the credit that stands, and exactly that. */
  #checkFeed(): void {
    const standing = new Map<string, FeedRow>();
    for (const [index, item] of this.#feed().entries()) {
      if (item.feed_seq !== index + 1) this.#problems.push(`the feed has a gap at ${index + 1}`);
      const before = standing.get(item.deposit_id);
      if (item.kind === 'credit') {
        if (before !== undefined) this.#problems.push(`${item.deposit_id} is credited twice`);
        standing.set(item.deposit_id, item);
        this.#checkDepth(item);
        continue;
      }
      if (before?.credit_id !== item.reverses || before.amount !== item.amount) {
        this.#problems.push(`reversal ${item.feed_seq} does not take back what stands`);
      }
      standing.delete(item.deposit_id);
    }
  }

  /** A credit needs the policy's depth, which the hash must have had at some time. */
  #checkDepth({ hash, network, asset, feed_seq }: FeedRow): void {
    const deepest = this.#evidence.deepest.get(hash) ?? 0;
    const { depth } = this.#evidence.ruleOf(network, asset);
    if (deepest >= depth) return;
    this.#problems.push(`feed ${feed_seq}: ${hash} is credited and was never ${depth} deep`);
  }

  /** Every customer's deposit once and with its amount, and nothing else. */
  #checkCredits(): void {
    const due = new Sums();
    const waiting = new Set<string>();
    for (const transaction of this.#evidence.transactions) this.#addDue(transaction, due, waiting);
    const credited = new Sums();
    for (const item of this.#feed()) {
      const { hash, vault, account, address, memo, asset, amount, kind } = item;
      const key = creditKey({ hash, vault, account, address, memo, asset });
      credited.add(key, kind === 'credit' ? BigInt(amount) : -BigInt(amount));
    }
    for (const { key, left, right } of due.differences(credited)) {
      const [hash = ''] = key.split(' ');
      if (waiting.has(key) && right === 0n) continue;
      // A lie can keep the customer waiting for a person, who is told; it never moves a wrong amount.
      if (this.#isExcused(hash) && right === 0n && this.#isOnRecord(hash)) continue;
      this.#problems.push(`credited for ${key}: ${right}, due ${left}`);
    }
  }

  #isExcused(hash: string): boolean {
    return this.#evidence.lies.some(({ hashes, excuses }) => excuses && hashes.includes(hash));
  }

  #addDue(transaction: TrueTransaction, due: Sums, waiting: Set<string>): void {
    const { network, blockchainHash: hash, status, confirmations } = transaction;
    if (status !== 'confirmed' || transaction.transactionId !== null) return;
    // Money that leaves an address of ours by this hash makes it nobody's deposit.
    if (transaction.movements.some(({ amount }) => amount < 0n)) return;
    const paid = new Sums();
    const places = new Map<string, TrueMovement>();
    for (const movement of transaction.movements) {
      const { vaultId: vault, accountId: account, addressId: address, memo, asset } = movement;
      const key = creditKey({ hash, vault, account, address, memo, asset });
      paid.add(key, movement.amount);
      places.set(key, movement);
    }
    for (const [key, amount] of paid.entries()) {
      const place = places.get(key);
      if (place === undefined) continue;
      const rule = this.#evidence.ruleOf(network, place.asset);
      if (confirmations < rule.depth || amount < rule.minimum) continue;
      if (!this.#hasOwner(place, hash, rule)) continue;
      due.add(key, amount);
      if (this.#awaitsPerson(key)) waiting.add(key);
    }
  }

  /** By a registered memo, by needing none, or because a person said so. */
  #hasOwner(place: TrueMovement, hash: string, rule: CreditingRule): boolean {
    const { addressId, memo, asset } = place;
    if (memo === null ? !rule.needsMemo : this.#isRegistered(addressId, memo)) return true;
    const rows = this.#db
      .prepare<string[], { id: string; memo: string | null }>(
        `SELECT deposit_id AS id, memo FROM deposits
         WHERE blockchain_hash = ? AND address_id = ? AND asset = ?`,
      )
      .all(hash, addressId, asset);
    return rows.some((row) => row.memo === memo && this.#evidence.attributed.has(row.id));
  }

  /** Said to be attributed, though the process died before it was: the person sees it is not. */
  #awaitsPerson(key: string): boolean {
    const [hash = '', , , address = ''] = key.split(' ');
    const rows = this.#db
      .prepare<string[], { reason: string | null; id: string }>(
        `SELECT deposit_id AS id, reason FROM deposits
         WHERE blockchain_hash = ? AND address_id = ?`,
      )
      .all(hash, address);
    return rows.some(
      ({ reason, id }) =>
        this.#evidence.attributed.has(id) &&
        (reason === 'unattributed_memo' || reason === 'memo_required'),
    );
  }

  #isRegistered(addressId: string, memo: string): boolean {
    return this.#evidence.registeredMemos.has(`${addressId} ${memo}`);
  }

  #breaks(): BreakRow[] {
    return this.#rows<BreakRow>(
      'SELECT type, key, state, blockchain_hash AS hash, resolved_by FROM breaks',
    );
  }

  /** Whether a break tells of the hash. A person may let one rest; the product alone may not. */
  #isOnRecord(hash: string): boolean {
    return this.#breaks().some(
      (one) => one.resolved_by !== 'reconciler' && (one.hash === hash || one.key.includes(hash)),
    );
  }

  #checkLies(): void {
    const breaks = this.#breaks();
    for (const { kind, hashes, id, leaves } of this.#evidence.lies) {
      if (leaves === null) continue;
      const found = breaks.some(
        ({ type, key, hash }) =>
          type === leaves &&
          (leaves === 'malformed' || key.includes(id) || (hash !== null && hashes.includes(hash))),
      );
      if (!found) this.#problems.push(`the lie ${id} (${kind}) left no break ${leaves}`);
    }
  }

  /** At rest and where nobody lied, nothing is at odds. */
  #checkAlarms(): void {
    for (const { type, key, state, hash } of this.#breaks()) {
      if (state === 'resolved' || !FALSE_ALARMS.has(type)) continue;
      const lied =
        (hash !== null && this.#lied.has(hash)) ||
        this.#evidence.lies.some(({ id, transactionId }) =>
          [id, transactionId].some((one) => one !== null && one !== '' && key.includes(`"${one}"`)),
        );
      if (!lied) this.#problems.push(`a break is open where nothing is wrong: ${key}`);
    }
  }

  /** What was answered 2xx is there, and says what arrived. */
  #checkAcknowledged(): void {
    const kept = new Set(
      this.#rows<{ body: Uint8Array }>(
        "SELECT body FROM journal WHERE kind IN ('notification', 'quarantined')",
      ).map(({ body }) => contentOf(body).digest),
    );
    for (const body of this.#evidence.acknowledged) {
      const { id, digest } = contentOf(body);
      if (!kept.has(digest)) this.#problems.push(`acknowledged and lost: ${id}`);
    }
  }
}

/** A body without its delivery time, which differs from one delivery to the next. */
function contentOf(body: Uint8Array): { id: string; digest: string } {
  const { timestamp: _, ...content } = JSON.parse(Buffer.from(body).toString('utf8')) as {
    id: string;
    timestamp: number;
  };
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return { id: content.id, digest };
}

function creditKey(place: {
  hash: string;
  vault: string;
  account: string | null;
  address: string | null;
  memo: string | null;
  asset: string;
}): string {
  const { hash, vault, account, address, memo, asset } = place;
  return [hash, vault, account ?? '-', address ?? '-', memo ?? '-', asset].join(' ');
}

/** Sums by name. */
class Sums {
  readonly #sums = new Map<string, bigint>();

  add(key: string, amount: bigint): void {
    this.#sums.set(key, (this.#sums.get(key) ?? 0n) + amount);
  }

  entries(): IterableIterator<[string, bigint]> {
    return this.#sums.entries();
  }

  /** Names whose sums are not the same here and there. */
  differences(other: Sums): { key: string; left: bigint; right: bigint }[] {
    return [...new Set([...this.#sums.keys(), ...other.#sums.keys()])]
      .map((key) => ({
        key,
        left: this.#sums.get(key) ?? 0n,
        right: other.#sums.get(key) ?? 0n,
      }))
      .filter(({ left, right }) => left !== right);
  }
}
