import type { VirtualClock } from '../clock.ts';
import type { World } from '../world/world.ts';
import { FAULT_LISTS } from './fault.ts';
import type { FaultList, Faults, FaultSet } from './fault.ts';

/** A fault that is on, and how often it has struck. */
export interface FaultStrikes {
  readonly list: FaultList;
  readonly index: number;
  readonly fault: NonNullable<FaultSet[FaultList]>[number];
  readonly strikes: number;
}

/** A fault that was switched off, and how often it had struck by then. */
export type EndedFault = Omit<FaultStrikes, 'index'>;

/** Ended faults that are remembered; forgets the one that ended longest ago. */
const ENDED_MAX = 100;

/** Switches the faults of every kind, together or one by one. */
export class FaultSwitch {
  readonly #faults: Faults;
  readonly #world: World;
  readonly #virtualClock: VirtualClock | undefined;
  #ended: readonly EndedFault[] = [];

  constructor(parts: { faults: Faults; world: World; virtualClock: VirtualClock | undefined }) {
    this.#faults = parts.faults;
    this.#world = parts.world;
    this.#virtualClock = parts.virtualClock;
  }

  current(): FaultSet {
    return this.#faults.current();
  }

  /** Every fault with its strikes, list by list, in order. */
  strikes(): FaultStrikes[] {
    const set = this.current();
    const onOrders = this.#world.transactionFaultStrikes();
    return FAULT_LISTS.flatMap((list) =>
      (set[list] ?? []).map((fault, index) => ({
        list,
        index,
        fault,
        strikes:
          list === 'transactions' ? (onOrders[index] ?? 0) : this.#faults.strikes(list, index),
      })),
    );
  }

  /** Faults that ended since the core started, the newest first. */
  ended(): readonly EndedFault[] {
    return this.#ended;
  }

  async replace(set: FaultSet): Promise<void> {
    await this.#endDueWork();
    this.#remember(this.strikes());
    this.#faults.replace(set);
    this.#world.setTransactionFaults(set.transactions ?? []);
  }

  /** Switches the faults of `more` on behind the others, which keep their counts. */
  async add(more: FaultSet): Promise<void> {
    await this.#endDueWork();
    const set = this.current();
    this.#faults.extend({
      ...set,
      ...(more.delivery && { delivery: [...(set.delivery ?? []), ...more.delivery] }),
      ...(more.api && { api: [...(set.api ?? []), ...more.api] }),
      ...(more.transactions && {
        transactions: [...(set.transactions ?? []), ...more.transactions],
      }),
    });
    this.#takeOver(this.#world.transactionFaultStrikes());
  }

  /** Switches one fault off; false when the list has no such index. */
  async remove(taken: { list: FaultList; index: number }): Promise<boolean> {
    await this.#endDueWork();
    const { list, index } = taken;
    const set = this.current();
    if (set[list]?.[index] === undefined) return false;
    this.#remember(this.strikes().filter((one) => one.list === list && one.index === index));
    const strikes = this.#world.transactionFaultStrikes();
    const rest = set[list].filter((_, at) => at !== index);
    const { [list]: _list, ...others } = set;
    this.#faults.shorten(rest.length === 0 ? others : { ...others, [list]: rest }, taken);
    this.#takeOver(list === 'transactions' ? strikes.filter((_, at) => at !== index) : strikes);
    return true;
  }

  #remember(ending: readonly FaultStrikes[]): void {
    const ended = ending.map(({ index: _, ...fault }) => fault).toReversed();
    this.#ended = [...ended, ...this.#ended].slice(0, ENDED_MAX);
  }

  #takeOver(strikes: readonly number[]): void {
    this.#world.setTransactionFaults(this.current().transactions ?? [], strikes);
  }

  /**
   * Deliveries that are due belong to the old faults. Otherwise the same seed would not repeat its
   * faults.
   */
  async #endDueWork(): Promise<void> {
    await this.#virtualClock?.advance(0);
  }
}
