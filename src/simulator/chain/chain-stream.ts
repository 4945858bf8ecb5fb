import type { State } from '../state/state.ts';
import type { Table } from '../state/table.ts';
import type { Announcer } from '../world/announcer.ts';
import type { BalanceChangeEntries, OwnMovement } from './balance-change-entries.ts';
import { effectsOf } from './chain-transaction.ts';
import type { ChainTransaction, Movement } from './chain-transaction.ts';

/** Key of the last report in a stored record. State files keep the records, so it never changes. */
const LAST_REPORT = 'told';

/** The last report of the stream about a hash. Only a reported hash can be rolled back. */
interface Sighting {
  readonly [LAST_REPORT]: 'mempool' | 'confirmed' | 'rollback';
}

/**
 * The `blockchain` stream: reports every transaction that touches a vault, to each vault its own
 * movements (the specification, section "Blockchain stream").
 */
export class ChainStream {
  readonly #entries: BalanceChangeEntries;
  readonly #announcer: Announcer;
  readonly #sightings: Table<Sighting>;

  constructor(options: { state: State; entries: BalanceChangeEntries; announcer: Announcer }) {
    this.#entries = options.entries;
    this.#announcer = options.announcer;
    this.#sightings = options.state.table('sightings');
  }

  /** Whether the stream has reported the transaction, so that its end must be reported too. */
  isKnown(hash: string): boolean {
    const lastReport = this.#lastReport(hash);
    return lastReport === 'mempool' || lastReport === 'confirmed';
  }

  seenInMempool(transaction: ChainTransaction): void {
    for (const [vaultId, side] of this.#sides(transaction, transaction.movements)) {
      this.#announce(transaction, 'mempool', vaultId, {
        confirmations: 0,
        balanceChanges: this.#entries.unaggregated(side),
        metadata: transaction.metadata,
      });
    }
    this.#sightings.put(transaction.hash, { [LAST_REPORT]: 'mempool' });
  }

  confirmed(transaction: ChainTransaction): void {
    const sides = this.#sides(transaction, effectsOf(transaction));
    for (const [vaultId, side] of sides) {
      this.#announce(transaction, 'transaction', vaultId, {
        confirmations: 1,
        balanceChanges: this.#entries.unaggregated(side),
        metadata: transaction.metadata,
      });
    }
    if (this.#lastReport(transaction.hash) === 'mempool') {
      // A reverted payment does not arrive. The vaults that saw it in the mempool get a rollback.
      for (const vaultId of this.#sides(transaction, transaction.movements).keys()) {
        if (!sides.has(vaultId)) this.#announce(transaction, 'rollback', vaultId, {});
      }
    }
    this.#sightings.put(transaction.hash, { [LAST_REPORT]: 'confirmed' });
  }

  deepened(transaction: ChainTransaction, depth: number): void {
    for (const vaultId of this.#sides(transaction, effectsOf(transaction)).keys()) {
      this.#announce(transaction, 'confirmation', vaultId, { confirmations: depth }, depth);
    }
  }

  rolledBack(transaction: ChainTransaction): void {
    const wasConfirmed = this.#lastReport(transaction.hash) === 'confirmed';
    const movements = wasConfirmed ? effectsOf(transaction) : transaction.movements;
    for (const vaultId of this.#sides(transaction, movements).keys()) {
      this.#announce(transaction, 'rollback', vaultId, {});
    }
    this.#sightings.put(transaction.hash, { [LAST_REPORT]: 'rollback' });
  }

  #lastReport(hash: string): Sighting[typeof LAST_REPORT] | undefined {
    return this.#sightings.get(hash)?.[LAST_REPORT];
  }

  #sides(
    transaction: ChainTransaction,
    movements: readonly Movement[],
  ): Map<string, OwnMovement[]> {
    const sides = new Map<string, OwnMovement[]>();
    for (const movement of this.#entries.own(transaction.network, movements)) {
      const side = sides.get(movement.owner.vaultId);
      if (side === undefined) sides.set(movement.owner.vaultId, [movement]);
      else side.push(movement);
    }
    return sides;
  }

  #announce(
    transaction: ChainTransaction,
    type: 'mempool' | 'transaction' | 'confirmation' | 'rollback',
    vaultId: string,
    fields: Record<string, unknown>,
    depth?: number,
  ): void {
    this.#announcer.announce(
      {
        stream: 'blockchain',
        type,
        vaultId,
        network: transaction.network,
        blockchainHash: transaction.hash,
        transactionId: transaction.transactionId,
        ...fields,
      },
      depth,
    );
  }
}
