import type { AuditedStore, FeedRow } from './audited-store.ts';
import type { CreditingRule } from '../product/crediting-rules.ts';
import type { Evidence, TrueMovement, TrueTransaction } from './evidence.ts';
import { Sums } from './sums.ts';

function creditKey(movement: {
  hash: string;
  vault: string;
  account: string | null;
  address: string | null;
  memo: string | null;
  asset: string;
}): string {
  const { hash, vault, account, address, memo, asset } = movement;
  return [hash, vault, account ?? '-', address ?? '-', memo ?? '-', asset].join(' ');
}

/** Compares the credit feed with what customers really paid. */
export class CreditAudit {
  readonly #store: AuditedStore;
  readonly #evidence: Evidence;
  readonly #problems: string[] = [];

  constructor(store: AuditedStore, evidence: Evidence) {
    this.#store = store;
    this.#evidence = evidence;
  }

  /** Sentences on everything that is wrong; empty when all holds. */
  audit(): readonly string[] {
    this.#checkFeed();
    this.#checkCredits();
    return this.#problems;
  }

  /** No gap; each reversal takes back the active credit, and nothing else. */
  #checkFeed(): void {
    const active = new Map<string, FeedRow>();
    for (const [index, item] of this.#store.feed().entries()) {
      if (item.feed_seq !== index + 1) this.#problems.push(`the feed has a gap at ${index + 1}`);
      const before = active.get(item.deposit_id);
      if (item.kind === 'credit') {
        if (before !== undefined) this.#problems.push(`${item.deposit_id} is credited twice`);
        active.set(item.deposit_id, item);
        this.#checkDepth(item);
        this.#checkAddress(item);
        continue;
      }
      if (before?.credit_id !== item.reverses || before.amount !== item.amount) {
        this.#problems.push(`reversal ${item.feed_seq} does not take back what stands`);
      }
      active.delete(item.deposit_id);
    }
  }

  /**
   * A credit needs the policy's depth, which the hash must have had by then, and after every true
   * rollback that the product had taken.
   */
  #checkDepth(item: FeedRow): void {
    const { hash, network, asset, feed_seq, credit_id } = item;
    const stays = this.#evidence.depthsAtCredit.get(credit_id) ?? [];
    const lies = new Set(this.#evidence.falseWebhooks.map(({ id }) => id));
    const known = this.#store.rollbacksBefore(item).filter((id) => !lies.has(id)).length;
    const { depth } = this.#evidence.ruleOf(network, asset);
    if (stays.slice(known).some((deepest) => deepest >= depth)) return;
    const since = known === 0 ? '' : ` since rollback ${known}`;
    this.#problems.push(
      `feed ${feed_seq}: ${hash} is credited and was never ${depth} deep${since}`,
    );
  }

  /** A credit names the true address on the chain, whatever the first webhook named. */
  #checkAddress({ feed_seq, address, network_address: named }: FeedRow): void {
    const truth = this.#evidence.networkAddresses.get(address ?? '');
    if (named === truth) return;
    this.#problems.push(
      `feed ${feed_seq}: names ${String(named)}, the address is ${String(truth)}`,
    );
  }

  /** Every customer's deposit once and with its amount, and nothing else. */
  #checkCredits(): void {
    const due = new Sums();
    const held = new Set<string>();
    for (const transaction of this.#evidence.transactions) this.#addDue(transaction, due, held);
    const credited = new Sums();
    for (const item of this.#store.feed()) {
      const { hash, vault, account, address, memo, asset, amount, kind } = item;
      const key = creditKey({ hash, vault, account, address, memo, asset });
      credited.add(key, kind === 'credit' ? BigInt(amount) : -BigInt(amount));
    }
    for (const { key, left, right } of due.differences(credited)) {
      const [hash = ''] = key.split(' ');
      if (held.has(key) && right === 0n) continue;
      // A false webhook can hold a credit for a person; it never moves a wrong amount.
      if (this.#isExcused(hash) && right === 0n && this.#store.isOnRecord(hash)) continue;
      this.#problems.push(`credited for ${key}: ${right}, due ${left}`);
    }
  }

  #isExcused(hash: string): boolean {
    return this.#evidence.falseWebhooks.some(
      ({ hashes, excuses }) => excuses && hashes.includes(hash),
    );
  }

  #addDue(transaction: TrueTransaction, due: Sums, held: Set<string>): void {
    const { network, blockchainHash: hash, status, confirmations } = transaction;
    if (status !== 'confirmed' || transaction.transactionId !== null) return;
    // Money that leaves an address of ours by this hash makes it nobody's deposit.
    if (transaction.movements.some(({ amount }) => amount < 0n)) return;
    const paid = new Sums();
    const movements = new Map<string, TrueMovement>();
    for (const movement of transaction.movements) {
      const { vaultId: vault, accountId: account, addressId: address, memo, asset } = movement;
      const key = creditKey({ hash, vault, account, address, memo, asset });
      paid.add(key, movement.amount);
      movements.set(key, movement);
    }
    for (const [key, amount] of paid.entries()) {
      const movement = movements.get(key);
      if (movement === undefined) continue;
      const rule = this.#evidence.ruleOf(network, movement.asset);
      if (confirmations < rule.depth || amount < rule.minimum) continue;
      if (!this.#hasOwner(movement, hash, rule)) continue;
      due.add(key, amount);
      if (this.#awaitsPerson(key)) held.add(key);
    }
  }

  /** By a registered memo, by needing none, or because a person said so. */
  #hasOwner(movement: TrueMovement, hash: string, rule: CreditingRule): boolean {
    const { addressId, memo, asset } = movement;
    if (memo === null ? !rule.needsMemo : this.#isRegistered(addressId, memo)) return true;
    const rows = this.#store.rows<{ id: string; memo: string | null }>(
      `SELECT deposit_id AS id, memo FROM deposits
         WHERE blockchain_hash = ? AND address_id = ? AND asset = ?`,
      hash,
      addressId,
      asset,
    );
    return rows.some((row) => row.memo === memo && this.#evidence.attributed.has(row.id));
  }

  /** Recorded as attributed, but the process died first: a person sees that it is not. */
  #awaitsPerson(key: string): boolean {
    const [hash = '', , , address = ''] = key.split(' ');
    const rows = this.#store.rows<{ reason: string | null; id: string }>(
      `SELECT deposit_id AS id, reason FROM deposits
         WHERE blockchain_hash = ? AND address_id = ?`,
      hash,
      address,
    );
    return rows.some(
      ({ reason, id }) =>
        this.#evidence.attributed.has(id) &&
        (reason === 'unattributed_memo' || reason === 'memo_required'),
    );
  }

  #isRegistered(addressId: string, memo: string): boolean {
    return this.#evidence.registeredMemos.has(`${addressId} ${memo}`);
  }
}
