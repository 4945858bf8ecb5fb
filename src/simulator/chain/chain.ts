import type { Clock } from '../clock.ts';
import type { Random } from '../state/random.ts';
import type { State } from '../state/state.ts';
import type { Index, Table } from '../state/table.ts';
import type { NetworkConfig } from '../world/network-config.ts';
import { BlockSchedule } from './block-schedule.ts';
import { freshHash } from './blockchain-hash.ts';
import type { ChainListener } from './chain-listener.ts';
import { outpoint } from './chain-transaction.ts';
import type { ChainTransaction, TransactionPlan } from './chain-transaction.ts';
import { DoubleSpends } from './double-spends.ts';
import { Ledger } from './ledger.ts';
import { Mempool } from './mempool.ts';
import { Nonces } from './nonces.ts';

interface Block {
  network: string;
  height: number;
  timeMs: number;
}

/** Every chain: broadcasts, blocks and reorgs. All balances follow from it. */
export class Chain {
  readonly ledger: Ledger;
  readonly mempool: Mempool;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #networks: ReadonlyMap<string, NetworkConfig>;
  readonly #listener: ChainListener;
  readonly #transactions: Table<ChainTransaction>;
  readonly #byHeight: Index<ChainTransaction>;
  readonly #byAddress: Index<ChainTransaction>;
  readonly #doubleSpends: DoubleSpends;
  readonly #nonces: Nonces;
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
    this.#byHeight = this.#transactions.index((row) =>
      row.blockHeight === null ? [] : [`${row.network}|${row.blockHeight}`],
    );
    this.#byAddress = this.#transactions.index((row) => [
      ...new Set(row.movements.map((movement) => `${row.network}|${movement.networkAddress}`)),
    ]);
    this.#doubleSpends = new DoubleSpends(this.#transactions);
    this.mempool = new Mempool({
      transactions: this.#transactions,
      ledger: this.ledger,
      doubleSpends: this.#doubleSpends,
    });
    this.#nonces = new Nonces(options.state, this.#transactions);
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
        isAnyDue: (network) => this.#nonces.isAnyDue(network),
        addBlock: (block) => this.#addBlock(block),
      },
    });
  }

  /** Sets the block timers again, after a restore. */
  resume(): void {
    this.#schedule.resume();
  }

  stop(): void {
    this.#schedule.stop();
  }

  height(network: string): number {
    return this.#schedule.height(network);
  }

  transaction(hash: string): ChainTransaction | undefined {
    return this.#transactions.get(hash);
  }

  transactions(): IterableIterator<ChainTransaction> {
    return this.#transactions.list();
  }

  /** Transactions that move an asset on this address, in order of broadcast. */
  transactionsOf(network: string, networkAddress: string): ChainTransaction[] {
    return this.#byAddress
      .find(`${network}|${networkAddress}`)
      .sort((left, right) => left.sequence - right.sequence);
  }

  /**
   * Number of blocks from the transaction's own to the tip, both included; 0 while it is in none.
   */
  confirmations(transaction: ChainTransaction): number {
    if (transaction.status !== 'mined' || transaction.blockHeight === null) return 0;
    return this.height(transaction.network) - transaction.blockHeight + 1;
  }

  /** A new hash in the notation of the network. */
  nextHash(network: string): string {
    return freshHash(this.#config(network), this.#random);
  }

  /**
   * The nonce of the sender's next transaction: the lowest free one. Undefined on networks without
   * nonces. Due blocks can change it, so call `catchUp` first.
   */
  nextNonce(network: string, networkAddress: string): number | undefined {
    const isCounted = this.#config(network).fee.kind === 'byGas';
    return isCounted ? this.#nonces.next(network, networkAddress) : undefined;
  }

  /** Adds the blocks that have become due since the last call. */
  catchUp(network: string): void {
    this.#schedule.catchUp(network);
  }

  /** Puts a transaction into the mempool. Its metadata shows the `nonce`. */
  broadcast(
    plan: TransactionPlan,
    details: {
      hash: string;
      transactionId?: string;
      replaces?: string | null;
      reverts?: boolean;
      nonce?: number | undefined;
    },
  ): ChainTransaction {
    this.#schedule.catchUp(plan.network);
    const nonce = details.nonce === undefined ? {} : { nonce: details.nonce };
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
      metadata: { ...plan.metadata, ...nonce },
      firstSeenMs: this.#clock.now(),
      blockHeight: null,
      minedAtMs: null,
      dueHeight: null,
      transactionId: details.transactionId ?? null,
      replaces: details.replaces ?? null,
      ...nonce,
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
   * Removes the last `depth` blocks. Drops the hashes in `drop` for ever, with every transaction
   * that spends their outputs. Returns the hashes that wait again and the dropped ones.
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

  /** Whether a reorg of this depth can drop the hash: it waits, or it is in the last blocks. */
  isDroppable(network: string, hash: string, depth: number): boolean {
    const transaction = this.#transactions.get(hash);
    if (transaction?.network !== network) return false;
    if (transaction.status === 'mempool') return true;
    return transaction.status === 'mined' && this.confirmations(transaction) <= depth;
  }

  /**
   * Removes the newest blocks first: a transaction must be undone before the one whose outputs it
   * spends.
   */
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
        this.#nonces.giveBack(transaction);
        const pending: ChainTransaction = {
          ...transaction,
          status: 'mempool',
          blockHeight: null,
          minedAtMs: null,
          dueHeight: null,
        };
        this.#transactions.put(pending.hash, pending);
        returned.push(pending.hash);
        this.#listener.unmined(pending);
      }
    }
    // Depths of the transactions that stay in blocks need no change: their `dueHeight` never lies
    // below the new tip, and the chain reaches that height again.
    return returned;
  }

  #addBlock(block: Block): void {
    const { network, height } = block;
    for (const transaction of this.mempool.list(network)) {
      let taken = this.#consider(transaction, block);
      // Transactions that were skipped because this nonce was missing follow directly.
      while (taken !== undefined) taken = this.#considerSkipped(taken, transaction, block);
    }
    for (const transaction of this.#schedule.due(network, height)) this.#deepen(transaction);
    this.#listener.blockAdded(network);
  }

  #considerSkipped(
    taken: ChainTransaction,
    last: ChainTransaction,
    block: Block,
  ): ChainTransaction | undefined {
    for (const next of this.#nonces.following(taken)) {
      const mined = next.sequence < last.sequence ? this.#consider(next, block) : undefined;
      if (mined !== undefined) return mined;
    }
    return undefined;
  }

  /**
   * Takes a pending transaction into the block, drops it as invalid, or leaves it. Returns it when
   * the block took it in.
   */
  #consider({ hash }: ChainTransaction, block: Block): ChainTransaction | undefined {
    const transaction = this.#transactions.get(hash);
    if (transaction?.status !== 'mempool' || !this.#nonces.isDue(transaction)) return undefined;
    if (this.mempool.losesToReplacement(transaction)) return undefined;
    if (this.ledger.canApply(transaction)) return this.#take(transaction, block);
    this.#drop(transaction, []);
    return undefined;
  }

  #take(transaction: ChainTransaction, block: Block): ChainTransaction {
    this.ledger.apply(transaction);
    this.#nonces.use(transaction);
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
    for (const loser of this.#doubleSpends.losers(mined)) {
      this.#transactions.put(loser.hash, { ...loser, status: 'dropped' });
      this.#listener.replaced(loser);
    }
    if (mined.dueHeight === block.height) this.#deepen(mined);
    return mined;
  }

  /** Reports the depth that is reached now and plans the next one. */
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

  #drop(transaction: ChainTransaction, dropped: string[]): void {
    const gone: ChainTransaction = { ...transaction, status: 'dropped' };
    this.#transactions.put(gone.hash, gone);
    dropped.push(gone.hash);
    this.#listener.dropped(gone);
    for (const index of gone.outputs.keys()) {
      for (const spender of this.mempool.claimants(outpoint(gone.hash, index))) {
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
