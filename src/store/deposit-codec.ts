import { storedAmount } from '../domain/amount.ts';
import type { Deposit } from '../domain/deposit.ts';

/**
 * A deposit as JSON text, amounts as decimal strings, members in one order: the same deposit gives
 * the same text whether it was just made or read back.
 */
export function packDeposit(deposit: Deposit): string {
  const members = Object.entries(deposit).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify(Object.fromEntries(members), (_, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}

/** Reads what `packDeposit` wrote. */
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
