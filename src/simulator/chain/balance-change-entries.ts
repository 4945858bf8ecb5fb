import type { BalanceChange } from '../../wire/balance-change.ts';
import type { CustodyRegistry } from '../vaults/custody-registry.ts';
import { familyOf, formatAmount } from '../world/asset-catalogue.ts';
import type { AssetCatalogue } from '../world/asset-catalogue.ts';
import type { AddressRecord, MemoRecord, SourceLevel } from '../world/vault.ts';
import type { Movement } from './chain-transaction.ts';

/** A movement on an address of custody. */
export interface OwnMovement extends Movement {
  readonly owner: AddressRecord;
}

/**
 * Tags whose entries are not merged into the transfer (the specification, section "Aggregation per
 * stream").
 */
const SEPARATE_TAGS = ['fee', 'rebate', 'mint'] as const;

/**
 * Makes balance change entries from movements, each stream with its own aggregation (the
 * specification, sections "Balance change entry" and "Aggregation per stream").
 */
export class BalanceChangeEntries {
  readonly #registry: CustodyRegistry;
  readonly #catalogue: AssetCatalogue;

  constructor(options: { registry: CustodyRegistry; catalogue: AssetCatalogue }) {
    this.#registry = options.registry;
    this.#catalogue = options.catalogue;
  }

  /** The movements on addresses of custody. */
  own(network: string, movements: readonly Movement[]): OwnMovement[] {
    const own: OwnMovement[] = [];
    for (const movement of movements) {
      const owner = this.#registry.custodyAddress(network, movement.networkAddress);
      if (owner !== undefined) own.push({ ...movement, owner });
    }
    return own;
  }

  /** Entries of the `blockchain` stream: one per on-chain change. */
  unaggregated(movements: readonly OwnMovement[]): BalanceChange[] {
    return movements.map((movement) => ({
      ...this.#amount(movement.asset, movement.amount),
      tags: [...movement.tags],
      ...this.#addressAndAccount(movement.owner, 'address', movement.memo),
    }));
  }

  /**
   * Entries of the `incoming` stream: combined per address and asset, with the sub-account of a
   * registered memo.
   */
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
      ...this.#addressAndAccount(group.owner, 'address', memo ?? undefined),
      ...info,
    }));
  }

  /**
   * Entries of `outgoing`/`mined`: aggregated per address and asset, then merged at the source
   * level.
   */
  collapsed(movements: readonly OwnMovement[], level: SourceLevel): BalanceChange[] {
    return groups(movements, level).map((group) => ({
      ...this.#amount(group.asset, group.amount),
      tags: group.tags,
      ...this.#addressAndAccount(group.owner, level),
    }));
  }

  #amount(asset: string, amount: bigint): BalanceChange {
    const known = this.#catalogue.known(asset);
    const entry = { asset, amount: amount.toString() };
    if (known === undefined) return entry;
    const value = formatAmount(amount, known.decimals);
    return { ...entry, amountFormatted: { asset: { ...known }, value } };
  }

  #addressAndAccount(
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
 * Makes at most four groups per asset and address, account or vault: transfer, fee, rebate and
 * mint. A group keeps a tag only if all its movements have the tag: change that merges into a debit
 * is not tagged as change.
 */
function groups(movements: readonly OwnMovement[], level: SourceLevel): Group[] {
  const byKey = new Map<string, Group>();
  for (const { owner, asset, amount, tags } of movements) {
    const levelId = {
      address: owner.addressId,
      account: owner.accountId,
      vault: owner.vaultId,
    }[level];
    const kind = SEPARATE_TAGS.find((tag) => tags.includes(tag)) ?? 'transfer';
    const key = `${levelId}|${asset}|${kind}`;
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
