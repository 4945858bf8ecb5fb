import type { NetworkConfig } from './network-config.ts';
import type { NetworkInfo } from './on-chain.ts';

/** An asset that can move on a network. */
export interface Asset {
  /** Universal id, `<network>:<SYMBOL>` or `<network>:<contract>`. */
  id: string;
  network: string;
  /** Whether a contract call moves the asset, at another fee than the native asset. */
  token: boolean;
  /** Undefined when the service does not recognise the asset. The name is the symbol. */
  known?: { name: string; decimals: number; type: string };
}

/** The networks and their assets. */
export class AssetCatalogue {
  readonly networks: readonly NetworkConfig[];
  readonly #networks = new Map<string, NetworkConfig>();
  readonly #assets = new Map<string, Asset>();

  constructor(networks: readonly NetworkConfig[]) {
    this.networks = networks;
    for (const network of networks) {
      this.#networks.set(network.key, network);
      for (const { symbol, decimals, type } of network.assets) {
        const id = `${network.key}:${symbol}`;
        const token = type !== 'native';
        this.#assets.set(id, {
          id,
          network: network.key,
          token,
          known: { name: symbol, decimals, type },
        });
      }
    }
  }

  network(key: string): NetworkConfig | undefined {
    return this.#networks.get(key);
  }

  /** The asset with this id on this network; undefined when it cannot exist there. */
  asset(network: NetworkConfig, assetId: string): Asset | undefined {
    const known = this.#assets.get(assetId);
    if (known !== undefined) return known.network === network.key ? known : undefined;
    const prefix = `${network.key}:`;
    if (network.contractPattern === undefined || !assetId.startsWith(prefix)) return undefined;
    const contract = assetId.slice(prefix.length);
    if (!new RegExp(network.contractPattern).test(contract)) return undefined;
    return { id: assetId, network: network.key, token: true };
  }

  /** Name and decimals of a recognised asset. */
  known(assetId: string): Asset['known'] {
    return this.#assets.get(assetId)?.known;
  }
}

/**
 * The network in the shape of the API (the specification, section "Identifiers and records that
 * appear").
 */
export function networkInfo(network: NetworkConfig): NetworkInfo {
  return {
    key: network.key,
    name: network.name,
    confirmations: [...network.confirmations],
    model: network.model,
    family: familyOf(network),
    nativeAsset: `${network.key}:${network.assets[0]?.symbol ?? ''}`,
    feeAsset: feeAssetOf(network),
    assets: network.assets.map(({ symbol, name, decimals, type }) => ({
      asset: `${network.key}:${symbol}`,
      name,
      decimals,
      type,
    })),
    memo: network.memo,
    mempool: network.mempool,
    blockTimeSeconds: network.blockTimeSeconds,
  };
}

/** The key of the network family, which address objects show. */
export function familyOf(network: NetworkConfig): string {
  return network.family ?? network.key;
}

/** The universal id of the asset that pays fees. */
export function feeAssetOf(network: NetworkConfig): string {
  return `${network.key}:${network.feeAsset}`;
}

/**
 * Formats an amount in smallest units as a signed decimal string: `-12345` with 4 decimals is
 * `-1.2345` (the specification, section "Balance change entry").
 */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0');
  const sign = amount < 0n ? '-' : '';
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
