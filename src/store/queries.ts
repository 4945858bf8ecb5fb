import type { Decision } from '../domain/fact/decision.ts';
import type { OpenedWithin } from '../domain/break/age-span.ts';
import type { BreakState, BreakType, Severity } from '../domain/break/break.ts';
import type { Amount } from '../domain/money/amount.ts';
import type { DepositState, HoldReason } from '../domain/deposit/deposit.ts';
import type { View } from '../domain/money/entry.ts';
import type { CustodyKnowledge } from '../domain/withdrawal/withdrawal.ts';
import type { IntakeStatus } from '../domain/fact/fact.ts';
import type { PageRequest } from './page.ts';

/** Selects balances; undefined members do not filter, and '' matches positions without the part. */
export interface BalanceQuery {
  readonly view: View;
  readonly vaultId?: string;
  readonly accountId?: string;
  readonly addressId?: string;
  readonly memo?: string;
  readonly asset?: string;
  /** Unix milliseconds: balances of the entries posted until then, inclusive. */
  readonly asOf?: number;
}

/** An amount of an asset, in its smallest unit. */
export interface AssetAmount {
  readonly asset: string;
  readonly amount: Amount;
}

/** What a person looks for: a text, and the amounts that it may mean. */
export interface Mentioned {
  readonly text: string;
  readonly amounts: readonly AssetAmount[];
}

/** Selects deposits; undefined members do not filter. */
export interface DepositQuery {
  readonly state?: DepositState;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
  /** On the chain, in any spelling. */
  readonly networkAddress?: string;
}

/** Selects deposits for a list with cursors; undefined members do not filter. */
export interface DepositSearch extends DepositQuery {
  /** Why it is held: one of these. */
  readonly reasons?: readonly HoldReason[];
  readonly network?: string;
  readonly asset?: string;
  readonly accountId?: string;
  readonly addressId?: string;
  readonly memo?: string;
  /** The owner that a person named. */
  readonly attributedTo?: string;
  /** Any of these amounts. */
  readonly amounts?: readonly AssetAmount[];
  /** Smallest units, inclusive; zero or more. */
  readonly amountFrom?: Amount;
  readonly amountTo?: Amount;
  /** Unix milliseconds: first seen then or later. */
  readonly firstSeenFrom?: number;
  /** Unix milliseconds: first seen earlier. */
  readonly firstSeenBefore?: number;
}

/** A page of a list that continues before or after a deposit; null begins with the newest. */
export interface DepositPageRequest {
  readonly cursor: { readonly side: 'older' | 'newer'; readonly depositId: string } | null;
  readonly pageSize: number;
}

/** Withdrawals that a search by asset or amount reads, the newest first. */
export const WITHDRAWALS_SEARCHED_MAX = 10_000;

/** Selects withdrawals; undefined members do not filter. */
export interface WithdrawalQuery {
  readonly transactionId?: string;
  readonly status?: string;
  readonly custody?: CustodyKnowledge;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
  readonly orderId?: string;
  readonly network?: string;
  readonly destinationAddress?: string;
  readonly memo?: string;
  /** An asset that it moved. `asset` and `amounts` are looked for in the newest ones alone. */
  readonly asset?: string;
  /** Any of these amounts, which it moved besides its fee. */
  readonly amounts?: readonly AssetAmount[];
  /** Unix milliseconds: first seen then or later. */
  readonly firstSeenFrom?: number;
  /** Unix milliseconds: first seen earlier. */
  readonly firstSeenBefore?: number;
}

/** Selects notifications; undefined members do not filter. */
export interface NotificationQuery {
  readonly id?: string;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
  readonly status?: IntakeStatus;
}

/** Selects a page of quarantined bodies, newest first; an undefined state does not filter. */
export interface QuarantinePageRequest extends PageRequest {
  readonly state?: 'kept' | 'retried';
}

/** Selects decisions, newest first; undefined members do not filter. */
export interface DecisionQuery {
  readonly actor?: string;
  readonly kinds?: readonly Decision['kind'][];
  /** Id of the deposit, break, quarantined body, credit or rule, name of a token, or a closed day. */
  readonly subject?: string;
  /** Unix milliseconds: recorded then or later. */
  readonly from?: number;
  /** Unix milliseconds: recorded earlier. */
  readonly until?: number;
  /** Only decisions before this journal position. */
  readonly before?: number;
  readonly limit: number;
}

/** Selects and orders breaks; undefined members do not filter. */
export interface BreakQuery extends OpenedWithin {
  /** `unresolved`: open or under investigation. */
  readonly state?: BreakState | 'unresolved';
  readonly type?: BreakType;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
  readonly severity?: Severity;
  /** One of these breaks. */
  readonly breakIds?: readonly string[];
  /** Identifies its difference: the type and its parts (`breakKey`). */
  readonly key?: string;
  readonly network?: string;
  readonly asset?: string;
  /** The expected or the actual amount is one of these, whatever its sign. */
  readonly amounts?: readonly AssetAmount[];
  /** Null: breaks without an assignee. */
  readonly assignee?: string | null;
  /** Undefined: newest first. `severity:desc` orders each severity by age, oldest first. */
  readonly sort?: BreakSort;
}

/** The orders in which breaks can be listed. */
export const BREAK_SORTS = [
  'openedAt:desc',
  'openedAt:asc',
  'updatedAt:desc',
  'severity:desc',
] as const;
export type BreakSort = (typeof BREAK_SORTS)[number];
