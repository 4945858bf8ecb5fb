import { isNetworkAddress } from '../vaults/address-check.ts';
import type { CustodyRegistry } from '../vaults/custody-registry.ts';
import { memoObjection } from '../vaults/memo-check.ts';
import type { AssetCatalogue } from '../world/asset-catalogue.ts';
import type { NetworkConfig } from '../world/network-config.ts';
import { refused } from '../world/outcome.ts';
import type { AddressRecord } from '../world/vault.ts';
import type { OrderRequest } from '../world/transaction.ts';
import type { Refused } from '../world/outcome.ts';
import type { OrderBook } from './order-book.ts';

interface Known {
  catalogue: AssetCatalogue;
  registry: CustodyRegistry;
  orders: OrderBook;
}

/**
 * Returns why the order is refused, or undefined when the core accepts it (the specification,
 * section "Errors").
 */
export function orderObjection(known: Known, request: OrderRequest): Refused | undefined {
  if (known.registry.vault(request.vaultId) === undefined) {
    return refused('NE-1', `Vault ${request.vaultId} not found`);
  }
  const network = known.catalogue.network(request.network);
  if (network === undefined) {
    return refused('BR-1001', `Invalid blockchain network ${request.network}`);
  }
  if (known.catalogue.asset(network, request.asset)?.known === undefined) {
    return refused('BR-1002', `Invalid asset ${request.asset} on ${request.network}`);
  }
  return (
    contentObjection(network, request) ??
    scopeObjection(known, request) ??
    changeObjection(known, network, request) ??
    replacementObjection(known, request) ??
    destinationObjection(known.catalogue, network, request.destinationAddress)
  );
}

function contentObjection(network: NetworkConfig, request: OrderRequest): Refused | undefined {
  if (request.orderId === '') return refused('BR-1', 'orderId must not be empty');
  if (request.amount <= 0n) return refused('BR-1', 'amount must be positive');
  return request.memo === undefined ? undefined : memoObjection(network, request.memo);
}

/** Returns why the destination is not an address of the network, or undefined when it is one. */
function destinationObjection(
  catalogue: AssetCatalogue,
  network: NetworkConfig,
  destination: string,
): Refused | undefined {
  if (isNetworkAddress(network.address, destination)) return undefined;
  const other = catalogue.networks.find(({ address }) => isNetworkAddress(address, destination));
  return other === undefined
    ? refused('BR-1', `destinationAddress is not an address of ${network.key}`)
    : refused('ADR-3002', `destinationAddress is one of ${other.key}, not of ${network.key}`);
}

function scopeObjection(known: Known, request: OrderRequest): Refused | undefined {
  const { accountId, addressId, vaultId } = request;
  if (accountId !== undefined) {
    const account = known.registry.account(accountId);
    if (account === undefined) return refused('NE-1', `Account ${accountId} not found`);
    if (account.vaultId !== vaultId) {
      return refused('TX-2002', `Account ${accountId} belongs to another vault`);
    }
  }
  if (addressId === undefined) return undefined;
  const address = known.registry.address(addressId);
  if (address === undefined) return refused('NE-1', `Address ${addressId} not found`);
  const contradiction =
    address.vaultId === vaultId
      ? accountId !== undefined && address.accountId !== accountId && 'account'
      : 'vault';
  if (contradiction !== false) {
    return refused('TX-2002', `Address ${addressId} belongs to another ${contradiction}`);
  }
  return networkObjection(address, request.network);
}

function changeObjection(
  known: Known,
  network: NetworkConfig,
  request: OrderRequest,
): Refused | undefined {
  const { changeAddressId } = request;
  if (changeAddressId === undefined) return undefined;
  if (network.model !== 'utxo') {
    return refused('BR-1', `Network ${network.key} makes no change`);
  }
  const address = known.registry.address(changeAddressId);
  if (address === undefined) return refused('NE-1', `Address ${changeAddressId} not found`);
  if (address.vaultId !== request.vaultId) {
    return refused('TX-2002', `Address ${changeAddressId} belongs to another vault`);
  }
  return networkObjection(address, network.key);
}

/** Refuses an address of another network. */
function networkObjection(address: AddressRecord, network: string): Refused | undefined {
  return address.network === network
    ? undefined
    : refused('ADR-3002', `Address ${address.addressId} is on ${address.network}, not ${network}`);
}

function replacementObjection(known: Known, request: OrderRequest): Refused | undefined {
  const { replacesTransactionId } = request;
  if (replacesTransactionId === undefined) return undefined;
  const original = known.orders.get(replacesTransactionId);
  if (original === undefined) {
    return refused('NE-1', `Transaction ${replacesTransactionId} not found`);
  }
  return original.vaultId === request.vaultId && original.network === request.network
    ? undefined
    : refused('TX-2002', 'A replacement stays on the vault and network of its original');
}
