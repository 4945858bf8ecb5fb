import type { FilterProblem } from '../parts/list/filter-problem.ts';
import { assetOptions, fieldsFor } from '../parts/list/filter-values.ts';
import { Amount } from '../../domain/money/amount.ts';
import { DEPOSIT_STATES, HOLD_REASONS, type HoldReason } from '../../domain/deposit/deposit.ts';
import type { DepositSearch } from '../../store/queries.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { unitsOf } from '../../pages/parts/value/figure.ts';
import type { FilterField } from '../../pages/parts/form/filter-form.tsx';
import { dayIn, daysAfter } from '../parts/value/moments.ts';

export const PATH = '/console/deposits';

/** Selects the holds of deposits that lack an owner. */
export const WITHOUT_OWNER = 'without_owner';

/** What a filter may name as the reason of a hold, with the reasons that it selects. */
const REASONS: ReadonlyMap<string, readonly HoldReason[]> = new Map<string, readonly HoldReason[]>([
  ...HOLD_REASONS.map((reason) => [reason, [reason]] as const),
  [WITHOUT_OWNER, ['unattributed_memo', 'memo_required']],
]);

/** The members of a filter's link. */
export const NAMES = [
  'state',
  'reason',
  'asset',
  'network',
  'vaultId',
  'accountId',
  'networkAddress',
  'addressId',
  'memo',
  'blockchainHash',
  'attributedTo',
  'amountFrom',
  'amountTo',
  'from',
  'to',
] as const;
type Name = (typeof NAMES)[number];

/** A filter as its link and its form have it: texts. */
export type DepositFilter = Readonly<Partial<Record<Name, string>>>;

type Read<Value> = { readonly value?: Value } | { readonly problem: FilterProblem };

/** The beginning of a day in UTC, Unix milliseconds. */
function readDay(text: string | undefined, label: string): Read<number> {
  if (text === undefined) return {};
  const value = dayIn(text);
  if (value !== undefined) return { value };
  return { problem: { title: `${label} is not a day`, detail: 'Write it as 2025-11-20.' } };
}

function readAmount(
  text: string | undefined,
  label: string,
  about: { asset: string | undefined; decimals: Decimals },
): Read<Amount> {
  if (text === undefined) return {};
  const { asset, decimals } = about;
  if (asset === undefined) {
    const detail = 'Amounts of different assets cannot be compared. Name the asset too.';
    return { problem: { title: `${label} needs an asset`, detail } };
  }
  const digits = decimals.get(asset) ?? 0;
  const value = unitsOf(text, digits);
  if (value !== undefined) return { value: Amount(value) };
  const detail =
    digits === 0
      ? 'Write a whole number of smallest units.'
      : `Write digits and a point, with at most ${digits} decimals: 1.5`;
  return { problem: { title: `${label} is not an amount`, detail } };
}

/** What the store searches for, or what is wrong with the filter. */
export function searchOf(
  filter: DepositFilter,
  decimals: Decimals,
): { readonly search: DepositSearch } | { readonly problem: FilterProblem } {
  const { reason, from, to, amountFrom, amountTo, ...equal } = filter;
  const about = { asset: filter.asset, decimals };
  const least = readAmount(amountFrom, 'Amount from', about);
  const most = readAmount(amountTo, 'Amount to', about);
  const firstDay = readDay(from, 'First seen from');
  const lastDay = readDay(to, 'First seen until');
  for (const read of [least, most, firstDay, lastDay]) if ('problem' in read) return read;
  const state = DEPOSIT_STATES.find((one) => one === filter.state);
  if (filter.state !== undefined && state === undefined) {
    return {
      problem: { title: 'Unknown state', detail: `Use one of ${DEPOSIT_STATES.join(', ')}.` },
    };
  }
  const reasons = reason === undefined ? undefined : REASONS.get(reason);
  if (reason !== undefined && reasons === undefined) {
    const detail = `Use one of ${[...REASONS.keys()].join(', ')}.`;
    return { problem: { title: 'Unknown reason', detail } };
  }
  const valueOf = <Value>(read: Read<Value>): Value | undefined =>
    'problem' in read ? undefined : read.value;
  const until = valueOf(lastDay);
  const parts = {
    ...equal,
    state,
    reasons,
    amountFrom: valueOf(least),
    amountTo: valueOf(most),
    firstSeenFrom: valueOf(firstDay),
    firstSeenBefore: until === undefined ? undefined : daysAfter(until, 1),
  };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return { search: Object.fromEntries(given) };
}

/** The fields of the form that makes the link. */
export function fieldsOf(filter: DepositFilter, decimals: Decimals): FilterField[] {
  const field = fieldsFor(filter);
  return [
    field('state', 'State', { options: DEPOSIT_STATES }),
    field('reason', 'Held because', { options: [...REASONS.keys()] }),
    field('asset', 'Asset', { options: assetOptions(decimals, filter.asset) }),
    field('amountFrom', 'Amount from'),
    field('amountTo', 'Amount to'),
    field('from', 'First seen from (UTC)', { type: 'date' }),
    field('to', 'First seen until (UTC)', { type: 'date' }),
    field('attributedTo', 'Owner'),
    field('memo', 'Memo'),
    field('networkAddress', 'On-chain address'),
    field('addressId', 'Address id'),
    field('accountId', 'Account id'),
    field('vaultId', 'Vault id'),
    field('network', 'Network'),
    field('blockchainHash', 'Hash'),
  ];
}
