import { z } from 'zod';
import { pagination } from '../../wire/page.ts';
import type { Read, Reader } from '../call/answer.ts';
import { issueText, readerOf } from '../call/answer.ts';

/** A row that the wire schema rejects. It is reported, and never treated as absent. */
export interface UnreadableRow<Row = never> {
  /** Its id, if readable. */
  readonly id: string | null;
  readonly detail: string;
  /** The part of it that counts all the same; undefined when that is unreadable too. */
  readonly part?: Row;
}

/** One page of a list (spec, "Pagination envelope"). */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Rows are read one by one: one unreadable row must not hide the others. */
  readonly unreadable: readonly UnreadableRow<Row>[];
  /** 0-based. */
  readonly page: number;
  readonly pageSize: number;
  /** Rows of the whole list, by the service's count. */
  readonly total: number;
}

const ID_FIELDS = ['transactionId', 'addressId', 'vaultId', 'blockchainHash', 'id'] as const;

const envelope = z.looseObject({ data: z.array(z.unknown()), pagination });

/**
 * Reads `{data, pagination}` (the specification, section "Pagination envelope"). Another shape, or
 * more rows than `pageSize`, is `malformed`. `part`: what counts of a row that is unreadable.
 */
export function pageReader<Schema extends z.ZodType>(
  row: Schema,
  part?: z.ZodType<z.infer<Schema>>,
): Reader<Page<z.infer<Schema>>> {
  const readEnvelope = readerOf(envelope);
  return (json) => {
    const read = readEnvelope(json);
    if (read.kind === 'malformed') return read;
    const { data, pagination: at } = read.value;
    if (data.length > at.pageSize) {
      return { kind: 'malformed', detail: `${data.length} rows on a page of ${at.pageSize}` };
    }
    const { rows, unreadable } = readRows(data, row, part);
    const { page, pageSize, total } = at;
    return { kind: 'ok', value: { rows, unreadable, page, pageSize, total } };
  };
}

const wholeEnvelope = z.union([
  z.array(z.unknown()).transform((data) => ({ data, pagination: undefined })),
  z.looseObject({ data: z.array(z.unknown()), pagination: pagination.optional() }),
]);

/**
 * Reads a short list of unspecified shape: an array, or `{data}` with or without pagination. Unlike
 * a page it must be complete: it is a setting, and half a setting misleads. An unreadable or
 * missing row makes it `malformed`.
 */
export function listReader<Schema extends z.ZodType>(
  row: Schema,
): Reader<readonly z.infer<Schema>[]> {
  const readEnvelope = readerOf(wholeEnvelope);
  return (json): Read<readonly z.infer<Schema>[]> => {
    const read = readEnvelope(json);
    if (read.kind === 'malformed') return read;
    const { data, pagination: at } = read.value;
    if (at !== undefined && at.total > data.length) {
      return { kind: 'malformed', detail: `only ${data.length} of ${at.total} rows were sent` };
    }
    const { rows, unreadable } = readRows(data, row);
    const [first] = unreadable;
    return first === undefined
      ? { kind: 'ok', value: rows }
      : { kind: 'malformed', detail: first.detail };
  };
}

/**
 * Reads the readable rows of a list that need not be complete: each row is useful alone. Leaves out
 * unreadable rows. A value that is no list is `malformed`.
 */
export function someRowsReader<Schema extends z.ZodType>(
  row: Schema,
): Reader<readonly z.infer<Schema>[]> {
  const readEnvelope = readerOf(wholeEnvelope);
  return (json) => {
    const read = readEnvelope(json);
    return read.kind === 'malformed'
      ? read
      : { kind: 'ok', value: readRows(read.value.data, row).rows };
  };
}

function readRows<Schema extends z.ZodType>(
  data: readonly unknown[],
  row: Schema,
  part?: z.ZodType<z.infer<Schema>>,
): { rows: z.infer<Schema>[]; unreadable: UnreadableRow<z.infer<Schema>>[] } {
  const rows: z.infer<Schema>[] = [];
  const unreadable: UnreadableRow<z.infer<Schema>>[] = [];
  for (const json of data) {
    const parsed = row.safeParse(json);
    if (parsed.success) rows.push(parsed.data);
    else
      unreadable.push({ id: idIn(json), detail: issueText(parsed.error), ...partIn(json, part) });
  }
  return { rows, unreadable };
}

function partIn<Row>(
  json: unknown,
  schema: z.ZodType<Row> | undefined,
): Pick<UnreadableRow<Row>, 'part'> {
  const parsed = schema?.safeParse(json);
  return parsed?.success === true ? { part: parsed.data } : {};
}

function idIn(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null;
  const fields = new Map<string, unknown>(Object.entries(json));
  for (const name of ID_FIELDS) {
    const value = fields.get(name);
    if (typeof value === 'string') return value;
  }
  return null;
}
