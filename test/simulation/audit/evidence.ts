import type { World } from '../../../src/simulator/world/world.ts';
import { ruleOf, type CreditingRule } from '../product/crediting-rules.ts';
import type { CustodySetup } from '../people/custody-setup.ts';

/** One change on one address of ours, as the chain made it. */
export interface TrueMovement {
  readonly vaultId: string;
  readonly accountId: string;
  readonly addressId: string;
  readonly memo: string | null;
  readonly asset: string;
  readonly amount: bigint;
  readonly tags: readonly string[];
}

export interface TrueTransaction {
  readonly network: string;
  readonly blockchainHash: string;
  readonly status: string;
  readonly confirmations: number;
  /** Set when the platform itself sent it. */
  readonly transactionId: string | null;
  readonly movements: readonly TrueMovement[];
}

export interface TrueBalance {
  readonly vaultId: string;
  readonly accountId: string;
  readonly addressId: string;
  readonly memo: string | null;
  readonly asset: string;
  readonly amount: bigint;
}

/** Everything that the auditor compares the product's file with. */
export interface Evidence {
  readonly transactions: readonly TrueTransaction[];
  readonly balances: readonly TrueBalance[];
  /** By credit id: how deep its hash got in each stay in a block, until the credit was appended. */
  readonly depthsAtCredit: ReadonlyMap<string, readonly number[]>;
  /** The coarsest level of each vault's `mined` entries. */
  readonly sources: ReadonlyMap<string, 'address' | 'account' | 'vault'>;
  readonly ruleOf: (network: string, asset: string) => CreditingRule;
  /** `<addressId> <memo>` of the memos that were registered before anything was paid. */
  readonly registeredMemos: ReadonlySet<string>;
  /** The address on the chain of each `addressId` that customers pay to. */
  readonly networkAddresses: ReadonlyMap<string, string>;
  /** Deposits that a person gave an owner. */
  readonly attributed: ReadonlySet<string>;
  readonly falseWebhooks: readonly {
    readonly kind: string;
    readonly hashes: readonly string[];
    readonly transactionId: string | null;
    readonly id: string;
    readonly leaves: string | null;
    readonly excuses: boolean;
  }[];
  /** Bodies that the product answered 2xx to. */
  readonly acknowledged: readonly Uint8Array[];
  /** Whether the last closed day ended when nothing was under way any more. */
  readonly isLastDayAtRest: boolean;
  /**
   * Days that were closed while a clock of the product was off by more than the grace period. The
   * custody service dates what it took back by its own clock.
   */
  readonly daysByWrongClock: ReadonlySet<string>;
}

/** What really is, from the core's own truth, beside what the simulation has done to the product. */
export function gatherEvidence(
  from: {
    world: World;
    custodySetup: CustodySetup;
  } & Pick<
    Evidence,
    | 'depthsAtCredit'
    | 'attributed'
    | 'falseWebhooks'
    | 'acknowledged'
    | 'isLastDayAtRest'
    | 'daysByWrongClock'
  >,
): Evidence {
  const { world, custodySetup, ...done } = from;
  return {
    ...done,
    transactions: world.truthTransactions(),
    balances: world.truthBalances(),
    sources: new Map(
      custodySetup.vaults.map(({ vaultId, source }) => [vaultId, source ?? 'vault']),
    ),
    ruleOf,
    networkAddresses: new Map(
      custodySetup.destinations.map(({ address }) => [address.addressId, address.networkAddress]),
    ),
    registeredMemos: new Set(
      custodySetup.destinations.flatMap(({ address, memos }) =>
        memos.map((memo) => `${address.addressId} ${memo}`),
      ),
    ),
  };
}
