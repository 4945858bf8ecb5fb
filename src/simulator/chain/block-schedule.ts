import type { Clock, Handle } from '../clock.ts';
import type { State } from '../state/state.ts';
import type { Table } from '../state/table.ts';
import type { NetworkConfig } from '../world/network-config.ts';
import type { ChainTransaction } from './chain-transaction.ts';

/**
 * A chain's tip: `height` was reached at `atMs` (Unix epoch milliseconds). Blocks due since then
 * are added when someone reads the chain.
 */
interface Tip {
  network: string;
  height: number;
  atMs: number;
}

/** The calls that the schedule makes to its chain. */
export interface BlockWork {
  /** Transactions that reach a published depth at this height. */
  due(network: string, height: number): ChainTransaction[];
  /** `<network>|<height>` of every due transaction. */
  dueKeys(): Iterable<string>;
  /** Whether the next block could take a transaction in or drop one. */
  isAnyDue(network: string): boolean;
  addBlock(block: { network: string; height: number; timeMs: number }): void;
}

/**
 * Times the blocks of every chain. Empty blocks are not made one by one: the height follows from
 * the time. So an advance of weeks costs as much as the events in it.
 */
export class BlockSchedule {
  readonly #clock: Clock;
  readonly #networks: ReadonlyMap<string, NetworkConfig>;
  readonly #autoMine: boolean;
  readonly #work: BlockWork;
  readonly #tips: Table<Tip>;
  readonly #timers = new Map<string, { atMs: number; handle: Handle }>();
  /** Networks that are adding blocks now. Their listeners must not add more. */
  readonly #busy = new Set<string>();

  constructor(options: {
    state: State;
    clock: Clock;
    networks: readonly NetworkConfig[];
    autoMine: boolean;
    work: BlockWork;
  }) {
    this.#clock = options.clock;
    this.#networks = new Map(options.networks.map((network) => [network.key, network]));
    this.#autoMine = options.autoMine;
    this.#work = options.work;
    this.#tips = options.state.table('tips');
    for (const { key, startHeight } of options.networks) {
      if (this.#tips.has(key)) continue;
      this.#tips.put(key, { network: key, height: startHeight, atMs: options.clock.now() });
    }
  }

  due(network: string, height: number): ChainTransaction[] {
    return this.#work.due(network, height).sort((left, right) => left.sequence - right.sequence);
  }

  /** The height now, blocks included that are due and not yet added. */
  height(network: string): number {
    const tip = this.#tip(network);
    return tip.height + (this.#busy.has(network) ? 0 : this.#elapsedBlocks(tip));
  }

  /** Adds the blocks that have become due since the last call. */
  catchUp(network: string): void {
    if (this.#busy.has(network)) return;
    const tip = this.#tip(network);
    const elapsed = this.#elapsedBlocks(tip);
    if (elapsed > 0) this.#add({ network, count: elapsed, intervalMs: this.#blockMs(network) });
  }

  /** Adds blocks now. The next automatic block keeps its time. */
  addBlocks(network: string, count: number): void {
    this.#add({ network, count, intervalMs: 0 });
    this.plan(network);
  }

  takeBlock(network: string): void {
    const tip = this.#tip(network);
    this.#tips.put(network, { ...tip, height: tip.height - 1 });
  }

  /** Sets the timer for the next block with an effect, or none. */
  plan(network: string): void {
    const atMs = this.#nextTimeMs(network);
    const timer = this.#timers.get(network);
    if (timer?.atMs === atMs) return;
    if (timer !== undefined) this.#clock.cancel(timer.handle);
    this.#timers.delete(network);
    if (atMs === undefined) return;
    const handle = this.#clock.at(atMs, () => {
      this.#timers.delete(network);
      this.catchUp(network);
      this.plan(network);
    });
    this.#timers.set(network, { atMs, handle });
  }

  resume(): void {
    this.stop();
    for (const network of this.#networks.keys()) this.plan(network);
  }

  stop(): void {
    for (const timer of this.#timers.values()) this.#clock.cancel(timer.handle);
    this.#timers.clear();
  }

  /**
   * `intervalMs` is the time between the blocks. With 0 all blocks come now, and the times of the
   * automatic blocks stay.
   */
  #add(blocks: { network: string; count: number; intervalMs: number }): void {
    const { network, count, intervalMs } = blocks;
    const start = this.#tip(network);
    const target = start.height + count;
    this.#busy.add(network);
    try {
      for (let height = start.height; height < target;) {
        height = Math.min(this.#nextHeight(network, height) ?? target, target);
        const atMs = start.atMs + (height - start.height) * intervalMs;
        this.#tips.put(network, { network, height, atMs });
        this.#work.addBlock({
          network,
          height,
          timeMs: intervalMs === 0 ? this.#clock.now() : atMs,
        });
      }
    } finally {
      this.#busy.delete(network);
    }
  }

  /** The next height above `height` at which something happens. */
  #nextHeight(network: string, height: number): number | undefined {
    if (this.#work.isAnyDue(network)) return height + 1;
    const prefix = `${network}|`;
    let next: number | undefined;
    for (const key of this.#work.dueKeys()) {
      if (!key.startsWith(prefix)) continue;
      const due = Number(key.slice(prefix.length));
      if (due > height && (next === undefined || due < next)) next = due;
    }
    return next;
  }

  #nextTimeMs(network: string): number | undefined {
    if (!this.#autoMine) return undefined;
    const tip = this.#tip(network);
    const next = this.#nextHeight(network, tip.height + this.#elapsedBlocks(tip));
    return next === undefined ? undefined : tip.atMs + (next - tip.height) * this.#blockMs(network);
  }

  #elapsedBlocks(tip: Tip): number {
    if (!this.#autoMine) return 0;
    return Math.max(0, Math.floor((this.#clock.now() - tip.atMs) / this.#blockMs(tip.network)));
  }

  #blockMs(network: string): number {
    return (this.#networks.get(network)?.blockTimeSeconds ?? 1) * 1000;
  }

  #tip(network: string): Tip {
    const tip = this.#tips.get(network);
    if (tip === undefined) throw new Error(`no chain ${network}`);
    return tip;
  }
}
