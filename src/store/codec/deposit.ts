import { storedAmount } from '../../domain/money/amount.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';

/**
 * A deposit as JSON text; amounts are decimal strings. Members are sorted by name, so equal
 * deposits give equal texts, whether they were just created or read from the store.
 */
export function packDeposit(deposit: Deposit): string {
  const members = Object.entries(deposit).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify(Object.fromEntries(members), (_, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}

/** Reads what `packDeposit` wrote. Throws for text that is not JSON: the store is damaged. */
export function unpackDeposit(text: string): Deposit {
  const packed = JSON.parse(text) as Omit<Deposit, 'amount' | 'credit'> & {
    amount: string;
    credit: (Omit<NonNullable<Deposit['credit']>, 'amount'> & { amount: string }) | null;
  };
  return {
    ...packed,
    amount: storedAmount(packed.amount),
    credit:
      packed.credit === null
        ? null
        : { ...packed.credit, amount: storedAmount(packed.credit.amount) },
  };
}
