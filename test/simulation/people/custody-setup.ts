import type {
  AddressRecord,
  SourceLevel,
  VaultRecord,
} from '../../../src/simulator/world/vault.ts';
import type { NetworkInfo } from '../../../src/simulator/world/on-chain.ts';
import type { World } from '../../../src/simulator/world/world.ts';
import { Chance } from '../seeded-draws.ts';
import { NETWORKS } from '../product/crediting-rules.ts';

/** An address with what may be paid to it. */
export interface Destination {
  readonly address: AddressRecord;
  readonly vault: VaultRecord;
  readonly network: NetworkInfo;
  /** Memos registered on it. */
  readonly memos: readonly string[];
}

/** As a notification names it. */
export function positionOf({ vault, address }: Destination): {
  vaultId: string;
  accountId: string;
  addressId: string;
} {
  const { accountId, addressId } = address;
  return { vaultId: vault.vaultId, accountId, addressId };
}

/** Vaults, accounts and addresses of one run; made once and never changed. */
export interface CustodySetup {
  readonly vaults: readonly VaultRecord[];
  readonly networks: readonly NetworkInfo[];
  readonly destinations: readonly Destination[];
}

/** People who approve orders of the vault that asks for it. */
export const APPROVERS: readonly string[] = ['ann', 'bob'];
const NETWORKS_PER_RUN = 4;

const VAULTS: readonly { name: string; source: SourceLevel; quorum?: number }[] = [
  { name: 'hot', source: 'address' },
  { name: 'merged by account', source: 'account' },
  { name: 'merged', source: 'vault' },
  { name: 'two of two', source: 'address', quorum: 2 },
];

function made<Made extends { kind: string }>(outcome: Made): Exclude<Made, { kind: 'refused' }> {
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome));
  return outcome as Exclude<Made, { kind: 'refused' }>;
}

export function makeCustodySetup(world: World, seed: number): CustodySetup {
  const chance = new Chance(seed, 'scenery');
  const keys = new Set<string>();
  while (keys.size < NETWORKS_PER_RUN) keys.add(chance.pick(NETWORKS));
  const networks = world.networks().filter(({ key }) => keys.has(key));
  const vaults = VAULTS.map(({ quorum, ...vault }) => {
    const request = quorum === undefined ? vault : { ...vault, quorum, approvers: APPROVERS };
    return made(world.createVault(request)).record;
  });
  const destinations: Destination[] = [];
  for (const vault of vaults) {
    for (const name of vault.source === 'account' ? ['one', 'two'] : ['one']) {
      const account = made(world.createAccount({ vaultId: vault.vaultId, name })).record;
      for (const network of networks) {
        for (let count = chance.between(1, 2); count > 0; count -= 1) {
          const request = { accountId: account.accountId, network: network.key };
          const address = made(world.createAddress(request)).record;
          const memos = network.memo ? ['7', '77'] : [];
          for (const memo of memos) {
            made(world.createMemo({ addressId: address.addressId, memo }));
          }
          destinations.push({ address, vault, network, memos });
        }
      }
    }
  }
  return { vaults, networks, destinations };
}
