import type { FilterField } from '../../../pages/parts/form/filter-form.tsx';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';

/** The filter of a link: those of its values that these names have. Empty ones are left out. */
export function filterValues<Name extends string>(
  names: readonly Name[],
  query: Readonly<Record<string, string>>,
): Readonly<Partial<Record<Name, string>>> {
  const given = names.map((name) => [name, query[name]?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== '')) as Partial<
    Record<Name, string>
  >;
}

/** Makes the fields of a filter's form: each has the filter's value. */
export function fieldsFor<Name extends string>(filter: Readonly<Partial<Record<Name, string>>>) {
  return (name: Name, label: string, more: Partial<FilterField> = {}): FilterField => ({
    name,
    label,
    value: filter[name],
    ...more,
  });
}

/** Assets to choose from, and the chosen one, which the store may not know. */
export function assetOptions(
  decimals: Decimals,
  chosen: string | undefined,
): NonNullable<FilterField['options']> {
  const known = new Set([...decimals.keys(), ...(chosen === undefined ? [] : [chosen])]);
  return [...known].toSorted().map((value) => ({ value, label: value }));
}
