/** The types of columns in schema.sql, and what a row holds in such a column. */
export interface ColumnValues {
  'TEXT NOT NULL': string;
  TEXT: string | null;
  'INTEGER NOT NULL': number;
  INTEGER: number | null;
}
export type ColumnType = keyof ColumnValues;

/** How one column keeps a value. */
export interface ColumnFormat<Value, Type extends ColumnType> {
  readonly type: Type;
  readonly write: (value: Value) => ColumnValues[Type];
  readonly read: (kept: ColumnValues[Type]) => Value;
}

/** How a row keeps one member of a record: in one column (`column`) or in several. */
interface Field<Value, Row> {
  readonly columns: readonly {
    readonly name: keyof Row & string;
    readonly type: ColumnType;
    readonly write: (value: Value) => ColumnValues[ColumnType];
  }[];
  readonly read: (row: Row) => Value;
}

/** A field for each member of a record: a member without one is a type error. */
type FieldsOf<Item> = { readonly [Member in keyof Item]: Field<Item[Member], never> };

/** Columns for what no member of the record keeps, such as the number of its hash. */
type Extras = Readonly<Record<string, ColumnType>>;
type ExtraIn<P extends Extras> = { readonly [Name in keyof P]: ColumnValues[P[Name]] };

type Reader<F> = F extends { readonly read: (row: infer Row) => unknown }
  ? (row: Row) => void
  : never;
/** The columns that all fields read. */
type RowOf<F> = Reader<F[keyof F]> extends (row: infer Row) => void ? Row : never;

/** A column of a mapped table. `member`: the member that it keeps; null for an extra one. */
interface MappedColumn<Item, Extra> {
  readonly name: string;
  readonly type: ColumnType;
  readonly member: keyof Item | null;
  readonly write: (item: Item, extra: Extra) => ColumnValues[ColumnType];
}

/** A table with a record of the domain in each row: all its columns, written and read. */
export interface Mapping<Item, Extra, Row> {
  readonly table: string;
  readonly columns: readonly MappedColumn<Item, Extra>[];
  /** The columns of the primary key. */
  readonly key: readonly MappedColumn<Item, Extra>[];
  /** Reads a record from its row. */
  readonly read: (row: Row) => Item;
}

/** A row of a mapped table. */
export type RowIn<M> = M extends { readonly read: (row: infer Row) => unknown } ? Row : never;

/** Keeps a member in one column. */
export function column<Name extends string, Value, Type extends ColumnType>(
  name: Name,
  { type, write, read }: ColumnFormat<Value, Type>,
): Field<Value, Readonly<Record<Name, ColumnValues[Type]>>> {
  return { columns: [{ name, type, write }], read: (row) => read(row[name]) };
}

/** Keeps a member that is a record itself, in the columns of its own members. */
export function nested<Value extends object>() {
  return <F extends FieldsOf<Value>>(of: F): Field<Value, RowOf<F> & object> => {
    const fields: FieldsOf<Value> = of;
    const columns = (Object.keys(fields) as (keyof Value)[]).flatMap((member) =>
      fields[member].columns.map(({ name, type, write }) => ({
        // `RowOf` has the columns of all fields.
        name: name as keyof RowOf<F> & string,
        type,
        write: (value: Value) => write(value[member]),
      })),
    );
    return { columns, read: readerOf(fields) };
  };
}

function columnsOf<Item>(
  fields: FieldsOf<Item>,
  member: keyof Item,
): MappedColumn<Item, unknown>[] {
  return fields[member].columns.map(({ name, type, write }) => {
    return { name, type, member, write: (item) => write(item[member]) };
  });
}

function extrasOf<Item, P extends Extras>(extras: P): MappedColumn<Item, ExtraIn<P>>[] {
  const names: (keyof P & string)[] = Object.keys(extras);
  return names.flatMap((name) => {
    const type = extras[name];
    const write = (_: unknown, extra: ExtraIn<P>): ColumnValues[ColumnType] => extra[name];
    return type === undefined ? [] : { name, type, member: null, write };
  });
}

/** Reads the members of a record from its row, one after the other. */
function readerOf<Item extends object>(fields: FieldsOf<Item>): (row: object) => Item {
  const members = Object.keys(fields) as (keyof Item)[];
  const readers = members.map((member) => ({ member, read: fields[member].read }));
  // V8 gives a copy its final shape at once. An object that grows by thirty members is slow to read.
  const blank = Object.fromEntries(members.map((member) => [member, null])) as Item;
  return (row) => {
    const item = { ...blank };
    // `FieldsOf` lets each field read a row of its own type; `RowOf` is the type that suits all.
    for (const { member, read } of readers) item[member] = read(row as never);
    return item;
  };
}

/** Maps a table to records of the domain. `extras` and `fields` name every column of it once. */
export function mappingOf<Item extends object>() {
  return <F extends FieldsOf<Item>, P extends Extras>(of: {
    readonly table: string;
    readonly key: readonly (keyof RowOf<F> | keyof P)[];
    readonly extras: P;
    readonly fields: F;
  }): Mapping<Item, ExtraIn<P>, RowOf<F> & ExtraIn<P>> => {
    const fields: FieldsOf<Item> = of.fields;
    const members = Object.keys(fields) as (keyof Item)[];
    const columns: MappedColumn<Item, ExtraIn<P>>[] = [
      ...extrasOf(of.extras),
      ...members.flatMap((member) => columnsOf(fields, member)),
    ];
    return {
      table: of.table,
      columns,
      key: columns.filter(({ name }) => of.key.some((one) => one === name)),
      read: readerOf(fields),
    };
  };
}
