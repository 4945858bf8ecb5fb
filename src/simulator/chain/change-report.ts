import type { BalanceChange } from '../../wire/balance-change.ts';
import type { CustodyRegistry } from '../vaults/custody-registry.ts';
import { familyOf, formatAmount } from '../world/asset-catalogue.ts';
import type { AssetCatalogue } from '../world/asset-catalogue.ts';
import type { AddressRecord, MemoRecord, SourceLevel } from '../world/world.ts';
import type { Movement } from './chain-transaction.ts';

/** A movement on an address of ours. */
export interface OwnMovement extends Movement {
  readonly owner: AddressRecord;
}

/** Tags that keep an entry apart from the transfer (section "Tags"). */
const SEPARATE_TAGS = ['fee', 'rebate', 'mint'] as const;

/** Turns movements into balance change entries, at each stream's aggregation. */
export class ChangeReport {
  readonly #registry: CustodyRegistry;
  readonly #catalogue: AssetCatalogue;

  constructor(options: { registry: CustodyRegistry; catalogue: AssetCatalogue }) {
    this.#registry = options.registry;
    this.#catalogue = options.catalogue;
  }

  /** Those of the movements that touch custody. */
  own(network: string, movements: readonly Movement[]): OwnMovement[] {
    const own: OwnMovement[] = [];
    for (const movement of movements) {
      const owner = this.#registry.custodyAddress(network, movement.networkAddress);
      if (owner !== undefined) own.push({ ...movement, owner });
    }
    return own;
  }

  /** One entry per on-chain change: the `blockchain` stream. */
  unaggregated(movements: readonly OwnMovement[]): BalanceChange[] {
    return movements.map((movement) => ({
      ...this.#amount(movement.asset, movement.amount),
      tags: [...movement.tags],
      ...this.#place(movement.owner, 'address', movement.memo),
    }));
  }

  /** Combined per address and asset, with the memo's sub-account: the `incoming` stream. */
  combined(
    movements: readonly OwnMovement[],
    attribution: { memo: string | null; registered: MemoRecord | undefined },
  ): BalanceChange[] {
    const { memo, registered } = attribution;
    const info =
      registered === undefined
        ? {}
        : {
            memoInfo: {
              id: registered.memoId,
              memo: registered.memo,
              name: registered.name,
              data: registered.data,
            },
          };
    return groups(movements, 'address').map((group) => ({
      ...this.#amount(group.asset, group.amount),
      tags: group.tags,
      ...this.#place(group.owner, 'address', memo ?? undefined),
      ...info,
    }));
  }

  /** Aggregated per address and asset, collapsed to the source level: `outgoing` `mined`. */
  collapsed(movements: readonly OwnMovement[], level: SourceLevel): BalanceChange[] {
    return groups(movements, level).map((group) => ({
      ...this.#amount(group.asset, group.amount),
      tags: group.tags,
      ...this.#place(group.owner, level),
    }));
  }

  #amount(asset: string, amount: bigint): BalanceChange {
    const known = this.#catalogue.known(asset);
    const entry = { asset, amount: amount.toString() };
    if (known === undefined) return entry;
    const value = formatAmount(amount, known.decimals);
    return { ...entry, amountFormatted: { asset: { ...known }, value } };
  }

  #place(
    owner: AddressRecord,
    level: SourceLevel,
    memo?: string,
  ): Pick<BalanceChange, 'address' | 'account'> {
    if (level === 'vault') return {};
    const record = this.#registry.account(owner.accountId);
    const account = {
      id: owner.accountId,
      name: record?.name ?? '',
      data: record?.data ?? {},
    };
    if (level === 'account') return { account };
    const network = this.#catalogue.network(owner.network);
    const address = {
      id: owner.addressId,
      networkAddress: owner.networkAddress,
      network: network === undefined ? owner.network : familyOf(network),
      hdpath: owner.hdpath,
      name: owner.name,
      data: owner.data,
      ...(memo === undefined ? {} : { memo }),
    };
    return { address, account };
  }
}

interface Group {
  asset: string;
  amount: bigint;
  tags: string[];
  owner: AddressRecord;
}

/**
 * At most four groups per place and asset: the transfer as one amount, fee, rebate, mint. A tag
 * survives only where every merged movement has it: change that merges into a debit is no change.
 */
function groups(movements: readonly OwnMovement[], level: SourceLevel): Group[] {
  const byKey = new Map<string, Group>();
  for (const { owner, asset, amount, tags } of movements) {
    const place = {
      address: owner.addressId,
      account: owner.accountId,
      vault: owner.vaultId,
    }[level];
    const kind = SEPARATE_TAGS.find((tag) => tags.includes(tag)) ?? 'transfer';
    const key = `${place}|${asset}|${kind}`;
    const group = byKey.get(key);
    if (group === undefined) {
      byKey.set(key, { asset, amount, tags: [...tags], owner });
    } else {
      group.amount += amount;
      group.tags = group.tags.filter((tag) => tags.includes(tag));
    }
  }
  return [...byKey.values()].filter((group) => group.amount !== 0n);
}
