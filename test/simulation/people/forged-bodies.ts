import type { Chance } from '../seeded-draws.ts';
import { positionOf, type Destination, type CustodySetup } from './custody-setup.ts';

export type Body = Record<string, unknown> & { readonly id: string };

/** Well-formed notifications of what never happened. */
export class ForgedBodies {
  readonly #custodySetup: CustodySetup;
  readonly #chance: Chance;
  readonly #now: () => number;

  constructor(options: { custodySetup: CustodySetup; chance: Chance; now: () => number }) {
    this.#custodySetup = options.custodySetup;
    this.#chance = options.chance;
    this.#now = options.now;
  }

  hash(): string {
    return `0x${this.#chance.hex(64)}`;
  }

  /** A deposit of any amount, deep enough for every policy. */
  deposit(
    id: string,
    destination: Destination = this.#chance.pick(this.#custodySetup.destinations),
  ): Body {
    const { asset } = this.#chance.pick(destination.network.assets);
    return {
      id,
      timestamp: this.#now(),
      stream: 'incoming',
      type: 'confirmation',
      ...positionOf(destination),
      network: destination.network.key,
      blockchainHash: this.hash(),
      confirmations: 100,
      balanceChanges: [
        { asset, amount: String(this.#chance.between(1, this.#chance.pick([999, 1e9]))), tags: [] },
      ],
    };
  }

  /** A transaction of ours that paid somebody outside. */
  mined(id: string, blockchainHash: string): Body {
    const destination = this.#chance.pick(this.#custodySetup.destinations);
    const { asset } = this.#chance.pick(destination.network.assets);
    return {
      id,
      timestamp: this.#now(),
      stream: 'outgoing',
      type: 'mined',
      ...positionOf(destination),
      transactionId: `nobody-${id}`,
      orderId: `nobody-${id}`,
      network: destination.network.key,
      destinationAddress: 'outside',
      blockchainHash,
      metadata: {},
      balanceChanges: [{ asset, amount: `-${this.#chance.between(1, 1e9)}`, tags: [] }],
    };
  }

  /** A movement that the chain reports, in or out. */
  chainMovement(id: string): Body {
    const { accountId, addressId: _, confirmations: __, ...deposit } = this.deposit(id);
    const sign = this.#chance.pick(['', '-']);
    const balanceChanges = (deposit['balanceChanges'] as { asset: string; amount: string }[]).map(
      (entry) => ({ ...entry, amount: `${sign}${entry.amount}`, account: { id: accountId } }),
    );
    return { ...deposit, id, stream: 'blockchain', type: 'transaction', balanceChanges };
  }
}
