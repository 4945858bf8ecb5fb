import { storedAmount } from '../../domain/money/amount.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';

/** A record as JSON: an amount as a decimal string, every other member as it is. */
type Packed<Item> = {
  readonly [Member in keyof Item]: Item[Member] extends bigint ? string : Item[Member];
};
type PackedDeposit = Omit<Packed<Deposit>, 'credit'> & {
  readonly credit: Packed<NonNullable<Deposit['credit']>> | null;
};

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
  const { amount, credit, ...packed } = JSON.parse(text) as PackedDeposit;
  return {
    ...packed,
    amount: storedAmount(amount),
    credit: credit && { ...credit, amount: storedAmount(credit.amount) },
  };
}
