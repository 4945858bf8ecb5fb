import type { AddressEvidence } from './address-evidence.ts';
import type { Amount } from './amount.ts';
import { sumsByAsset } from './content.ts';
import type {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  DepositId,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from './ids.ts';
import type { Backlog } from './backlog.ts';
import type { Escalation } from './escalation.ts';
import type { CloseRecord } from './close-record.ts';
import type { BalanceChange } from './notification.ts';
import type { StaleAges } from './staleness.ts';

/** A transaction as the custody API tells it. Times are Unix milliseconds. */
export interface CustodyTransaction {
  readonly transactionId: TransactionId;
  readonly vaultId: VaultId;
  readonly type: 'outgoing' | 'incoming';
  /** An open string: a status we do not know never credits. */
  readonly status: string;
  readonly orderId: string | null;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash | null;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  readonly destinationAddress: string | null;
  readonly memo: Memo | null;
  readonly confirmations: number | null;
  /** Null where briefly omitted on a just-mined transaction (spec, conservation rule 6). */
  readonly changes: readonly BalanceChange[] | null;
  readonly reasonCode: string | null;
  /** Absent where the API tells no time that can be read. */
  readonly createdAt?: number;
  readonly updatedAt: number;
}

/** What the custody API says a hash moved of one asset on a vault, over all its transactions. */
export interface CustodySum {
  readonly asset: AssetId;
  readonly amount: Amount;
}

/** Statuses in which nothing has moved yet, or nothing does any more. */
const UNMOVED = new Set([
  'mempool',
  'rolledback',
  'approval-pending',
  'requested',
  'inited',
  'to-sign',
  'signed',
  'submitted',
  'cancelled',
  'replaced',
]);

/** Whether it has moved something, and the API does not tell yet what (spec, conservation rule 6). */
export function lacksChanges({ type, status, changes }: CustodyTransaction): boolean {
  return changes === null && status === (type === 'outgoing' ? 'mined' : 'confirmed');
}

/**
 * What transactions move of each asset, together. Null when that cannot be told: balance changes
 * that are briefly omitted, a status that we do not know, or one that burned an unknown fee.
 */
export function sumsOf(rows: readonly CustodyTransaction[]): CustodySum[] | null {
  const all: BalanceChange[] = [];
  for (const { type, status, changes } of rows) {
    if (UNMOVED.has(status)) continue;
    const moves = status === (type === 'outgoing' ? 'mined' : 'confirmed');
    if (!moves || changes === null) return null;
    all.push(...changes);
  }
  return [...sumsByAsset(all)].map(([asset, amount]) => ({ asset, amount }));
}

/** The outcome of one comparison with counts, as a run stores it: never a silent difference. */
export interface RunCounts {
  readonly matched: number;
  readonly broken: number;
  /** By rule. */
  readonly exempt: Readonly<Record<string, number>>;
  /** By cause: "could not compare" is neither matched nor a mismatch. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** What a run did to bring in what was not told. */
export interface RunRepairs {
  /** Notifications that the custody service sent again, and that our intake took. */
  readonly replayed: number;
  /** Vaults whose next delivery was pulled forward. */
  readonly pulledForward: number;
  /** Transactions taken into the books from the API. */
  readonly backfilled: number;
}

export const NO_REPAIRS: RunRepairs = { replayed: 0, pulledForward: 0, backfilled: 0 };

/** A run's checks of single addresses, and how far the rotation over all of them has come. */
export interface AddressChecks {
  readonly checked: number;
  readonly outcomes: RunCounts;
  /** Where the next run goes on; null at the very beginning. */
  readonly cursor: RotationCursor | null;
}

/** A place in the round over every address of every vault. */
export interface RotationCursor {
  readonly vaultId: string;
  /** Addresses of the vault's list at the API that this round has passed. */
  readonly offset: number;
  /** After that list: the last address passed of those that only the ledger knows; null before. */
  readonly after: string | null;
}

/** From when on a run calls something stale, and a break more severe. */
export interface RunAges {
  readonly stale: StaleAges;
  readonly escalation: Escalation;
}

/**
 * Evidence from the custody API that changed something, journalled as a fact.
 * `deposit`: the record of one deposit, or null when a single look-up answered 404.
 * `outgoing`: a platform transaction. `unknown-transaction`: a look-up of one answered 404, or told
 * of something that is no outgoing transaction. `disowned-hash`: a whole answer to what there is under
 * a hash held these incoming transactions, and no outgoing one.
 * `movement`: what the API says a hash moved on a vault, where no chain view tells.
 * `unseen`: an incoming transaction that we have no deposit for.
 * `backfill`: what no notification told, even after a replay, taken into the books from the API.
 * `address`: what an address's own list tells where no notification did, or told otherwise.
 * `subscription`: whether a vault's subscription is as we want it.
 * `backlog`: whether notifications of a vault wait at the custody service.
 * `depths`: at which depths a network emits confirmation events.
 * `run-step`: a bounded part of a run's local half (books against chain view) is judged as of then.
 * `run`: a reconciliation ended; its last step is judged as of then.
 * `close`: a day ended; its report is made and sealed as of then.
 */
export type CustodyRecord =
  | {
      readonly kind: 'deposit';
      readonly depositId: DepositId;
      readonly transaction: CustodyTransaction | null;
      readonly graceMs: number;
      /** The record may correct the deposit; absent in older facts, which only reported. */
      readonly corrects?: true;
    }
  | {
      readonly kind: 'outgoing';
      readonly transaction: CustodyTransaction;
      readonly graceMs: number;
    }
  | { readonly kind: 'unknown-transaction'; readonly transactionId: TransactionId }
  | {
      readonly kind: 'disowned-hash';
      readonly network: NetworkKey;
      readonly blockchainHash: BlockchainHash;
      readonly incoming: readonly TransactionId[];
      readonly graceMs: number;
    }
  | {
      readonly kind: 'movement';
      readonly vaultId: VaultId;
      readonly network: NetworkKey;
      readonly blockchainHash: BlockchainHash;
      readonly sums: readonly CustodySum[];
    }
  | { readonly kind: 'unseen'; readonly transaction: CustodyTransaction; readonly graceMs: number }
  | { readonly kind: 'backfill'; readonly transaction: CustodyTransaction }
  | (AddressEvidence & { readonly kind: 'address' })
  | {
      readonly kind: 'subscription';
      readonly vaultId: VaultId;
      /** What is wrong with it, in words that hold no URL; null when nothing is. */
      readonly drift: string | null;
    }
  | {
      readonly kind: 'backlog';
      readonly vaultId: VaultId;
      /** Null when nothing waits any more. */
      readonly backlog: Backlog | null;
    }
  | {
      readonly kind: 'depths';
      readonly network: NetworkKey;
      readonly published: readonly number[];
      /** Whether an asset of it has ever arrived. */
      readonly inUse: boolean;
    }
  | { readonly kind: 'run-step'; readonly graceMs: number }
  | {
      readonly kind: 'run';
      readonly startedAt: number;
      readonly graceMs: number;
      /** Ages at which waiting and breaks are judged in this run; absent: they are not. */
      readonly ages?: RunAges;
      /** Outcomes of the half that asked the custody API. */
      readonly custody: RunCounts;
      readonly requests: number;
      /** Newest `updatedAt` (the service's clock) up to which its list is known, or null. */
      readonly watermark: number | null;
      /** What kept the custody half from completing, or null. */
      readonly incomplete: string | null;
      /** What was asked of addresses; absent where none was. Its outcomes are among `custody`'s. */
      readonly addresses?: AddressChecks;
      /** Absent where nothing was repaired. */
      readonly repairs?: RunRepairs;
      /**
       * Its commit judges a bounded number of differences. Absent in the facts of earlier versions:
       * their runs judged all of them.
       */
      readonly isBounded?: true;
    }
  | CloseRecord;
