import type { Clock } from '../../clock.ts';
import { effectsOf } from '../../chain/chain-transaction.ts';
import type { ChainTransaction, Movement } from '../../chain/chain-transaction.ts';
import type { BalanceChangeEntries } from '../../chain/balance-change-entries.ts';
import type { Random } from '../../state/random.ts';
import type { State } from '../../state/state.ts';
import type { Index, Table } from '../../state/table.ts';
import type { BalanceChange } from '../../../wire/balance-change.ts';
import type { CustodyRegistry } from '../../vaults/custody-registry.ts';
import type { AddressRecord } from '../../world/vault.ts';
import type { Announcer } from '../../world/announcer.ts';
import { isCreditOf, isIncomingCredit } from './incoming.ts';
import type { Incoming } from './incoming.ts';

/**
 * Deposits and the `incoming` stream (the specification, sections "Incoming stream" and "Deposit
 * and on-chain streams").
 */
export class IncomingBook {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #registry: CustodyRegistry;
  readonly #entries: BalanceChangeEntries;
  readonly #announcer: Announcer;
  readonly #nextSequence: () => number;
  readonly #incomings: Table<Incoming>;
  readonly #byHash: Index<Incoming>;

  constructor(options: {
    state: State;
    clock: Clock;
    random: Random;
    registry: CustodyRegistry;
    entries: BalanceChangeEntries;
    announcer: Announcer;
    nextSequence: () => number;
  }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#registry = options.registry;
    this.#entries = options.entries;
    this.#announcer = options.announcer;
    this.#nextSequence = options.nextSequence;
    this.#incomings = options.state.table('incomings');
    this.#byHash = this.#incomings.index((row) => [row.blockchainHash]);
  }

  get(transactionId: string): Incoming | undefined {
    return this.#incomings.get(transactionId);
  }

  list(): IterableIterator<Incoming> {
    return this.#incomings.list();
  }

  ofHash(blockchainHash: string): Incoming[] {
    return this.#byHash.find(blockchainHash);
  }

  /** Records and reports the deposits of a transaction in the mempool. */
  detect(transaction: ChainTransaction): void {
    for (const incoming of this.#open(transaction, transaction.movements)) {
      this.#announce(incoming, 'mempool', transaction);
    }
  }

  /** Confirms the deposits of a mined transaction and records those that were not seen before. */
  confirm(transaction: ChainTransaction): void {
    const effects = effectsOf(transaction);
    this.#open(transaction, effects);
    for (const incoming of this.ofHash(transaction.hash)) {
      if (effects.some((movement) => isCreditOf(incoming, transaction, movement))) {
        this.#update(incoming, 'confirmed');
      } else if (incoming.status === 'mempool') {
        // The mempool showed the deposit, but the transaction reverted: nothing arrived.
        this.#announce(this.#update(incoming, 'rolledback'), 'rollback', transaction);
      }
    }
  }

  /** Reports a published depth. Every confirmation repeats the balance changes. */
  deepen(transaction: ChainTransaction, depth: number): void {
    for (const incoming of this.ofHash(transaction.hash)) {
      if (incoming.status !== 'confirmed') continue;
      this.#announce(this.#update(incoming, 'confirmed'), 'confirmation', transaction, depth);
    }
  }

  rollBack(transaction: ChainTransaction): void {
    for (const incoming of this.ofHash(transaction.hash)) {
      if (incoming.status === 'rolledback') continue;
      this.#announce(this.#update(incoming, 'rolledback'), 'rollback', transaction);
    }
  }

  /** The combined balance change entries of one deposit. */
  balanceChanges(incoming: Incoming, transaction: ChainTransaction): BalanceChange[] {
    const credits = transaction.movements.filter((movement) =>
      isCreditOf(incoming, transaction, movement),
    );
    return this.#entries.combined(this.#entries.own(incoming.network, credits), {
      memo: incoming.memo,
      registered: incoming.memoId === null ? undefined : this.#registry.memoById(incoming.memoId),
    });
  }

  /** The credits of the deposit in the block: none if the transaction reverted. */
  credits(incoming: Incoming, transaction: ChainTransaction): Movement[] {
    return effectsOf(transaction).filter((movement) => isCreditOf(incoming, transaction, movement));
  }

  /** Records the deposits that are not known yet and returns them. */
  #open(transaction: ChainTransaction, movements: readonly Movement[]): Incoming[] {
    const opened: Incoming[] = [];
    const known = this.ofHash(transaction.hash);
    for (const movement of this.#entries.own(transaction.network, movements)) {
      if (!isIncomingCredit(transaction, movement)) continue;
      const seen = [...known, ...opened];
      if (seen.some((incoming) => isCreditOf(incoming, transaction, movement))) continue;
      const incoming = this.#record(transaction, movement.owner, movement.memo ?? null);
      this.#incomings.put(incoming.transactionId, incoming);
      opened.push(incoming);
    }
    return opened;
  }

  #record(transaction: ChainTransaction, owner: AddressRecord, memo: string | null): Incoming {
    const registered = memo === null ? undefined : this.#registry.memo(owner.addressId, memo);
    return {
      transactionId: this.#random.uuid(),
      orderId: `auto-${this.#random.uuid()}`,
      vaultId: owner.vaultId,
      accountId: owner.accountId,
      addressId: owner.addressId,
      networkAddress: owner.networkAddress,
      network: transaction.network,
      blockchainHash: transaction.hash,
      memo,
      memoId: registered?.memoId ?? null,
      status: 'mempool',
      createdMs: this.#clock.now(),
      updatedMs: this.#clock.now(),
      sequence: this.#nextSequence(),
    };
  }

  #update(incoming: Incoming, status: Incoming['status']): Incoming {
    const updated: Incoming = { ...incoming, status, updatedMs: this.#clock.now() };
    this.#incomings.put(updated.transactionId, updated);
    return updated;
  }

  #announce(
    incoming: Incoming,
    type: 'mempool' | 'confirmation' | 'rollback',
    transaction: ChainTransaction,
    depth?: number,
  ): void {
    this.#announcer.announce(
      {
        stream: 'incoming',
        type,
        vaultId: incoming.vaultId,
        accountId: incoming.accountId,
        addressId: incoming.addressId,
        network: incoming.network,
        blockchainHash: incoming.blockchainHash,
        transactionId: incoming.transactionId,
        orderId: incoming.orderId,
        confirmations: depth ?? (type === 'mempool' ? 0 : undefined),
        balanceChanges: this.balanceChanges(incoming, transaction),
        memo: incoming.memo,
        metadata: transaction.metadata,
      },
      depth,
    );
  }
}
