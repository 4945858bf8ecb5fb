import type { CreditItem } from '../domain/deposit/credit.ts';
import { isDue, type Deposit } from '../domain/deposit/deposit.ts';
import type { DepositId, TransactionId } from '../domain/ids.ts';
import { awaitsConfirmation, type Withdrawal } from '../domain/withdrawal/withdrawal.ts';
import type { FeedRow } from './records.ts';

/** The changes of a commit that the verifier waits for. */
export interface CommitNews {
  /** Deposits to verify at the custody API now, as the commit left them. */
  readonly due: readonly Deposit[];
  /** Items that the commit appended to the credit feed. */
  readonly fed: readonly FedItem[];
  /** Withdrawals that reached a final status by webhooks alone. */
  readonly ended: readonly TransactionId[];
}

/** An item that a commit appended to the credit feed. */
export interface FedItem {
  readonly depositId: DepositId;
  readonly kind: CreditItem['kind'];
  /** When the item's fact was recorded, Unix milliseconds. */
  readonly at: number;
}

/** The members of `Writes` (port.ts) that can hold news. */
interface Written {
  readonly deposits: readonly { readonly after: Deposit }[];
  readonly feed: readonly FeedRow[];
  readonly withdrawals: readonly Withdrawal[];
}

/** Collects the news of a commit from its writes; undefined when there are none. */
export function newsOf(written: readonly Written[]): CommitNews | undefined {
  const due = new Map<DepositId, Deposit>();
  const fed: FedItem[] = [];
  const ended = new Set<TransactionId>();
  for (const { deposits, feed, withdrawals } of written) {
    for (const { after } of deposits) {
      if (isDue(after)) due.set(after.depositId, after);
      else due.delete(after.depositId);
    }
    for (const { item, createdAt } of feed) {
      fed.push({ depositId: item.deposit.depositId, kind: item.kind, at: createdAt });
    }
    for (const withdrawal of withdrawals) {
      if (awaitsConfirmation(withdrawal)) ended.add(withdrawal.transactionId);
      else ended.delete(withdrawal.transactionId);
    }
  }
  if (due.size === 0 && fed.length === 0 && ended.size === 0) return undefined;
  return { due: [...due.values()], fed, ended: [...ended] };
}
