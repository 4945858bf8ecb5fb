import type { Json } from '../../call.ts';
import type { Address, Stage, Vault } from '../stage.ts';
import { fundedVault } from './funded-vault.ts';

const ETHER = '1000000000000000000';

/** Orders of ether, from vaults that hold some. */
export class EtherOrders {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  funded(settings: Json = {}, amount = ETHER): Promise<{ vault: Vault; address: Address }> {
    return fundedVault(this.#stage, { network: 'ethereum', funds: { ETH: amount } }, settings);
  }

  from(vault: Vault, more: Json = {}): Promise<Json> {
    return this.#stage.order(vault, { asset: 'ethereum:ETH', ...more });
  }

  async statusOf(order: Json): Promise<unknown> {
    return (await this.#stage.transaction(order['transactionId']))['status'];
  }
}
