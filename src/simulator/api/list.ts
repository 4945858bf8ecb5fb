import { z } from '@hono/zod-openapi';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../wire/page.ts';
import { ok } from './answer.ts';
import type { Answer } from './answer.ts';
import type { ReadView } from './request/read-view.ts';

/**
 * The sorts, filters, search and relations of one list (the specification, section "List
 * conventions").
 */
export interface ListDefinition<Row> {
  readonly sorts: Readonly<Record<string, (row: Row) => string | number>>;
  readonly filters: Readonly<Record<string, (row: Row) => string | number | null | undefined>>;
  readonly search?: (row: Row) => readonly (string | null | undefined)[];
  readonly relations?: readonly string[];
}

export interface ListQuery {
  readonly page: number;
  readonly pageSize: number;
  readonly sort: { readonly field: string; readonly descending: boolean } | undefined;
  readonly filters: ReadonlyMap<string, string>;
  readonly search: string | undefined;
  readonly relations: ReadonlySet<string>;
}

/** Query parameters as received. A repeated parameter is an array. */
type RawQuery = Readonly<Record<string, unknown>>;

function integerParameter(options: { min: number; max: number; fallback: number; about: string }) {
  const { min, max, fallback, about } = options;
  return z
    .string()
    .regex(/^\d{1,9}$/, `must be an integer from ${min} to ${max}`)
    .refine((text) => Number(text) >= min && Number(text) <= max, {
      message: `must be an integer from ${min} to ${max}`,
    })
    .optional()
    .openapi({
      type: 'integer',
      minimum: min,
      ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }),
      default: fallback,
      description: about,
    });
}

/**
 * The schema that validates and documents the query of a list (the specification, section "List
 * conventions").
 */
export function listQuerySchema<Row>(definition: ListDefinition<Row>) {
  const sortFields = Object.keys(definition.sorts);
  const relations = definition.relations ?? [];
  const shape: Record<string, z.ZodType> = {
    page: integerParameter({
      min: 0,
      max: 999_999_999,
      fallback: 0,
      about: 'Page, counted from 0.',
    }),
    pageSize: integerParameter({
      min: 1,
      max: PAGE_SIZE_MAX,
      fallback: PAGE_SIZE_DEFAULT,
      about: 'Rows of a page.',
    }),
    sort: z
      .string()
      .regex(
        new RegExp(`^(?:${sortFields.join('|')}):(?:asc|desc)$`),
        `must be <field>:<asc|desc>, with field one of ${sortFields.join(', ')}`,
      )
      .optional()
      .openapi({ description: `\`<field>:<asc|desc>\`; fields: ${sortFields.join(', ')}.` }),
  };
  for (const field of Object.keys(definition.filters))
    shape[`filter[${field}]`] = z.string().optional();
  if (definition.search !== undefined) shape['search'] = z.string().optional();
  if (relations.length > 0) {
    const relation = z.enum(relations);
    shape['relations[]'] = z.union([relation, z.array(relation)]).optional();
  }
  return z.looseObject(shape);
}

/** Schema of calls for one resource, which take `relations[]` only. */
export function relationsQuerySchema(relations: readonly string[]) {
  const relation = z.enum(relations);
  return z.looseObject({ 'relations[]': z.union([relation, z.array(relation)]).optional() });
}

function many(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === 'string');
}

/** The relations that a query asks for (the specification, section "List conventions"). */
export function relationsOf(query: RawQuery): ReadonlySet<string> {
  return new Set(many(query['relations[]']));
}

/** Reads a query that `listQuerySchema` has validated. */
export function readListQuery(query: RawQuery): ListQuery {
  const text = (key: string): string | undefined => many(query[key])[0];
  const sort = text('sort')?.split(':');
  const filters = new Map<string, string>();
  for (const key of Object.keys(query)) {
    const field = /^filter\[(.+)\]$/.exec(key)?.[1];
    const value = text(key);
    if (field !== undefined && value !== undefined) filters.set(field, value);
  }
  return {
    page: Number(text('page') ?? 0),
    pageSize: Number(text('pageSize') ?? PAGE_SIZE_DEFAULT),
    sort: sort?.[0] === undefined ? undefined : { field: sort[0], descending: sort[1] === 'desc' },
    filters,
    search: text('search')?.toLowerCase(),
    relations: relationsOf(query),
  };
}

/**
 * Index of the page's first row. The `page-drift` fault shifts later pages by one row, as if a row
 * had been added or removed between two requests.
 */
export function pageStart({ page, pageSize }: ListQuery, view: ReadView): number {
  return Math.max(0, page * pageSize + (page > 0 ? view.drift : 0));
}

function selectRows<Row>(
  rows: Iterable<Row>,
  query: ListQuery,
  definition: ListDefinition<Row>,
): Row[] {
  const tests: ((row: Row) => boolean)[] = [];
  for (const [field, wanted] of query.filters) {
    const read = definition.filters[field];
    if (read === undefined) continue;
    tests.push((row) => {
      const value = read(row);
      return value !== undefined && value !== null && String(value) === wanted;
    });
  }
  const { search } = query;
  const searched = definition.search;
  if (search !== undefined && search !== '' && searched !== undefined) {
    tests.push((row) =>
      searched(row).some((text) => text?.toLowerCase().includes(search) ?? false),
    );
  }
  const selected: Row[] = [];
  for (const row of rows) if (tests.every((test) => test(row))) selected.push(row);
  return selected;
}

function sortRows<Row>(rows: Row[], query: ListQuery, definition: ListDefinition<Row>): Row[] {
  const read = query.sort === undefined ? undefined : definition.sorts[query.sort.field];
  if (read === undefined || query.sort === undefined) return rows;
  const sign = query.sort.descending ? -1 : 1;
  return rows
    .map((row) => ({ row, key: read(row) }))
    .toSorted((left, right) => {
      if (left.key === right.key) return 0;
      return left.key < right.key ? -sign : sign;
    })
    .map(({ row }) => row);
}

/**
 * Filters and sorts the rows and answers one page (the specification, section "List conventions").
 * Rows come in order of creation, which also orders rows with equal sort keys. So pages of an
 * unchanged list never overlap. `present` turns a row of the page into the answered one; rows are
 * answered as they are by default.
 */
export function listAnswer<Row>(options: {
  rows: Iterable<Row>;
  query: RawQuery;
  definition: ListDefinition<Row>;
  view: ReadView;
  present?: (row: Row, relations: ReadonlySet<string>) => unknown;
}): Answer {
  const { definition, view, present = (row: Row) => row } = options;
  const query = readListQuery(options.query);
  const sorted = sortRows(selectRows(options.rows, query, definition), query, definition);
  const start = pageStart(query, view);
  const data = sorted
    .slice(start, start + query.pageSize)
    .map((row) => present(row, query.relations));
  const pagination = { page: query.page, pageSize: query.pageSize, total: sorted.length };
  return ok({ data, pagination });
}
