import { storedAmount, type Amount } from '../../../domain/money/amount.ts';
import type { ColumnType, ColumnFormat, ColumnValues } from './mapping.ts';

/** A text or a number as it is. */
export function plain<Type extends ColumnType>(type: Type): ColumnFormat<ColumnValues[Type], Type> {
  return { type, write: (value) => value, read: (kept) => kept };
}

/** A branded text. */
export function text<Id extends string>(
  brand: (value: string) => Id,
): ColumnFormat<Id, 'TEXT NOT NULL'> {
  return { type: 'TEXT NOT NULL', write: (id) => id, read: brand };
}

/** One word of a closed list. Only this program writes the column, so no read checks the word. */
export function word<Word extends string>(): ColumnFormat<Word, 'TEXT NOT NULL'> {
  return { type: 'TEXT NOT NULL', write: (value) => value, read: (kept) => kept as Word };
}

/** A value as JSON, which it must survive: no bigint, no undefined member. */
export function json<Value>(): ColumnFormat<Value, 'TEXT NOT NULL'> {
  return {
    type: 'TEXT NOT NULL',
    write: (value) => JSON.stringify(value),
    read: (kept) => JSON.parse(kept) as Value,
  };
}

/** A boolean as 1 or 0. */
export const FLAG: ColumnFormat<boolean, 'INTEGER NOT NULL'> = {
  type: 'INTEGER NOT NULL',
  write: (value) => (value ? 1 : 0),
  read: (kept) => kept === 1,
};

/** An amount in decimal digits, because amounts exceed 64 bits. */
export const AMOUNT: ColumnFormat<Amount, 'TEXT NOT NULL'> = {
  type: 'TEXT NOT NULL',
  write: (amount) => amount.toString(),
  read: storedAmount,
};

/** A value of another format, or null. */
export function orNull<Value>({
  write,
  read,
}: ColumnFormat<Value, 'TEXT NOT NULL'>): ColumnFormat<Value | null, 'TEXT'> {
  return {
    type: 'TEXT',
    write: (value) => (value === null ? null : write(value)),
    read: (kept) => (kept === null ? null : read(kept)),
  };
}
