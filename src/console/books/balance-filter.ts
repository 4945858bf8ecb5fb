import type { FilterProblem } from '../parts/list/filter-problem.ts';
import { assetOptions, fieldsFor } from '../parts/list/filter-values.ts';
import type { BalanceQuery } from '../../store/queries.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import type { FilterField } from '../../pages/parts/form/filter-form.tsx';
import { dayOrMoment } from '../parts/value/moments.ts';

/** The members of a position's link. */
export const POSITION_NAMES = [
  'view',
  'vaultId',
  'accountId',
  'addressId',
  'memo',
  'asset',
] as const;

/** The members of a filter's link. */
export const NAMES = [...POSITION_NAMES, 'asOf'] as const;
type Name = (typeof NAMES)[number];

/** A filter as its link and its form have it: texts. */
export type BalanceFilter = Readonly<Partial<Record<Name, string>>>;

/** The last moment that counts: that of a day is its last millisecond. */
function asOfOf(text: string): number | undefined {
  const read = dayOrMoment(text);
  if (read === undefined) return undefined;
  return read.kind === 'day' ? read.end - 1 : read.start;
}

/** What the store is asked, or what is wrong with the filter. */
export function balanceQueryOf(
  filter: BalanceFilter,
): { readonly query: BalanceQuery } | { readonly problem: FilterProblem } {
  const { view = 'books', asOf, ...equal } = filter;
  if (view !== 'books' && view !== 'chain') {
    return { problem: { title: 'Unknown view', detail: 'Use books or chain.' } };
  }
  if (asOf === undefined) return { query: { ...equal, view } };
  const moment = asOfOf(asOf);
  if (moment !== undefined) return { query: { ...equal, view, asOf: moment } };
  const detail = 'Write a day such as 2025-11-20, or a moment such as 2025-11-20T12:00:00Z.';
  return { problem: { title: '“As of” is not a day', detail } };
}

/** The fields of the form that makes the link. */
export function balanceFields(filter: BalanceFilter, decimals: Decimals): FilterField[] {
  const { asOf } = filter;
  const isDay = asOf === undefined || dayOrMoment(asOf)?.kind === 'day';
  const field = fieldsFor(filter);
  return [
    field('view', 'View', { none: 'books', options: [{ value: 'chain', label: 'chain view' }] }),
    field('asset', 'Asset', { options: assetOptions(decimals, filter.asset) }),
    field('vaultId', 'Vault id'),
    field('accountId', 'Account id'),
    field('addressId', 'Address id'),
    field('memo', 'Memo'),
    field('asOf', 'As of the end of (UTC)', { type: isDay ? 'date' : 'text' }),
  ];
}
