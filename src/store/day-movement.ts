import type { Amount } from '../domain/amount.ts';
import type { Entry } from '../domain/entry.ts';
import type { ChangeKind } from '../domain/notification.ts';
import type { Category } from '../domain/roll-forward.ts';

/** A line of an entry behind a movement. Null: not told. */
export interface MovementEntry {
  readonly entryId: number;
  /** Its fact in the journal. */
  readonly seq: number;
  readonly recordedAt: number;
  /** Whose word it rests on. */
  readonly source: Entry['source'];
  readonly change: ChangeKind;
  /** As it moves the vault's balance. */
  readonly amount: Amount;
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly addressId: string | null;
  readonly addressName: string | null;
  readonly memo: string | null;
  readonly transactionId: string | null;
  /** The webhook that told it; null where a person or the custody API did. */
  readonly notificationId: string | null;
}

/** What one hash moved of one asset on one vault in a closed day. */
export interface DayMovement {
  readonly vaultId: string;
  readonly asset: string;
  readonly decimals: number | null;
  readonly network: string;
  readonly blockchainHash: string;
  /** By figure of the report, as it moves the vault's balance: withdrawals and fees are negative. */
  readonly amounts: Readonly<Partial<Record<Category, Amount>>>;
  /** The day's entries; where it has none, those of before that the day counts otherwise. */
  readonly entries: readonly MovementEntry[];
}

export interface DayMovementQuery {
  readonly day: string;
  readonly vaultId?: string | undefined;
  readonly asset?: string | undefined;
  readonly figure?: Category | undefined;
  /** Hashes that are looked at, in the order of their names; all where absent. */
  readonly hashesMax?: number | undefined;
}
