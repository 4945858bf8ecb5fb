import type { CoreClient, CoreControl } from '../core-client.ts';

/** A network of the demo, with the required depth and the amounts of deposits. */
export interface DemoNetwork {
  readonly key: string;
  readonly depth: number;
  /** Assets deposited, with the range of an amount in units of `step` smallest units. */
  readonly assets: readonly {
    readonly asset: string;
    readonly step: bigint;
    readonly least: number;
    readonly most: number;
  }[];
}

export const NETWORKS: readonly DemoNetwork[] = [
  {
    key: 'ethereum',
    depth: 12,
    assets: [
      { asset: 'ethereum:ETH', step: 10n ** 14n, least: 500, most: 90_000 },
      { asset: 'ethereum:USDC', step: 10n ** 4n, least: 100, most: 2_000_000 },
    ],
  },
  {
    key: 'bitcoin',
    depth: 3,
    assets: [{ asset: 'bitcoin:BTC', step: 1n, least: 20_000, most: 250_000_000 }],
  },
  {
    key: 'ripple',
    depth: 1,
    assets: [{ asset: 'ripple:XRP', step: 10n ** 4n, least: 100, most: 5_000_000 }],
  },
];

/** The source that an order names; it determines the level of its `mined` entries. */
type OrderScope = { addressId: string } | { accountId: string } | Record<string, never>;

export interface DemoAddress {
  readonly addressId: string;
  readonly networkAddress: string;
  readonly network: DemoNetwork;
  readonly vaultId: string;
  readonly scope: OrderScope;
  /** Registered memos of customers, on networks that route by memo. */
  readonly memos: readonly string[];
}

export interface Scene {
  readonly vaultIds: readonly string[];
  readonly addresses: readonly DemoAddress[];
}

const VAULTS = [
  { name: 'customer deposits', ordersBy: 'address' },
  { name: 'hot wallet', ordersBy: 'vault' },
  { name: 'treasury', ordersBy: 'account' },
] as const;

const ADDRESSES_PER_NETWORK = 3;
const MEMOS = ['1001', '1002', '1003'] as const;

/** Sets up vaults, accounts, addresses and memos through the service's own API. */
export async function setScene(control: CoreControl, client: CoreClient): Promise<Scene> {
  const vaultIds: string[] = [];
  const addresses: DemoAddress[] = [];
  for (const { name, ordersBy } of VAULTS) {
    const vault = (await control.post('/sim/vaults', { name })) as { vaultId: string };
    const { vaultId } = vault;
    vaultIds.push(vaultId);
    const account = (await client.post('/accounts', { vaultId, name: `${name} 1` })) as {
      accountId: string;
    };
    for (const network of NETWORKS) {
      const count = network.key === 'ripple' ? 1 : ADDRESSES_PER_NETWORK;
      for (let number = 1; number <= count; number += 1) {
        addresses.push(
          await createAddress(client, { vaultId, account, network, number, ordersBy }),
        );
      }
    }
  }
  return { vaultIds, addresses };
}

async function createAddress(
  client: CoreClient,
  wanted: {
    vaultId: string;
    account: { accountId: string };
    network: DemoNetwork;
    number: number;
    ordersBy: (typeof VAULTS)[number]['ordersBy'];
  },
): Promise<DemoAddress> {
  const { vaultId, account, network, number, ordersBy } = wanted;
  const body = {
    accountId: account.accountId,
    network: network.key,
    name: `${network.key} ${number}`,
  };
  const created = (await client.post('/addresses', body)) as {
    addressId: string;
    networkAddress: string;
  };
  const { addressId, networkAddress } = created;
  const memos = network.key === 'ripple' ? MEMOS : [];
  for (const memo of memos) {
    await client.post('/memos', { addressId, memo, name: `customer ${memo}` });
  }
  const { accountId } = account;
  const scope = { address: { addressId }, account: { accountId }, vault: {} }[ordersBy];
  return { addressId, networkAddress, network, vaultId, scope, memos };
}

/** Subscribes every vault's three streams to our webhook. */
export async function subscribeAll(
  client: CoreClient,
  vaultIds: readonly string[],
  webhookUrl: string,
): Promise<void> {
  for (const vaultId of vaultIds) {
    const streams = ['outgoing', 'blockchain', 'incoming'];
    await client.post(`/subscriptions/${vaultId}`, { webhookUrl, streams });
  }
}
