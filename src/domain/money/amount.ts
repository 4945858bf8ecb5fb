declare const brand: unique symbol;

/** Money: a signed integer in the asset's smallest unit, up to 78 digits. Never a float. */
export type Amount = bigint & { readonly [brand]: 'Amount' };

const AMOUNT_TEXT = /^-?[0-9]{1,78}$/;

export const ZERO: Amount = 0n as Amount;

/** An integer in the smallest unit as an amount. */
export const Amount = (value: bigint): Amount => value as Amount;

/** Reads a decimal integer string in the smallest unit. Undefined for any other text. */
export function parseAmount(text: string): Amount | undefined {
  return AMOUNT_TEXT.test(text) ? (BigInt(text) as Amount) : undefined;
}

/** What a store holds: a sum may have more digits than one amount, and no other form. */
const STORED_TEXT = /^-?[0-9]+$/;

/**
 * Reads an amount that this program wrote. Throws a `SyntaxError` for other text: the store is
 * damaged. `BigInt` alone would read an empty text as zero, and `0x10` as 16.
 */
export function storedAmount(text: string): Amount {
  if (!STORED_TEXT.test(text)) throw new SyntaxError(`${JSON.stringify(text)} is no stored amount`);
  return BigInt(text) as Amount;
}

/** The sum of two amounts. */
export function plus(left: Amount, right: Amount): Amount {
  return (left + right) as Amount;
}

/** The amount with the opposite sign, in the same unit. */
export function negated(amount: Amount): Amount {
  return -amount as Amount;
}
