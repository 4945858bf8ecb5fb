declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Identifiers are opaque strings, compared byte by byte. The brand prevents mixing them up. */
export type NotificationId = Branded<'NotificationId'>;
export type VaultId = Branded<'VaultId'>;
export type AccountId = Branded<'AccountId'>;
export type AddressId = Branded<'AddressId'>;
export type Memo = Branded<'Memo'>;
/** Universal asset id, e.g. `ethereum:USDC`. A symbol alone never identifies an asset. */
export type AssetId = Branded<'AssetId'>;
export type NetworkKey = Branded<'NetworkKey'>;
export type BlockchainHash = Branded<'BlockchainHash'>;
export type TransactionId = Branded<'TransactionId'>;
export type DepositId = Branded<'DepositId'>;
export type CreditId = Branded<'CreditId'>;
export type BreakId = Branded<'BreakId'>;

/** A webhook event's `id` as the custody service sends it. */
export const NotificationId = (value: string): NotificationId => value as NotificationId;
/** The custody service's id of a vault. */
export const VaultId = (value: string): VaultId => value as VaultId;
/** The custody service's id of an account. */
export const AccountId = (value: string): AccountId => value as AccountId;
/** The custody service's id of an address. */
export const AddressId = (value: string): AddressId => value as AddressId;
/** A memo or tag of a position, as registered or received. */
export const Memo = (value: string): Memo => value as Memo;
/** A universal asset id, e.g. `ethereum:USDC`. */
export const AssetId = (value: string): AssetId => value as AssetId;
/** The key of a network, e.g. `ethereum`. */
export const NetworkKey = (value: string): NetworkKey => value as NetworkKey;
/** The hash of a transaction on its network, as received. */
export const BlockchainHash = (value: string): BlockchainHash => value as BlockchainHash;
/** The custody service's id of a transaction. */
export const TransactionId = (value: string): TransactionId => value as TransactionId;
/** The id of a deposit: a digest of its hash and position. */
export const DepositId = (value: string): DepositId => value as DepositId;
/** The id of an item of the credit feed: a digest of its deposit and its number. */
export const CreditId = (value: string): CreditId => value as CreditId;
/** The id of a break, from the journal position of the fact that opened it. */
export const BreakId = (value: string): BreakId => value as BreakId;

/** A hash on its network: the same hash on another network is another key. */
export interface HashKey {
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
}

/** Most ids that one fact may mint: the gap that `IdMint` leaves between two journal positions. */
const IDS_PER_FACT = 1_000_000;

/** The lowest entry number of the fact at `seq`: entries are ordered by facts. */
export function firstEntryIdOf(seq: number): number {
  return seq * IDS_PER_FACT;
}

/** The journal position of the fact that minted an id. */
export function seqOfId(id: number): number {
  return Math.floor(id / IDS_PER_FACT);
}

/** A collision-free digest of a text, safe inside an id; the store provides it. */
export type Digest = (text: string) => string;

/** The feed's id of a deposit's n-th credit, counted from 1, or of its reversal. */
export function creditIdOf(
  one: { depositId: DepositId; kind: 'credit' | 'reversal'; ordinal: number },
  digest: Digest,
): CreditId {
  return CreditId(`crd_${digest(JSON.stringify([one.depositId, one.kind, one.ordinal]))}`);
}

/**
 * Mints ids that a replay mints again. Entries and breaks are numbered by their fact's journal
 * position. Deposits and credits, which consumers keep, are named by their content: after a restore
 * from an older backup the same deposit has the same id, and so does its first credit. A consumer
 * therefore recognises what it already credited.
 */
export class IdMint {
  readonly #seq: number;
  readonly #digest: Digest;
  #next = 0;

  constructor(seq: number, digest: Digest) {
    this.#seq = seq;
    this.#digest = digest;
  }

  /** The number of a new ledger entry. Throws past the limit of ids per fact. */
  entry(): number {
    return firstEntryIdOf(this.#seq) + this.#take();
  }

  /** The id of a deposit, from its identifying parts in a fixed order. */
  deposit(parts: readonly (string | null)[]): DepositId {
    return DepositId(`dep_${this.#digest(JSON.stringify(parts))}`);
  }

  /** The id of a deposit's n-th credit, or of its reversal. */
  credit(depositId: DepositId, kind: 'credit' | 'reversal', ordinal: number): CreditId {
    return creditIdOf({ depositId, kind, ordinal }, this.#digest);
  }

  /** The id of a new break. Throws past the limit of ids per fact. */
  break(): BreakId {
    return BreakId(`brk_${this.#seq * IDS_PER_FACT + this.#take()}`);
  }

  #take(): number {
    if (this.#next >= IDS_PER_FACT) throw new Error(`fact ${this.#seq} mints too many ids`);
    return this.#next++;
  }
}
