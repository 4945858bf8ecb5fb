import { Amount } from '../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../src/domain/policy/policy.ts';
import type { CustodyRecord } from '../../src/domain/fact/custody-record.ts';
import type { Fact } from '../../src/domain/fact/fact.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  DepositId,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../src/domain/ids.ts';
import { unpackDeposit } from '../../src/store/codec/deposit.ts';
import type { CreditRow } from '../../src/store/sqlite/table/tables.ts';
import type { DepositRow } from '../../src/store/sqlite/table/rows/deposit-row.ts';
import type { Choices } from './generated-choices.ts';
import { balanceChange, received } from './evidence.ts';
import { SIX_DEEP, type OpenLedger } from './open-ledger.ts';
import type { GeneratedTraffic } from './generated-traffic.ts';

/** What the custody API may say of a deposit: the truth more often than not. */
const LIES = ['shallow', 'gone', 'unknown', 'other-amount', 'odd-status'] as const;
const SAYINGS = ['agrees', 'agrees', 'agrees', ...LIES] as const;
/** The same of one whose hash has left the chain, as the notifications have it. */
const SAYINGS_OF_GONE = ['gone', 'gone', 'gone', 'agrees', 'unknown'] as const;

/** What the API last said, and about which epoch and amount. */
interface Word {
  readonly epoch: number;
  readonly amount: string;
}

/**
 * Stands in for the custody API, true or lying, and watches the feed with eyes of its own: every
 * credit needs the API's present word for it. It shares no rule with src/.
 */
export class CustodyWitness {
  /** What must never have happened, in words. */
  readonly wrongs: string[] = [];
  readonly #open: OpenLedger;
  readonly #world: GeneratedTraffic;
  readonly #words = new Map<string, Word>();
  readonly #activeCredit = new Map<string, string>();
  /** Hashes by the own transaction that is said to have them. */
  readonly #own = new Map<string, Set<string>>();
  /** Own transactions that the API does not know, and has never known. */
  readonly #denied = new Set<string>();
  readonly #confirmed = new Set<string>();
  #policy: CreditingPolicy = SIX_DEEP;
  #feedSeen = 0;

  constructor(open: OpenLedger, world: GeneratedTraffic) {
    this.#open = open;
    this.#world = world;
  }

  /** A record of this deposit: the true one, or a false one. */
  record(deposit: DepositRow, from: Choices): CustodyRecord {
    const saying = from.pick(deposit.evidence === 'none' ? SAYINGS_OF_GONE : SAYINGS);
    const depositId = DepositId(deposit.deposit_id);
    if (saying === 'unknown') return { kind: 'deposit', depositId, transaction: null, graceMs: 0 };
    const kind = this.#world.changeHashes.has(deposit.blockchain_hash) ? 'change' : 'transfer';
    const accountId = deposit.account_id === null ? null : AccountId(deposit.account_id);
    const addressId = deposit.address_id === null ? null : AddressId(deposit.address_id);
    const amount = BigInt(deposit.amount) + (saying === 'other-amount' ? 1n : 0n);
    const transaction = received({
      transactionId: TransactionId(deposit.transaction_id ?? 'dep-tx'),
      vaultId: VaultId(deposit.vault_id),
      network: NetworkKey(deposit.network),
      blockchainHash: BlockchainHash(deposit.blockchain_hash),
      accountId,
      addressId,
      memo: deposit.memo === null ? null : Memo(deposit.memo),
      status: { gone: 'rolledback', 'odd-status': 'frozen' }[saying as string] ?? 'confirmed',
      confirmations: saying === 'shallow' ? 2 : 6,
      changes: [
        balanceChange(amount, { asset: AssetId(deposit.asset), accountId, addressId, kind }),
      ],
    });
    return { kind: 'deposit', depositId, transaction, graceMs: 0 };
  }

  /** Takes note of a fact that has been committed, and judges what it brought into the feed. */
  see(fact: Fact): void {
    if (fact.kind === 'decision' && fact.decision.kind === 'policy')
      this.#policy = fact.decision.policy;
    if (fact.kind === 'notification' && fact.notification.stream === 'outgoing') {
      const { transactionId, blockchainHash } = fact.notification;
      if (blockchainHash !== null) {
        this.#own.set(
          transactionId,
          (this.#own.get(transactionId) ?? new Set()).add(blockchainHash),
        );
      }
    }
    if (fact.kind === 'custody-record') this.#hearOf(fact.record);
    for (const item of this.#open.feed().slice(this.#feedSeen)) this.#judge(item);
    this.#feedSeen = this.#open.feed().length;
  }

  #hearOf(record: CustodyRecord): void {
    if (record.kind === 'deposit') this.#hear(record);
    if (record.kind === 'unknown-transaction') this.#denied.add(record.transactionId);
    if (record.kind !== 'outgoing') return;
    const { transactionId, blockchainHash } = record.transaction;
    this.#denied.delete(transactionId);
    if (blockchainHash !== null) this.#confirmed.add(blockchainHash);
  }

  #isOwn(hash: string): boolean {
    if (this.#confirmed.has(hash)) return true;
    return [...this.#own].some(([id, hashes]) => hashes.has(hash) && !this.#denied.has(id));
  }

  #hear({ depositId, transaction }: Extract<CustodyRecord, { kind: 'deposit' }>): void {
    const deposit = this.#open.deposits().find((one) => one.deposit_id === depositId);
    const [entry] = transaction?.changes ?? [];
    if (deposit === undefined) return;
    if (transaction === null || transaction.status === 'rolledback' || entry === undefined) {
      this.#words.delete(depositId);
    } else if (transaction.status === 'confirmed') {
      const agrees = entry.amount === Amount(BigInt(deposit.amount));
      if (!agrees) this.#words.delete(depositId);
      else if (transaction.confirmations === 6) {
        this.#words.set(depositId, { epoch: deposit.epoch, amount: deposit.amount });
      }
    }
  }

  #judge(item: CreditRow): void {
    const wrong = (what: string): void => {
      this.wrongs.push(`${item.kind} ${item.credit_id} of ${item.deposit_id}: ${what}`);
    };
    const activeCredit = this.#activeCredit.get(item.deposit_id);
    if (item.kind === 'reversal') {
      if (activeCredit === undefined || activeCredit !== item.reverses)
        wrong('reverses what does not stand');
      this.#activeCredit.delete(item.deposit_id);
      return;
    }
    if (activeCredit !== undefined) wrong('credited twice');
    this.#activeCredit.set(item.deposit_id, item.credit_id);
    const { epoch, vaultId, blockchainHash, amount, approvals, verifiedAt } = unpackDeposit(
      item.deposit,
    );
    const word = this.#words.get(item.deposit_id);
    if (word?.epoch !== epoch || word.amount !== item.amount)
      wrong('without the API’s present word');
    if (verifiedAt === null) wrong('never verified');
    if (String(amount) !== item.amount) wrong('of another amount than the deposit’s');
    if (this.#isOwn(blockchainHash)) wrong('an own transfer');
    if (this.#world.changeHashes.has(blockchainHash)) wrong('change');
    const { halted, oneApprovalAbove, minimumAmount } = this.#policy.default;
    if (halted === true) wrong('while halted');
    if (this.#policy.vaults?.includes(vaultId) === false) wrong('of a vault that is not credited');
    if (minimumAmount !== undefined && amount < minimumAmount) wrong('dust');
    const bound = oneApprovalAbove ?? null;
    if (bound !== null && amount > bound && approvals.length === 0) wrong('not approved');
  }
}
