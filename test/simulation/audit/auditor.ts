import { createHash } from 'node:crypto';
import { AuditedStore } from './audited-store.ts';
import { CreditAudit } from './credit-audit.ts';
import type { Evidence } from './evidence.ts';
import { ReportAudit } from './report-audit.ts';
import { Sums } from './sums.ts';

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

/** Claims by webhooks alone that no look-up has checked: a text for each kind. */
const UNVERIFIED: Readonly<Record<string, string>> = {
  'a withdrawal':
    "SELECT transaction_id AS id FROM withdrawals WHERE custody IN ('unasked', 'doubted')",
  'a hash called our own':
    "SELECT blockchain_hash AS id FROM own_hashes WHERE certainty = 'claimed'",
  'an internal deposit': `SELECT blockchain_hash AS id FROM deposits
    WHERE state = 'internal' AND evidence = 'confirmed' AND verified_at IS NULL`,
  'a movement of the books':
    "SELECT blockchain_hash AS id FROM movements WHERE agreement = 'books_only'",
};

/**
 * Compares a store at rest with what really is. Written from the interface specification and the
 * promises alone, over plain SQL: it shares no code with the rules that it checks.
 */
export class Auditor {
  readonly #store: AuditedStore;
  readonly #evidence: Evidence;
  readonly #lied: ReadonlySet<string>;
  readonly #problems: string[] = [];

  constructor(path: string, evidence: Evidence) {
    this.#store = new AuditedStore(path);
    this.#evidence = evidence;
    this.#lied = new Set(evidence.falseWebhooks.flatMap(({ hashes }) => hashes));
  }

  /** Sentences on everything that is wrong; empty when all holds. */
  audit(): readonly string[] {
    try {
      this.#checkPositions('books');
      this.#checkPositions('chain');
      this.#checkHashes('books');
      this.#checkHashes('chain');
      this.#checkBalances();
      this.#problems.push(...new CreditAudit(this.#store, this.#evidence).audit());
      this.#problems.push(...new ReportAudit(this.#store, this.#evidence).audit());
      this.#checkLies();
      this.#checkAlarms();
      this.#checkVerified();
      this.#checkAcknowledged();
      return this.#problems;
    } finally {
      this.#store.close();
    }
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
    for (const row of this.#store.postings(view)) {
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
    for (const { hash, vault, asset, amount } of this.#store.postings(view)) {
      actual.add([hash, vault, asset].join(' '), BigInt(amount));
    }
    for (const { key, left, right } of expected.differences(actual)) {
      const [hash = ''] = key.split(' ');
      if (!this.#lied.has(hash) || (view === 'books' && this.#isPutRight(hash))) {
        this.#problems.push(`${view} of ${key}: ${right}, the chain moved ${left}`);
      } else if (!this.#store.isOnRecord(hash)) {
        const kinds = this.#evidence.falseWebhooks.filter((falseWebhook) =>
          falseWebhook.hashes.includes(hash),
        );
        const falseWebhook = kinds.map(({ kind }) => kind).join(', ');
        this.#problems.push(
          `silent (${falseWebhook}): ${view} of ${key}: ${right}, the chain moved ${left}, and no break says so`,
        );
      }
    }
  }

  /** Whether every false claim about a hash is corrected in the end, without a person. */
  #isPutRight(hash: string): boolean {
    return this.#evidence.falseWebhooks.every(
      ({ hashes, excuses }) => !excuses || !hashes.includes(hash),
    );
  }

  /** Every balance is the sum of its postings. */
  #checkBalances(): void {
    const expected = new Sums();
    const actual = new Sums();
    for (const { account, amount } of this.#store.rows<{ account: number; amount: string }>(
      'SELECT ledger_account AS account, amount FROM postings',
    )) {
      expected.add(String(account), BigInt(amount));
    }
    for (const { account, amount } of this.#store.rows<{ account: number; amount: string }>(
      'SELECT ledger_account AS account, amount FROM balances',
    )) {
      actual.add(String(account), BigInt(amount));
    }
    for (const { key, left, right } of expected.differences(actual)) {
      this.#problems.push(`balance of ledger account ${key}: ${right}, its postings say ${left}`);
    }
  }

  #isRegistered(addressId: string, memo: string): boolean {
    return this.#evidence.registeredMemos.has(`${addressId} ${memo}`);
  }

  #checkLies(): void {
    const breaks = this.#store.breaks();
    for (const { kind, hashes, id, leaves } of this.#evidence.falseWebhooks) {
      if (leaves === null) continue;
      const found = breaks.some(
        ({ type, key, hash }) =>
          type === leaves &&
          (leaves === 'malformed' || key.includes(id) || (hash !== null && hashes.includes(hash))),
      );
      if (!found) this.#problems.push(`the lie ${id} (${kind}) left no break ${leaves}`);
    }
  }

  /** At rest, a hash without a false claim has no open difference. */
  #checkAlarms(): void {
    for (const { type, key, state, hash } of this.#store.breaks()) {
      if (state === 'resolved' || !FALSE_ALARMS.has(type)) continue;
      const lied =
        (hash !== null && this.#lied.has(hash)) ||
        this.#evidence.falseWebhooks.some(({ id, transactionId }) =>
          [id, transactionId].some((one) => one !== null && one !== '' && key.includes(`"${one}"`)),
        );
      if (!lied) this.#problems.push(`a break is open where nothing is wrong: ${key}`);
    }
  }

  /** Webhooks are unsigned: at rest, each claim by webhooks alone is looked up or confirmed. */
  #checkVerified(): void {
    const keys = this.#store
      .breaks()
      .filter(({ state }) => state !== 'resolved')
      .map(({ key, hash }) => `${key} ${hash ?? ''}`);
    for (const [what, sql] of Object.entries(UNVERIFIED)) {
      for (const { id } of this.#store.rows<{ id: string }>(sql)) {
        if (keys.some((key) => key.includes(id))) continue;
        this.#problems.push(`${what} rests on webhooks alone: ${id}`);
      }
    }
  }

  /** Each body that was answered 2xx is in the journal, apart from its delivery time. */
  #checkAcknowledged(): void {
    const kept = new Set(this.#store.deliveredBodies().map((body) => contentOf(body).digest));
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
