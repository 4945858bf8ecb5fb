import type { State } from '../state/state.ts';
import type { Table } from '../state/table.ts';
import type { Announcer } from '../world/announcer.ts';
import type { ChangeReport, OwnMovement } from './change-report.ts';
import { effectsOf } from './chain-transaction.ts';
import type { ChainTransaction, Movement } from './chain-transaction.ts';

/** What the stream was last told about a hash: a rollback is due only for what it knows. */
interface Sighting {
  told: 'mempool' | 'confirmed' | 'rollback';
}

/**
 * The `blockchain` stream: every transaction that touches a vault, as seen on-chain, each vault its
 * own side (section "Blockchain stream").
 */
export class ChainStream {
  readonly #report: ChangeReport;
  readonly #announcer: Announcer;
  readonly #sightings: Table<Sighting>;

  constructor(options: { state: State; report: ChangeReport; announcer: Announcer }) {
    this.#report = options.report;
    this.#announcer = options.announcer;
    this.#sightings = options.state.table('sightings');
  }

  /** Whether vaults believe in the transaction, so that its end has to be told. */
  isKnown(hash: string): boolean {
    const told = this.#sightings.get(hash)?.told;
    return told === 'mempool' || told === 'confirmed';
  }

  seenInMempool(transaction: ChainTransaction): void {
    for (const [vaultId, side] of this.#sides(transaction, transaction.movements)) {
      this.#tell(transaction, 'mempool', vaultId, {
        confirmations: 0,
        balanceChanges: this.#report.unaggregated(side),
        metadata: transaction.metadata,
      });
    }
    this.#sightings.put(transaction.hash, { told: 'mempool' });
  }

  confirmed(transaction: ChainTransaction): void {
    const sides = this.#sides(transaction, effectsOf(transaction));
    for (const [vaultId, side] of sides) {
      this.#tell(transaction, 'transaction', vaultId, {
        confirmations: 1,
        balanceChanges: this.#report.unaggregated(side),
        metadata: transaction.metadata,
      });
    }
    if (this.#sightings.get(transaction.hash)?.told === 'mempool') {
      // A reverted payment never arrives at those who saw it coming.
      for (const vaultId of this.#sides(transaction, transaction.movements).keys()) {
        if (!sides.has(vaultId)) this.#tell(transaction, 'rollback', vaultId, {});
      }
    }
    this.#sightings.put(transaction.hash, { told: 'confirmed' });
  }

  deepened(transaction: ChainTransaction, depth: number): void {
    for (const vaultId of this.#sides(transaction, effectsOf(transaction)).keys()) {
      this.#tell(transaction, 'confirmation', vaultId, { confirmations: depth }, depth);
    }
  }

  rolledBack(transaction: ChainTransaction): void {
    const wasConfirmed = this.#sightings.get(transaction.hash)?.told === 'confirmed';
    const movements = wasConfirmed ? effectsOf(transaction) : transaction.movements;
    for (const vaultId of this.#sides(transaction, movements).keys()) {
      this.#tell(transaction, 'rollback', vaultId, {});
    }
    this.#sightings.put(transaction.hash, { told: 'rollback' });
  }

  #sides(
    transaction: ChainTransaction,
    movements: readonly Movement[],
  ): Map<string, OwnMovement[]> {
    const sides = new Map<string, OwnMovement[]>();
    for (const movement of this.#report.own(transaction.network, movements)) {
      const side = sides.get(movement.owner.vaultId);
      if (side === undefined) sides.set(movement.owner.vaultId, [movement]);
      else side.push(movement);
    }
    return sides;
  }

  #tell(
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
