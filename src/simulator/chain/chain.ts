import type { Clock } from '../clock.ts';
import type { Random } from '../state/random.ts';
import type { State } from '../state/state.ts';
import type { Index, Table } from '../state/table.ts';
import type { NetworkConfig } from '../world/network-config.ts';
import { BlockSchedule } from './block-schedule.ts';
import { freshHash } from './blockchain-hash.ts';
import { outpoint } from './chain-transaction.ts';
import type { ChainTransaction, TransactionPlan } from './chain-transaction.ts';
import { Ledger } from './ledger.ts';

/** Hears what happens on the chains, in order, right after it happened. */
export interface ChainListener {
  /** Broadcast for the first time. */
  accepted(transaction: ChainTransaction): void;
  /** Taken in by a block; again after a reorg. */
  mined(transaction: ChainTransaction): void;
  /** Reached a published depth. */
  deepened(transaction: ChainTransaction, depth: number): void;
  /** Its block is gone; it waits again, or `dropped` follows. */
  unmined(transaction: ChainTransaction): void;
  /** Gone for good. */
  dropped(transaction: ChainTransaction): void;
  /** Gone for good, because the transaction that outbid it was mined. */
  replaced(transaction: ChainTransaction): void;
  /** A block has been worked off: balances may have grown. */
  blockAdded(network: string): void;
}

/** Every chain: mempools, blocks, reorgs. All balances follow from here. */
export class Chain {
  readonly ledger: Ledger;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #networks: ReadonlyMap<string, NetworkConfig>;
  readonly #listener: ChainListener;
  readonly #transactions: Table<ChainTransaction>;
  readonly #waiting: Index<ChainTransaction>;
  readonly #claims: Index<ChainTransaction>;
  readonly #bids: Index<ChainTransaction>;
  readonly #waitingBySource: Index<ChainTransaction>;
  readonly #byHeight: Index<ChainTransaction>;
  readonly #byAddress: Index<ChainTransaction>;
  readonly #schedule: BlockSchedule;

  constructor(options: {
    state: State;
    clock: Clock;
    random: Random;
    networks: readonly NetworkConfig[];
    autoMine: boolean;
    listener: ChainListener;
  }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#listener = options.listener;
    this.#networks = new Map(options.networks.map((network) => [network.key, network]));
    this.ledger = new Ledger(options.state);
    this.#transactions = options.state.table('chainTransactions');
    this.#waiting = this.#transactions.index((row) =>
      row.status === 'mempool' ? [row.network] : [],
    );
    this.#claims = this.#transactions.index((row) => (row.status === 'mempool' ? row.spends : []));
    this.#bids = this.#transactions.index((row) =>
      row.status === 'mempool' && row.replaces !== null ? [row.replaces] : [],
    );
    this.#waitingBySource = this.#transactions.index((row) =>
      row.status === 'mempool' ? row.sources.map((source) => `${row.network}|${source}`) : [],
    );
    this.#byHeight = this.#transactions.index((row) =>
      row.blockHeight === null ? [] : [`${row.network}|${row.blockHeight}`],
    );
    this.#byAddress = this.#transactions.index((row) => [
      ...new Set(row.movements.map((movement) => `${row.network}|${movement.networkAddress}`)),
    ]);
    const due = this.#transactions.index((row) =>
      row.dueHeight === null ? [] : [`${row.network}|${row.dueHeight}`],
    );
    this.#schedule = new BlockSchedule({
      state: options.state,
      clock: options.clock,
      networks: options.networks,
      autoMine: options.autoMine,
      work: {
        due: (network, height) => due.find(`${network}|${height}`),
        dueKeys: () => due.keys(),
        isWaiting: (network) => this.#waiting.count(network) > 0,
        addBlock: (block) => this.#addBlock(block),
      },
    });
  }

  /** Schedules again after a restore. */
  resume(): void {
    this.#schedule.resume();
  }

  stop(): void {
    this.#schedule.stop();
  }

  height(network: string): number {
    return this.#schedule.height(network);
  }

  /** Waiting transactions in the order in which a block takes them in. */
  mempool(network: string): ChainTransaction[] {
    return this.#waiting.find(network).sort((left, right) => left.sequence - right.sequence);
  }

  /** Waiting transactions that this address pays for and that nothing outbids. */
  mempoolFrom(network: string, networkAddress: string): ChainTransaction[] {
    return this.#waitingBySource
      .find(`${network}|${networkAddress}`)
      .filter((transaction) => !this.#isOutbid(transaction));
  }

  transaction(hash: string): ChainTransaction | undefined {
    return this.#transactions.get(hash);
  }

  transactions(): IterableIterator<ChainTransaction> {
    return this.#transactions.list();
  }

  /** Transactions that move anything on this address, in order of broadcast. */
  transactionsOf(network: string, networkAddress: string): ChainTransaction[] {
    return this.#byAddress
      .find(`${network}|${networkAddress}`)
      .sort((left, right) => left.sequence - right.sequence);
  }

  /** Waiting transactions that spend this output. */
  claimants(outpointId: string): ChainTransaction[] {
    return this.#claims.find(outpointId);
  }

  /** Blocks on top of and including the transaction's own; 0 while it is in none. */
  confirmations(transaction: ChainTransaction): number {
    if (transaction.status !== 'mined' || transaction.blockHeight === null) return 0;
    return this.height(transaction.network) - transaction.blockHeight + 1;
  }

  /** A hash that nothing has yet, shaped as the network shapes them. */
  nextHash(network: string): string {
    return freshHash(this.#config(network), this.#random);
  }

  /** Puts a transaction into the mempool. */
  broadcast(
    plan: TransactionPlan,
    details: {
      hash: string;
      transactionId?: string;
      replaces?: string | null;
      reverts?: boolean;
    },
  ): ChainTransaction {
    this.#schedule.catchUp(plan.network);
    const transaction: ChainTransaction = {
      hash: details.hash,
      sequence: this.#transactions.size + 1,
      status: 'mempool',
      reverts: details.reverts ?? false,
      network: plan.network,
      movements: plan.movements,
      burned: plan.burned,
      spends: plan.spends,
      outputs: plan.outputs,
      sources: plan.sources,
      metadata: plan.metadata,
      firstSeenMs: this.#clock.now(),
      blockHeight: null,
      minedAtMs: null,
      dueHeight: null,
      transactionId: details.transactionId ?? null,
      replaces: details.replaces ?? null,
    };
    this.#transactions.put(transaction.hash, transaction);
    this.#listener.accepted(transaction);
    this.#schedule.plan(plan.network);
    return transaction;
  }

  /** Adds `count` blocks now. */
  mine(network: string, count: number): void {
    this.#schedule.catchUp(network);
    this.#schedule.addBlocks(network, count);
  }

  /**
   * Takes the last `depth` blocks away and drops `drop` for good, with whatever spends their
   * outputs. Returns the hashes that wait again and those that are gone.
   */
  reorg(
    network: string,
    options: { depth: number; drop: readonly string[] },
  ): { returned: string[]; dropped: string[] } {
    this.#schedule.catchUp(network);
    const returned = this.#takeBlocksAway(network, options.depth);
    const dropped: string[] = [];
    for (const hash of options.drop) {
      const transaction = this.#transactions.get(hash);
      if (transaction?.status === 'mempool') this.#drop(transaction, dropped);
    }
    this.#schedule.plan(network);
    return { returned: returned.filter((hash) => !dropped.includes(hash)), dropped };
  }

  /** Whether a reorg of this depth could drop the hash: it waits, or sits in the last blocks. */
  isDroppable(network: string, hash: string, depth: number): boolean {
    const transaction = this.#transactions.get(hash);
    if (transaction?.network !== network) return false;
    if (transaction.status === 'mempool') return true;
    return transaction.status === 'mined' && this.confirmations(transaction) <= depth;
  }

  /** Newest first, so that nothing is undone before what spends it. */
  #takeBlocksAway(network: string, depth: number): string[] {
    const returned: string[] = [];
    for (let taken = 0; taken < depth; taken += 1) {
      const height = this.#schedule.height(network);
      this.#schedule.takeBlock(network);
      const block = this.#byHeight
        .find(`${network}|${height}`)
        .sort((left, right) => right.sequence - left.sequence);
      for (const transaction of block) {
        this.ledger.unapply(transaction);
        const waiting: ChainTransaction = {
          ...transaction,
          status: 'mempool',
          blockHeight: null,
          minedAtMs: null,
          dueHeight: null,
        };
        this.#transactions.put(waiting.hash, waiting);
        returned.push(waiting.hash);
        this.#listener.unmined(waiting);
      }
    }
    // A deeper depth that was due at a height taken away is due there again once it is re-mined:
    // `dueHeight` of what stays in a block never lies below the new tip.
    return returned;
  }

  #addBlock(block: { network: string; height: number; timeMs: number }): void {
    const { network, height } = block;
    for (const transaction of this.mempool(network)) {
      const current = this.#transactions.get(transaction.hash);
      if (current?.status !== 'mempool' || this.#isOutbid(current)) continue;
      const valid = !this.#isTooLate(current) && this.ledger.canApply(current);
      if (valid) this.#take(current, block);
      else this.#drop(current, []);
    }
    for (const transaction of this.#schedule.due(network, height)) this.#deepen(transaction);
    this.#listener.blockAdded(network);
  }

  #take(transaction: ChainTransaction, block: { height: number; timeMs: number }): void {
    this.ledger.apply(transaction);
    const [firstDepth] = this.#config(transaction.network).confirmations;
    const mined: ChainTransaction = {
      ...transaction,
      status: 'mined',
      blockHeight: block.height,
      minedAtMs: block.timeMs,
      dueHeight: firstDepth === undefined ? null : block.height + firstDepth - 1,
    };
    this.#transactions.put(mined.hash, mined);
    this.#listener.mined(mined);
    this.#replaceOriginals(mined);
    if (mined.dueHeight === block.height) this.#deepen(mined);
  }

  /** Tells the depth that is due now and plans the next one. */
  #deepen(transaction: ChainTransaction): void {
    const { dueHeight, blockHeight } = transaction;
    if (dueHeight === null || blockHeight === null) return;
    const depth = dueHeight - blockHeight + 1;
    const next = this.#config(transaction.network).confirmations.find((each) => each > depth);
    const deeper: ChainTransaction = {
      ...transaction,
      dueHeight: next === undefined ? null : blockHeight + next - 1,
    };
    this.#transactions.put(deeper.hash, deeper);
    this.#listener.deepened(deeper, depth);
  }

  /** Miners keep only the better-paying of two that spend the same. */
  #isOutbid(transaction: ChainTransaction): boolean {
    return this.#bids.find(transaction.hash).some((bid) => {
      return !this.#isTooLate(bid) && this.ledger.canApply(bid);
    });
  }

  /** Whether what it outbids was mined after all: one nonce is used once. */
  #isTooLate(transaction: ChainTransaction): boolean {
    const original = this.#transactions.get(transaction.replaces ?? '');
    if (original === undefined) return false;
    return original.status === 'mined' || this.#isTooLate(original);
  }

  #replaceOriginals(mined: ChainTransaction): void {
    let original = this.#transactions.get(mined.replaces ?? '');
    while (original?.status === 'mempool') {
      this.#transactions.put(original.hash, { ...original, status: 'dropped' });
      this.#listener.replaced(original);
      original = this.#transactions.get(original.replaces ?? '');
    }
  }

  #drop(transaction: ChainTransaction, dropped: string[]): void {
    const gone: ChainTransaction = { ...transaction, status: 'dropped' };
    this.#transactions.put(gone.hash, gone);
    dropped.push(gone.hash);
    this.#listener.dropped(gone);
    for (const index of gone.outputs.keys()) {
      for (const spender of this.#claims.find(outpoint(gone.hash, index))) {
        this.#drop(spender, dropped);
      }
    }
  }

  #config(network: string): NetworkConfig {
    const config = this.#networks.get(network);
    if (config === undefined) throw new Error(`no network ${network}`);
    return config;
  }
}
