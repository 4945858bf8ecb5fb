import { systemClock } from '../../../custody/clock.ts';
import type { CoreClient, CoreControl } from '../core-client.ts';
import { CoreRefused } from '../core-client.ts';
import type { SeededRandom } from './random.ts';
import { NETWORKS, type DemoAddress, type DemoNetwork, type Scene } from './scene.ts';

/**
 * Pause between two actions, and between two blocks of every chain. The service delivers a vault's
 * notifications one after another, so queues must drain even after a retry. And an hour's orders
 * must fit the traders' request limits.
 */
const ACTION_INTERVAL_MS = 500;
const BLOCK_INTERVAL_MS = 1_000;

/** Time limit for the credit of the staged deposit: its vault may wait for a retry. */
const CREDIT_MS_MAX = 40_000;

/** A memo that no customer has. */
const UNKNOWN_MEMO = '404';

/** Blocks mined at the end: enough for the required depth of every network. */
const CLOSING_BLOCKS = 14;

/**
 * Seeded traffic against the core: customers deposit, the exchange pays out and sweeps between its
 * own vaults, blocks are mined. The seed determines the sequence of actions, not their times.
 */
export class Traffic {
  readonly #control: CoreControl;
  readonly #traders: readonly CoreClient[];
  readonly #scene: Scene;
  readonly #random: SeededRandom;
  /** Networks reserved for a staged event. */
  readonly #held = new Set<string>();
  #orderNumber = 0;

  constructor(options: {
    control: CoreControl;
    /** Several clients: each may make 100 requests a minute. */
    traders: readonly CoreClient[];
    scene: Scene;
    random: SeededRandom;
  }) {
    this.#control = options.control;
    this.#traders = options.traders;
    this.#scene = options.scene;
    this.#random = options.random;
  }

  /** Acts until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      repeat(ACTION_INTERVAL_MS, signal, () => this.#act()),
      repeat(BLOCK_INTERVAL_MS, signal, () => this.#mineAll(1)),
    ]);
  }

  /** Mines enough blocks for the depth of every policy. */
  async mineClosingBlocks(): Promise<void> {
    await this.#mineAll(CLOSING_BLOCKS);
  }

  /**
   * Makes a deposit, waits for its credit, then removes its blocks for good: the feed must reverse
   * the credit. The chain mines nothing else meanwhile, so that the reorg stays within reach.
   * Returns null, and removes nothing, when the credit did not come in time.
   */
  async creditedThenDropped(
    isCredited: (hash: string) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<string | null> {
    const network = networkOf('bitcoin');
    this.#held.add(network.key);
    try {
      const hash = await this.#deposit(this.#addressOn(network));
      await this.#mine(network, network.depth);
      const deadline = Date.now() + CREDIT_MS_MAX;
      while (!(await isCredited(hash))) {
        if (Date.now() > deadline || signal.aborted) return null;
        await systemClock.sleep(250);
      }
      await this.#reorg(network, network.depth + 1, [hash]);
      return hash;
    } finally {
      this.#held.delete(network.key);
    }
  }

  /** Makes a deposit and removes it by a shallow reorg before any credit. */
  async minedThenDropped(): Promise<string> {
    const network = networkOf('ethereum');
    const hash = await this.#deposit(this.#addressOn(network));
    await this.#mine(network, 1);
    await this.#reorg(network, 3, [hash]);
    return hash;
  }

  /** Makes a deposit with an unknown memo that reaches its depth. */
  async depositOfNobody(): Promise<string> {
    const network = networkOf('ripple');
    const hash = await this.#deposit(this.#addressOn(network), UNKNOWN_MEMO);
    await this.#mine(network, network.depth);
    return hash;
  }

  async #act(): Promise<void> {
    const chance = this.#random.next();
    const address = this.#addressOn(this.#random.pick(NETWORKS));
    if (this.#held.has(address.network.key)) return;
    try {
      if (chance < 0.64) await this.#deposit(address);
      else if (chance < 0.86) await this.#order(address, this.#outsideAddress(address.network));
      else await this.#order(address, this.#ownElsewhere(address));
    } catch (error) {
      // For example an order beyond an address's balance: the service refuses it, and traffic
      // continues.
      if (!(error instanceof CoreRefused)) throw error;
    }
  }

  /**
   * Makes a deposit with the given memo, otherwise with a customer's memo if the address has any.
   */
  async #deposit(address: DemoAddress, given?: string): Promise<string> {
    const { asset, amount } = this.#amountOn(address.network);
    const known = address.memos.length === 0 ? undefined : this.#random.pick(address.memos);
    const memo = given ?? known;
    const created = (await this.#control.post('/sim/deposits', {
      network: address.network.key,
      addressId: address.addressId,
      asset,
      amount: amount.toString(),
      ...(memo === undefined ? {} : { memo }),
    })) as { blockchainHash: string };
    return created.blockchainHash;
  }

  async #order(address: DemoAddress, destinationAddress: string): Promise<void> {
    const { asset, amount } = this.#amountOn(address.network);
    const change = this.#otherAddress(address);
    this.#orderNumber += 1;
    const trader = this.#random.pick(this.#traders);
    await trader.post('/transactions', {
      orderId: `demo-${this.#orderNumber}`,
      vaultId: address.vaultId,
      ...address.scope,
      network: address.network.key,
      asset,
      amount: (amount / 20n + 1n).toString(),
      destinationAddress,
      ...(address.network.key === 'bitcoin' && this.#random.next() < 0.5
        ? { changeAddressId: change.addressId }
        : {}),
    });
  }

  async #reorg(network: DemoNetwork, depth: number, drop: readonly string[]): Promise<void> {
    await this.#control.post('/sim/reorgs', { network: network.key, depth, drop });
  }

  async #mineAll(count: number): Promise<void> {
    for (const network of NETWORKS) {
      if (!this.#held.has(network.key)) await this.#mine(network, count);
    }
  }

  async #mine(network: DemoNetwork, count: number): Promise<void> {
    await this.#control.post('/sim/blocks', { network: network.key, count });
  }

  #amountOn(network: DemoNetwork): { asset: string; amount: bigint } {
    const { asset, step, least, most } = this.#random.pick(network.assets);
    return { asset, amount: step * BigInt(this.#random.between(least, most)) };
  }

  #addressOn(network: DemoNetwork): DemoAddress {
    return this.#random.pick(this.#scene.addresses.filter((one) => one.network === network));
  }

  #otherAddress(address: DemoAddress): DemoAddress {
    return this.#random.pick(
      this.#scene.addresses.filter(
        (one) => one.network === address.network && one.vaultId === address.vaultId,
      ),
    );
  }

  #ownElsewhere(address: DemoAddress): string {
    return this.#random.pick(
      this.#scene.addresses.filter(
        (one) => one.network === address.network && one.vaultId !== address.vaultId,
      ),
    ).networkAddress;
  }

  #outsideAddress(network: DemoNetwork): string {
    return OUTSIDE[network.key] ?? '';
  }
}

/** Well-formed addresses outside the demo. */
const OUTSIDE: Readonly<Record<string, string>> = {
  ethereum: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  bitcoin: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  ripple: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
};

function networkOf(key: string): DemoNetwork {
  const network = NETWORKS.find((one) => one.key === key);
  if (network === undefined) throw new Error(`the demo has no network ${key}`);
  return network;
}

async function repeat(
  intervalMs: number,
  signal: AbortSignal,
  act: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await act();
    await systemClock.sleep(intervalMs, signal);
  }
}
