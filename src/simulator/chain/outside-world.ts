import type { CustodyRegistry } from '../vaults/custody-registry.ts';
import type { AssetCatalogue } from '../world/asset-catalogue.ts';
import type { NetworkConfig } from '../world/network-config.ts';
import { refused } from '../world/outcome.ts';
import type { Change, Refused } from '../world/outcome.ts';
import type { DepositOutput, DepositRequest, ExternalDebitRequest } from '../world/on-chain.ts';
import type { Chain } from './chain.ts';
import type { Movement, TransactionPlan } from './chain-transaction.ts';

/**
 * Outsiders who move coins: payers, and thieves with an allowance or a key of a custody address.
 */
export class OutsideWorld {
  readonly #registry: CustodyRegistry;
  readonly #catalogue: AssetCatalogue;
  readonly #chain: Chain;

  constructor(options: { registry: CustodyRegistry; catalogue: AssetCatalogue; chain: Chain }) {
    this.#registry = options.registry;
    this.#catalogue = options.catalogue;
    this.#chain = options.chain;
  }

  /** Sends one transaction that pays every output. Its inputs come from outside custody. */
  deposit(request: DepositRequest): Change<{ blockchainHash: string }> {
    const network = this.#catalogue.network(request.network);
    if (network === undefined) return unknownNetwork(request.network);
    if (request.outputs.filter(({ claimedAmount }) => claimedAmount !== undefined).length > 1) {
      return refused('BR-1', 'A transaction makes one partial payment at most');
    }
    const movements: Movement[] = [];
    for (const output of request.outputs) {
      const movement = this.#credit(network, output);
      if ('kind' in movement) return movement;
      movements.push(movement);
    }
    const isOurs = movements.some(
      ({ networkAddress }) =>
        this.#registry.custodyAddress(network.key, networkAddress) !== undefined,
    );
    if (!isOurs) return refused('NE-1', 'No output pays an address of ours');
    return this.#send({
      network: network.key,
      movements,
      burned: [],
      spends: [],
      outputs: network.model === 'utxo' ? movements.map(toOutput) : [],
      sources: [],
      metadata: partialPayment(request.outputs),
    });
  }

  /**
   * Moves exactly `amount` from a custody address without a platform transaction. An outsider pays
   * the fee. On EVM networks the transaction has the address's next nonce.
   */
  externalDebit(request: ExternalDebitRequest): Change<{ blockchainHash: string }> {
    const network = this.#catalogue.network(request.network);
    if (network === undefined) return unknownNetwork(request.network);
    const address = this.#registry.address(request.addressId);
    if (address === undefined) return refused('NE-1', `Address ${request.addressId} not found`);
    if (address.network !== network.key) {
      return refused('ADR-3002', `Address ${request.addressId} is on ${address.network}`);
    }
    const asset = this.#catalogue.asset(network, request.asset);
    if (asset === undefined) return unknownAsset(network, request.asset);
    if (request.amount <= 0n) return refused('BR-1', 'amount must be positive');
    const { networkAddress } = address;
    const held = this.#chain.ledger.balance(network.key, networkAddress, request.asset);
    if (held < request.amount) return refused('UE-1', `The address holds only ${held}`);
    const tags = asset.token && network.tokenTag !== undefined ? [network.tokenTag] : [];
    const credit: Movement = {
      networkAddress: this.#registry.canonicalAddress(network.key, request.destinationAddress),
      asset: request.asset,
      amount: request.amount,
      tags,
    };
    const spent =
      network.model === 'utxo'
        ? this.#spend(network, networkAddress, request)
        : {
            spends: [],
            debits: [{ ...credit, networkAddress, amount: -request.amount }],
            change: [],
          };
    const movements = [...spent.debits, credit, ...spent.change];
    return this.#send({
      network: network.key,
      movements,
      burned: [],
      spends: spent.spends,
      outputs: network.model === 'utxo' ? [credit, ...spent.change].map(toOutput) : [],
      sources: [networkAddress],
      metadata: {},
    });
  }

  #credit(network: NetworkConfig, output: DepositOutput): Movement | Refused {
    const asset = this.#catalogue.asset(network, output.asset);
    if (asset === undefined) return unknownAsset(network, output.asset);
    if (output.amount <= 0n) return refused('BR-1', 'amount must be positive');
    if (output.memo !== undefined && !network.memo) {
      return refused('BR-1', `Network ${network.key} has no memos`);
    }
    if (output.claimedAmount !== undefined && network.key !== 'ripple') {
      return refused('BR-1', `Network ${network.key} has no partial payments`);
    }
    const networkAddress = this.#destination(network, output);
    if (typeof networkAddress !== 'string') return networkAddress;
    return {
      networkAddress,
      asset: output.asset,
      amount: output.amount,
      tags: asset.token && network.tokenTag !== undefined ? [network.tokenTag] : [],
      ...(output.memo === undefined ? {} : { memo: output.memo }),
    };
  }

  #destination(network: NetworkConfig, output: DepositOutput): string | Refused {
    if (output.addressId === undefined) {
      return output.networkAddress === undefined || output.networkAddress === ''
        ? refused('BR-1', 'An output needs an addressId or a networkAddress')
        : this.#registry.canonicalAddress(network.key, output.networkAddress);
    }
    const address = this.#registry.address(output.addressId);
    if (address === undefined) return refused('NE-1', `Address ${output.addressId} not found`);
    if (address.network !== network.key) {
      return refused('ADR-3002', `Address ${output.addressId} is on ${address.network}`);
    }
    return address.networkAddress;
  }

  /**
   * Chooses the inputs: first the outputs that no other transaction is spending, then the others.
   * In the second case two pending transactions spend the same output, and only one is mined.
   */
  #spend(
    network: NetworkConfig,
    networkAddress: string,
    request: ExternalDebitRequest,
  ): { spends: string[]; debits: Movement[]; change: Movement[] } {
    const outputs = this.#chain.ledger
      .unspent(network.key, networkAddress)
      .map((output) => ({
        ...output,
        held: this.#chain.mempool.claimants(output.outpoint).length > 0,
      }))
      .sort((left, right) => Number(left.held) - Number(right.held));
    const spends: string[] = [];
    const debits: Movement[] = [];
    let total = 0n;
    for (const output of outputs) {
      if (total >= request.amount) break;
      spends.push(output.outpoint);
      debits.push({ networkAddress, asset: request.asset, amount: -output.amount, tags: [] });
      total += output.amount;
    }
    const rest = total - request.amount;
    const change: Movement[] =
      rest > 0n ? [{ networkAddress, asset: request.asset, amount: rest, tags: ['change'] }] : [];
    return { spends, debits, change };
  }

  #send(plan: TransactionPlan): Change<{ blockchainHash: string }> {
    const { network, sources } = plan;
    this.#chain.catchUp(network);
    const [sender] = sources;
    const nonce = sender === undefined ? undefined : this.#chain.nextNonce(network, sender);
    const hash = this.#chain.nextHash(network);
    this.#chain.broadcast(plan, { hash, nonce });
    return { kind: 'done', record: { blockchainHash: hash } };
  }
}

function toOutput({ networkAddress, amount }: Movement) {
  return { networkAddress, amount };
}

/**
 * Metadata of a partial payment: the payment claims more than it delivers, and only the delivered
 * amount arrives.
 */
function partialPayment(outputs: readonly DepositOutput[]): Record<string, unknown> {
  const output = outputs.find(({ claimedAmount }) => claimedAmount !== undefined);
  if (output?.claimedAmount === undefined) return {};
  return {
    partialPayment: true,
    amount: output.claimedAmount.toString(),
    deliveredAmount: output.amount.toString(),
  };
}

function unknownNetwork(network: string): Refused {
  return refused('BR-1001', `Invalid blockchain network ${network}`);
}

function unknownAsset(network: NetworkConfig, asset: string): Refused {
  return refused('BR-1002', `Invalid asset ${asset} on ${network.key}`);
}
