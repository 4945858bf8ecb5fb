import { negated, plus, ZERO, type Amount } from './amount.ts';
import type {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../ids.ts';
import type { BalanceChange, ChangeKind } from '../fact/notification.ts';

/** `books`: from `outgoing`/`mined` and `incoming`. `chain`: from the `blockchain` stream. */
export type View = 'books' | 'chain';

/**
 * Kinds of ledger accounts. A `position` is custody money; the others are its counterparts. Each
 * vault has its own set: vaults share nothing, so a store can be partitioned by vault.
 */
export type AccountKind = 'position' | 'world' | 'network-fees' | 'rebates' | 'mints' | 'suspense';

export interface LedgerAccount {
  readonly view: View;
  readonly kind: AccountKind;
  readonly vaultId: VaultId;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  readonly memo: Memo | null;
  readonly asset: AssetId;
}

/** One signed movement of an entry on one ledger account. */
export interface Posting {
  readonly account: LedgerAccount;
  readonly amount: Amount;
  /** The kind of balance change that the line comes from, for statements. */
  readonly change: ChangeKind;
}

/** Where an entry comes from: a webhook, the custody API in its place, or a person. */
export type EntrySource = 'webhook' | 'api' | 'decision';

/** Why an entry was posted. */
export type EntryCause = 'incoming' | 'mined' | 'failed-fee' | 'chain' | 'suspense';

/**
 * A balanced set of movements: its postings sum to zero per asset. Append-only. Another entry
 * reverses a mistake and names it; no entry is edited.
 */
export interface Entry {
  readonly entryId: number;
  readonly view: View;
  readonly source: EntrySource;
  readonly cause: EntryCause;
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly transactionId: TransactionId | null;
  /** The entry that this one reverses, or null. */
  readonly reverses: number | null;
  readonly postings: readonly Posting[];
}

const CONTRA = {
  transfer: 'world',
  change: 'world',
  fee: 'network-fees',
  rebate: 'rebates',
  mint: 'mints',
} as const satisfies Record<ChangeKind, AccountKind>;

/** Everything about an entry except its lines. */
export type EntryHead = Omit<Entry, 'postings'>;

/** A name prefixed with its length, so that no two lists of names read the same. */
function counted(name: string | null): string {
  return name === null ? '-' : `${name.length}:${name}`;
}

function lineKey(kind: AccountKind, change: BalanceChange): string {
  const line = `${kind} ${change.kind} ${counted(change.asset)}`;
  if (kind !== 'position') return line;
  return line + counted(change.accountId) + counted(change.addressId) + counted(change.memo);
}

function addLine(
  lines: Map<string, Posting>,
  line: { head: EntryHead; kind: AccountKind; change: BalanceChange; amount: Amount },
): void {
  const { head, kind, change, amount } = line;
  const key = lineKey(kind, change);
  const known = lines.get(key);
  const atPosition = kind === 'position';
  lines.set(key, {
    account: known?.account ?? {
      view: head.view,
      kind,
      vaultId: head.vaultId,
      accountId: atPosition ? change.accountId : null,
      addressId: atPosition ? change.addressId : null,
      memo: atPosition ? change.memo : null,
      asset: change.asset,
    },
    amount: plus(known?.amount ?? ZERO, amount),
    change: change.kind,
  });
}

/**
 * Builds a balanced entry from balance changes (spec, "Balance change entry"). Each change posts at
 * its position, with its contra in the same entry. Changes of one kind at one position form one
 * line. `suspense` entries use `suspense:<vault>` as their only contra.
 */
export function entryOf(head: EntryHead, changes: readonly BalanceChange[]): Entry {
  const lines = new Map<string, Posting>();
  for (const change of changes) {
    const contra = head.cause === 'suspense' ? 'suspense' : CONTRA[change.kind];
    addLine(lines, { head, kind: 'position', change, amount: change.amount });
    addLine(lines, { head, kind: contra, change, amount: negated(change.amount) });
  }
  return {
    entryId: head.entryId,
    view: head.view,
    source: head.source,
    cause: head.cause,
    vaultId: head.vaultId,
    network: head.network,
    blockchainHash: head.blockchainHash,
    transactionId: head.transactionId,
    reverses: head.reverses,
    postings: [...lines.values()].filter((line) => line.amount !== ZERO),
  };
}

/** The entry that reverses what the same balance changes posted. */
export function reversalOf(
  head: EntryHead & { reverses: number },
  changes: readonly BalanceChange[],
): Entry {
  return entryOf(
    head,
    changes.map((change) => ({ ...change, amount: negated(change.amount) })),
  );
}

/** The entry's sum on custody positions, per asset. */
export function positionSums(entry: Entry): Map<AssetId, Amount> {
  const sums = new Map<AssetId, Amount>();
  for (const { account, amount } of entry.postings) {
    if (account.kind !== 'position') continue;
    sums.set(account.asset, plus(sums.get(account.asset) ?? ZERO, amount));
  }
  return sums;
}

/** The assets whose postings do not sum to zero; empty for a sound entry. */
export function unbalancedAssets(postings: readonly Posting[]): AssetId[] {
  const sums = new Map<AssetId, Amount>();
  for (const { account, amount } of postings) {
    sums.set(account.asset, plus(sums.get(account.asset) ?? ZERO, amount));
  }
  return [...sums].filter(([, sum]) => sum !== ZERO).map(([asset]) => asset);
}
