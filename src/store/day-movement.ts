import type { Amount } from '../domain/money/amount.ts';
import type { ChangeKind } from '../domain/fact/notification.ts';
import type { Category } from '../domain/money/roll-forward.ts';
import type { Page } from './page.ts';
import type { EntryOrigin } from './statement.ts';

/** A line of an entry behind a movement. Members are null when the sender did not report them. */
export interface MovementEntry extends Omit<EntryOrigin, 'postedAt' | 'cause' | 'reverses'> {
  /** When the fact was recorded, Unix milliseconds. */
  readonly recordedAt: number;
  readonly change: ChangeKind;
  /** Smallest unit; negative when it lowers the vault's balance. */
  readonly amount: Amount;
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly addressId: string | null;
  readonly addressName: string | null;
  readonly memo: string | null;
}

/** How one hash moved one asset of one vault in a closed day. */
export interface DayMovement {
  readonly vaultId: string;
  readonly asset: string;
  readonly decimals: number | null;
  readonly network: string;
  readonly blockchainHash: string;
  /** By figure of the report, in the smallest unit; withdrawals and fees are negative. */
  readonly amounts: Readonly<Partial<Record<Category, Amount>>>;
  /** The day's entries; without any, the earlier entries that the day counts otherwise. */
  readonly entries: readonly MovementEntry[];
}

/** Selects movements of a closed day; undefined members do not filter. */
export interface DayMovementQuery {
  readonly day: string;
  readonly vaultId?: string | undefined;
  readonly asset?: string | undefined;
  readonly figure?: Category | undefined;
  /** Most hashes that are read, in the order of their names; undefined reads all. */
  readonly hashesMax?: number | undefined;
}

/** One page of a closed day's movements. */
export interface DayMovementPage extends Page<DayMovement> {
  /**
   * False when `hashesMax` left hashes out, which `total` does not count, or when the page holds more
   * lines of entries than one answer.
   */
  readonly isWhole: boolean;
}
