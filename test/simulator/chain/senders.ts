import type { Transaction } from '../../../src/wire/transaction.ts';
import type { AddressRecord } from '../../../src/simulator/world/vault.ts';
import type { OrderRequest } from '../../../src/simulator/world/transaction.ts';
import { record, Scene } from '../world/scene.ts';

const ETH = 10n ** 18n;

/** One vault whose addresses hold ether and dollars, and the actions of its clients. */
export class Senders {
  readonly scene: Scene;
  readonly addresses: readonly [AddressRecord, AddressRecord];
  readonly network: string;

  constructor(options: { network?: string; autoMine?: boolean; seed?: number } = {}) {
    this.scene = new Scene(options);
    this.network = options.network ?? 'ethereum';
    const vault = this.scene.vault();
    this.addresses = [
      this.scene.address(vault, this.network, 'one'),
      this.scene.address(vault, this.network, 'two'),
    ];
    for (const address of this.addresses) {
      this.scene.fund(address, this.native, ETH);
      this.scene.fund(address, 'USDC', 1_000_000n);
    }
  }

  get native(): string {
    return this.network === 'ethereum' ? 'ETH' : 'POL';
  }

  send(more: Partial<OrderRequest> = {}, from: AddressRecord = this.addresses[0]): Transaction {
    return this.scene.order({
      vaultId: from.vaultId,
      addressId: from.addressId,
      network: from.network,
      asset: `${from.network}:${this.native}`,
      amount: 1000n,
      ...more,
    });
  }

  debit(amount = 5n): string {
    const [{ addressId, network }] = this.addresses;
    const asset = `${network}:${this.native}`;
    const destinationAddress = 'thief';
    return record(
      this.scene.world.externalDebit({ network, addressId, asset, amount, destinationAddress }),
    ).blockchainHash;
  }

  status({ transactionId }: Transaction): string {
    return this.scene.transaction(transactionId).status;
  }

  mempool(): string[] {
    return this.scene.world.chains().find(({ network }) => network === this.network)?.mempool ?? [];
  }
}
