import type { DepositOutput } from '../../../src/simulator/world/on-chain.ts';
import type { OrderRequest } from '../../../src/simulator/world/transaction.ts';
import type { World } from '../../../src/simulator/world/world.ts';
import { fillGaps } from '../../simulator/world/gap-filler.ts';
import { Chance } from '../seeded-draws.ts';
import type { EventLog } from '../event-log.ts';
import { APPROVERS, type Destination, type CustodySetup } from './custody-setup.ts';
import { outsideOn } from '../../simulator/outside-addresses.ts';

/** A contract that the custody service does not recognise: no name, no decimals, huge amounts. */
const UNKNOWN_CONTRACT = 'ethereum:0x00000000000000000000000000000000000000c0';
/** Most are shallow; some are deeper than every policy requires. */
const REORG_DEPTHS_MAX = [2, 8, 8, 40] as const;

/** The most blocks that are taken back while the custody API answers. */
const YOUNG_MAX = 8;

const ACTIONS = {
  deposit: 30,
  mine: 30,
  mineAll: 6,
  orderOut: 9,
  orderInside: 9,
  replace: 5,
  decideOrder: 6,
  cancel: 1,
  reorg: 10,
  externalDebit: 2,
} as const;

/** People and chains: everything that happens at and beneath the custody service. */
export class Traffic {
  readonly #world: World;
  readonly #custodySetup: CustodySetup;
  readonly #chance: Chance;
  readonly #log: EventLog;
  #orders = 0;

  constructor(options: { world: World; custodySetup: CustodySetup; seed: number; log: EventLog }) {
    this.#world = options.world;
    this.#custodySetup = options.custodySetup;
    this.#log = options.log;
    this.#chance = new Chance(options.seed, 'traffic');
  }

  /** Makes one thing happen; the core may refuse it. */
  act(): void {
    const action = this.#chance.weighted(ACTIONS);
    this.#log.add(`${action} ${this.#do(action)}`);
  }

  /** Takes back the blocks from a young transaction on; answers its network, undefined without one. */
  takeBack(): string | undefined {
    const young = this.#chance.pickAny(
      this.#world
        .truthTransactions()
        .filter(
          ({ status, confirmations }) => status === 'confirmed' && confirmations <= YOUNG_MAX,
        ),
    );
    if (young === undefined) return undefined;
    const { network, confirmations: depth } = young;
    const { kind } = this.#world.reorg({ network, depth });
    this.#log.add(`taken back ${network} ${depth} ${kind}`);
    return network;
  }

  /** Mines one block. */
  mine(network: string): void {
    this.#log.add(`mine ${network} ${this.#world.mineBlocks(network, 1).kind}`);
  }

  /** What waits behind a missing nonce goes on its way: the sender's next transaction fills the gap. */
  fillGaps(): void {
    for (const { key } of this.#custodySetup.networks) fillGaps(this.#world, key, APPROVERS);
    this.#log.add('gaps filled');
  }

  /** Mines so many blocks of every chain. */
  bury(blocks: number): void {
    for (const { key } of this.#custodySetup.networks) this.#world.mineBlocks(key, blocks);
    this.#log.add(`bury ${blocks}`);
  }

  /** Decides every order that waits for people: half of them are approved. */
  decideAll(): void {
    for (const { transactionId } of this.#pending()) {
      const decide = this.#chance.happens(0.5) ? 'approve' : 'reject';
      for (const clientId of APPROVERS) this.#world[decide]({ transactionId, clientId });
    }
  }

  #do(action: keyof typeof ACTIONS): string {
    const { key } = this.#chance.pick(this.#custodySetup.networks);
    switch (action) {
      case 'deposit':
        return this.#deposit();
      case 'mine': {
        const count = this.#chance.between(1, 4);
        return `${key} ${count} ${this.#world.mineBlocks(key, count).kind}`;
      }
      case 'mineAll': {
        const count = this.#chance.between(1, 8);
        for (const network of this.#custodySetup.networks)
          this.#world.mineBlocks(network.key, count);
        return `${count}`;
      }
      case 'orderOut': {
        const from = this.#destination();
        return this.#order(from, outsideOn(from.network.key));
      }
      case 'orderInside': {
        const from = this.#destination();
        const to = this.#chance.pick(this.#on(from.network.key));
        return this.#order(from, to.address.networkAddress, to.memos);
      }
      case 'replace':
        return this.#replace();
      case 'decideOrder':
        return this.#decideOrder();
      case 'cancel': {
        const open = this.#chance.pickAny(this.#pending());
        return open === undefined ? 'nothing' : this.#world.cancel(open.transactionId).kind;
      }
      case 'reorg':
        return this.#reorg(key, this.#chance.between(1, this.#chance.pick(REORG_DEPTHS_MAX)));
      case 'externalDebit':
        return this.#externalDebit();
      default:
        return action satisfies never;
    }
  }

  #destination(): Destination {
    return this.#chance.pick(this.#custodySetup.destinations);
  }

  #on(network: string): Destination[] {
    return this.#custodySetup.destinations.filter(
      (destination) => destination.network.key === network,
    );
  }

  #money(destination: Destination): { asset: string; amount: bigint } {
    const chance = this.#chance;
    if (destination.network.key === 'ethereum' && chance.happens(0.1)) {
      return { asset: UNKNOWN_CONTRACT, amount: 10n ** 60n + BigInt(chance.between(0, 1_000_000)) };
    }
    const { asset, decimals } = chance.pick(destination.network.assets);
    // From less than dust to more than one approval permits, and never a round number.
    const unit = 10n ** BigInt(Math.max(0, decimals - chance.between(0, 4)));
    const digits = decimals === 0 ? 0n : BigInt(chance.between(0, 9));
    return { asset, amount: unit * BigInt(chance.between(1, 30)) + digits + 1n };
  }

  #deposit(): string {
    const chance = this.#chance;
    const first = this.#destination();
    const { key } = first.network;
    const outputs = Array.from({ length: chance.pick([1, 1, 1, 2, 3]) }, (_, index) =>
      this.#output(index === 0 ? first : chance.pick(this.#on(key))),
    );
    if (chance.happens(0.1)) {
      outputs.push({ ...this.#money(first), networkAddress: outsideOn(key) });
    }
    const done = this.#world.deposit({ network: key, outputs });
    return done.kind === 'refused' ? done.message : `${key} ${done.record.blockchainHash}`;
  }

  #output(destination: Destination): DepositOutput {
    const chance = this.#chance;
    const { addressId } = destination.address;
    const output = { addressId, ...this.#money(destination) };
    if (!destination.network.memo || chance.happens(0.1)) return output;
    return { ...output, memo: chance.happens(0.85) ? chance.pick(destination.memos) : '404' };
  }

  #order(from: Destination, destinationAddress: string, memos: readonly string[] = []): string {
    const chance = this.#chance;
    const { vaultId, source } = from.vault;
    const { addressId, accountId } = from.address;
    // The auditor compares this vault by address, so no order may merge its addresses.
    const byAddress = source === 'address';
    const scope = chance.pick(['address', 'address', byAddress ? 'vault' : 'account', 'vault']);
    const { asset, amount } = this.#money(from);
    this.#orders += 1;
    const change = chance.pickAny(
      this.#on(from.network.key).filter((destination) => destination.vault.vaultId === vaultId),
    );
    const memo = chance.pickAny(memos);
    const withChange = from.network.model === 'utxo' && change !== undefined && chance.happens(0.6);
    return this.#send({
      orderId: `order-${this.#orders}`,
      vaultId,
      ...(scope === 'address' ? { addressId } : {}),
      ...(scope === 'account' ? { accountId } : {}),
      network: from.network.key,
      asset,
      amount: amount / BigInt(chance.pick([1, 3, 10])) + 1n,
      destinationAddress,
      ...(memo === undefined ? {} : { memo }),
      ...(withChange ? { changeAddressId: change.address.addressId } : {}),
    });
  }

  #send(request: OrderRequest): string {
    const made = this.#world.orderTransaction(request);
    const asked = `${request.network} ${request.amount} ${request.asset}`;
    if (made.kind === 'refused') return `${asked} ${made.message}`;
    return `${asked} ${made.record.status} ${made.record.blockchainHash ?? ''}`;
  }

  #replace(): string {
    const submitted = this.#chance.pickAny(this.#outgoing('submitted'));
    if (submitted === undefined) return 'nothing';
    const { vaultId, network, addressId, destinationAddress } = submitted;
    this.#orders += 1;
    return this.#send({
      orderId: `order-${this.#orders}`,
      vaultId,
      ...(typeof addressId === 'string' ? { addressId } : {}),
      network,
      asset: String(submitted['asset']),
      amount: BigInt(String(submitted['amount'])),
      destinationAddress: destinationAddress ?? outsideOn(network),
      replacesTransactionId: submitted.transactionId,
    });
  }

  #outgoing(status: string) {
    return this.#world.transactions({ type: 'outgoing', status }).data;
  }

  #pending() {
    return this.#outgoing('approval-pending');
  }

  #decideOrder(): string {
    const open = this.#chance.pickAny(this.#pending());
    if (open === undefined) return 'nothing';
    const decision = { transactionId: open.transactionId, clientId: this.#chance.pick(APPROVERS) };
    const decide = this.#chance.happens(0.85) ? 'approve' : 'reject';
    return `${decide} ${this.#world[decide](decision).kind}`;
  }

  /** Takes back so many blocks of every chain; some transactions never return. */
  reorganise(depth: number): void {
    for (const { key } of this.#custodySetup.networks) {
      this.#log.add(`reorg ${this.#reorg(key, depth)}`);
    }
  }

  #reorg(network: string, depth: number): string {
    const droppable = this.#world
      .truthTransactions()
      .filter(
        (one) =>
          one.network === network &&
          (one.status === 'mempool' || (one.status === 'confirmed' && one.confirmations <= depth)),
      )
      .map(({ blockchainHash }) => blockchainHash);
    const drop = droppable.filter(() => this.#chance.happens(0.3));
    const done = this.#world.reorg({ network, depth, drop });
    if (done.kind === 'refused') return done.message;
    const { returned, dropped } = done.record;
    return `${network} ${depth} returned ${returned.join(',')} dropped ${dropped.join(',')}`;
  }

  #externalDebit(): string {
    const held = this.#world.truthBalances().filter(({ amount }) => amount > 0n);
    const row = this.#chance.pickAny(held);
    const destination = this.#custodySetup.destinations.find(
      (one) => one.address.addressId === row?.addressId,
    );
    if (row === undefined || destination === undefined) return 'nothing';
    const amount = row.amount / BigInt(this.#chance.pick([1, 2, 7])) || 1n;
    const done = this.#world.externalDebit({
      network: destination.network.key,
      addressId: row.addressId,
      asset: row.asset,
      amount,
      destinationAddress: outsideOn(destination.network.key),
    });
    return done.kind === 'refused' ? done.message : done.record.blockchainHash;
  }
}
