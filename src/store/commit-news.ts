import type { CreditItem } from '../domain/credit.ts';
import { isDue, type Deposit } from '../domain/deposit.ts';
import type { DepositId, TransactionId } from '../domain/ids.ts';
import { awaitsConfirmation } from '../domain/withdrawal.ts';
import type { Writes } from './records.ts';

/** What a commit changed that the verifier waits for. Times are Unix milliseconds. */
export interface CommitNews {
  /** Deposits that the custody API must be asked about now, as the commit left them. */
  readonly due: readonly Deposit[];
  /** Items that entered the credit feed, with the time of the fact behind each. */
  readonly fed: readonly FedItem[];
  /** Withdrawals that ended by the word of a webhook alone. */
  readonly ended: readonly TransactionId[];
}

export interface FedItem {
  readonly depositId: DepositId;
  readonly kind: CreditItem['kind'];
  readonly at: number;
}

/** Collects the news of a commit from what it writes; undefined where nothing is news. */
export function newsOf(written: readonly Writes[]): CommitNews | undefined {
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
