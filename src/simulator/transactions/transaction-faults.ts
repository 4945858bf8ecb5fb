import type { Random } from '../state/random.ts';
import type { State } from '../state/state.ts';
import type { Table } from '../state/table.ts';
import type { TransactionFault } from '../world/transaction.ts';

/**
 * A fault, the number of times that it may still strike (null: without limit), and how often it has
 * struck. State files of earlier versions lack the strikes.
 */
interface ArmedFault {
  fault: TransactionFault;
  left: number | null;
  strikes?: number;
}

type FaultOf<Kind extends TransactionFault['fault']> = Extract<TransactionFault, { fault: Kind }>;

/** The faults that strike orders, in the order of the control call. */
export class TransactionFaults {
  readonly #random: Random;
  readonly #faults: Table<ArmedFault>;

  constructor(options: { state: State; random: Random }) {
    this.#random = options.random;
    this.#faults = options.state.table('transactionFaults');
  }

  /** `strikes`: how often each fault has struck, in the same order; default: never. */
  replace(faults: readonly TransactionFault[], strikes: readonly number[] = []): void {
    this.#faults.clear();
    for (const [index, fault] of faults.entries()) {
      const { [index]: struck = 0 } = strikes;
      const left = fault.count === undefined ? null : Math.max(0, fault.count - struck);
      this.#faults.put(`${index}`, { fault, left, strikes: struck });
    }
  }

  /** How often each fault has struck, in order. */
  strikes(): number[] {
    return [...this.#faults.list()].map(({ strikes = 0 }) => strikes);
  }

  /** Returns the first fault of this kind that strikes, and counts the strike. */
  strike<Kind extends TransactionFault['fault']>(
    kind: Kind,
    at: { vaultId: string; network: string },
  ): FaultOf<Kind> | undefined {
    for (const [key, { fault, left, strikes = 0 }] of this.#faults.entries()) {
      if (!isKind(fault, kind) || left === 0) continue;
      if (fault.vaultId !== undefined && fault.vaultId !== at.vaultId) continue;
      if (fault.network !== undefined && fault.network !== at.network) continue;
      const { probability = 1 } = fault;
      if (probability < 1 && this.#random.fraction() >= probability) continue;
      const next = left === null ? null : left - 1;
      this.#faults.put(key, { fault, left: next, strikes: strikes + 1 });
      return fault;
    }
    return undefined;
  }
}

function isKind<Kind extends TransactionFault['fault']>(
  fault: TransactionFault,
  kind: Kind,
): fault is FaultOf<Kind> {
  return fault.fault === kind;
}
