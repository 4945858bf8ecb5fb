import type { AddressEvidence } from '../chain/address-evidence.ts';
import type { Amount } from '../money/amount.ts';
import { sumsByAsset } from '../hash/same-changes.ts';
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
} from '../ids.ts';
import type { Backlog } from '../break/backlog.ts';
import type { Escalation } from '../break/escalation.ts';
import type { CloseRecord } from '../close/record.ts';
import type { BalanceChange } from './notification.ts';
import type { StaleAges } from '../break/staleness.ts';

/** A transaction as the custody API reports it. Times are Unix milliseconds. */
export interface CustodyTransaction {
  readonly transactionId: TransactionId;
  readonly vaultId: VaultId;
  readonly type: 'outgoing' | 'incoming';
  /** An open string; an unknown status never credits. */
  readonly status: string;
  readonly orderId: string | null;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash | null;
  readonly accountId: AccountId | null;
  readonly addressId: AddressId | null;
  readonly destinationAddress: string | null;
  /** The on-chain address of an incoming transaction's position. Absent when unknown. */
  readonly networkAddress?: string;
  readonly memo: Memo | null;
  readonly confirmations: number | null;
  /**
   * Null when the API omits them briefly on a just-mined transaction (spec, conservation rule 6).
   */
  readonly changes: readonly BalanceChange[] | null;
  readonly reasonCode: string | null;
  /** Absent when the API gives no readable time. */
  readonly createdAt?: number;
  readonly updatedAt: number;
  /**
   * The journal position when it was requested: it may be older than any later fact. Absent in older
   * facts.
   */
  readonly askedAfter?: number;
}

/** A hash's sum of one asset in a vault, over all its transactions at the custody API. */
export interface CustodySum {
  readonly asset: AssetId;
  readonly amount: Amount;
}

/** Statuses in which no balance has moved yet. */
const IN_PROGRESS = new Set([
  'mempool',
  'approval-pending',
  'requested',
  'inited',
  'to-sign',
  'signed',
  'submitted',
]);

/** Statuses in which no balance has moved. */
const UNMOVED = new Set([...IN_PROGRESS, 'rolledback', 'cancelled', 'replaced']);

/**
 * Whether a transaction may still move balances. The row may also be an older version of one that has
 * moved them.
 */
export function isInProgress({ status }: Pick<CustodyTransaction, 'status'>): boolean {
  return IN_PROGRESS.has(status);
}

/**
 * Whether the transaction moved balances that the API has not published yet (spec, conservation
 * rule 6).
 */
export function lacksChanges({ type, status, changes }: CustodyTransaction): boolean {
  return changes === null && status === (type === 'outgoing' ? 'mined' : 'confirmed');
}

/**
 * The sum per asset over several transactions. Null when unknown: omitted balance changes, an
 * unknown status, or a failed transaction that burned an unknown fee. Sums are in smallest units.
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

/**
 * Counts of a run's outcomes: every comparison ends as one of these, never as a silent difference.
 */
export interface RunCounts {
  readonly matched: number;
  readonly broken: number;
  /** Counts by exemption rule. */
  readonly exempt: Readonly<Record<string, number>>;
  /** Counts by cause: "could not compare" is neither matched nor a mismatch. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** What a run did about missing notifications. */
export interface RunRepairs {
  /** Notifications that the custody service delivered again and intake accepted. */
  readonly replayed: number;
  /** Vaults whose next delivery attempt was pulled forward. */
  readonly pulledForward: number;
  /** Transactions booked from the custody API. */
  readonly backfilled: number;
}

export const NO_REPAIRS: RunRepairs = { replayed: 0, pulledForward: 0, backfilled: 0 };

/** A run's address checks, and the position of the rotation over all addresses. */
export interface AddressChecks {
  readonly checked: number;
  readonly outcomes: RunCounts;
  /** Where the next run continues; null before the first. */
  readonly cursor: RotationCursor | null;
}

/** A position in the rotation over every address of every vault. */
export interface RotationCursor {
  readonly vaultId: string;
  /** How many addresses of the vault's API list this round has passed. */
  readonly offset: number;
  /**
   * The last address passed among those that only the ledger knows; null while the API list lasts.
   */
  readonly after: string | null;
}

/** Ages at which a run reports something as stale and escalates a break. */
export interface RunAges {
  readonly stale: StaleAges;
  readonly escalation: Escalation;
}

/**
 * Evidence from the custody API that changed something, journalled as a fact.
 *
 * | kind | is |
 * |---|---|
 * | `deposit` | the record of one deposit, or null when a single look-up answered 404 |
 * | `outgoing` | a platform transaction |
 * | `unknown-transaction` | a look-up answered 404, or returned no outgoing transaction |
 * | `disowned-hash` | a complete answer listed these incoming transactions under a hash, and no outgoing one |
 * | `movement` | a hash's sums in a vault, where the chain view is missing |
 * | `unseen` | an incoming transaction without a deposit of ours |
 * | `backfill` | a transaction whose notifications are missing even after a replay |
 * | `address` | an address list that contradicts or exceeds the notifications |
 * | `subscription` | whether a vault's subscription matches the wanted one |
 * | `backlog` | whether notifications of a vault wait at the custody service |
 * | `depths` | the depths at which a network emits confirmation events |
 * | `run-step` | a bounded part of the local comparison (books against chain view), as of then |
 * | `run` | a reconciliation ended; its last step is compared as of then |
 * | `close` | a day ended; its report is made and sealed as of then |
 */
export type CustodyRecord =
  | {
      readonly kind: 'deposit';
      readonly depositId: DepositId;
      readonly transaction: CustodyTransaction | null;
      readonly graceMs: number;
      /**
       * The record may correct the deposit. Absent in older facts, which only report differences.
       */
      readonly corrects?: true;
      /** The deposit's epoch when it was compared. Absent after many rollbacks, and in older facts. */
      readonly epoch?: number;
      /** Its match gets too old for a credit. Absent in older facts, whose match never does. */
      readonly expires?: true;
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
  | {
      readonly kind: 'backfill';
      readonly transaction: CustodyTransaction;
      /**
       * An incoming transaction's epoch in our books when it was compared. Absent after many rollbacks,
       * and in older facts.
       */
      readonly epoch?: number;
    }
  | (AddressEvidence & { readonly kind: 'address' })
  | {
      readonly kind: 'subscription';
      readonly vaultId: VaultId;
      /** The difference in words, without any URL; null when the subscription matches. */
      readonly drift: string | null;
    }
  | {
      readonly kind: 'backlog';
      readonly vaultId: VaultId;
      /** Null when no notification waits. */
      readonly backlog: Backlog | null;
    }
  | {
      readonly kind: 'depths';
      readonly network: NetworkKey;
      readonly published: readonly number[];
      /** Whether an asset of this network has ever arrived. */
      readonly inUse: boolean;
    }
  | { readonly kind: 'run-step'; readonly graceMs: number }
  | {
      readonly kind: 'run';
      readonly startedAt: number;
      readonly graceMs: number;
      /** Ages for staleness and escalation in this run; absent when the run checks neither. */
      readonly ages?: RunAges;
      /** Outcomes of the comparison with the custody API. */
      readonly custody: RunCounts;
      readonly requests: number;
      /** Newest `updatedAt` (the service's clock) up to which the API's list is known, or null. */
      readonly watermark: number | null;
      /** Why the comparison with the custody API is incomplete, or null. */
      readonly incomplete: string | null;
      /** The address checks; absent without any. `custody` includes their outcomes. */
      readonly addresses?: AddressChecks;
      /** Absent when the run repaired nothing. */
      readonly repairs?: RunRepairs;
      /**
       * The run's commit compares a bounded number of movements. Absent in older facts: those runs
       * compared all.
       */
      readonly isBounded?: true;
    }
  | CloseRecord;
