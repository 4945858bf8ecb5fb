import type { CustodyKnowledge, WithdrawalStatus } from '../../domain/withdrawal/withdrawal.ts';
import type { WithdrawalQuery } from '../../store/queries.ts';
import type { FilterField } from '../../pages/parts/filter-form.tsx';

export const PATH = '/console/withdrawals';

/** Statuses in the order in which a transaction passes them; ends last. */
const STATUSES = [
  'approval-pending',
  'requested',
  'inited',
  'to-sign',
  'signed',
  'submitted',
  'mined',
  'failed',
  'cancelled',
  'replaced',
  'rolledback',
] as const satisfies readonly WithdrawalStatus[];

const KNOWLEDGE = [
  'known',
  'unasked',
  'doubted',
  'unknown',
] as const satisfies readonly CustodyKnowledge[];

/** The members of a filter's link. */
const NAMES = ['status', 'custody', 'vaultId', 'blockchainHash', 'transactionId'] as const;

/** A filter as its link and its form have it: texts. */
export type WithdrawalFilter = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

/** The filter of a link; unknown members do not filter. */
export function filterOf(query: Readonly<Record<string, string>>): WithdrawalFilter {
  const given = NAMES.map((name) => [name, query[name]?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** What the store is asked; a status or knowledge that does not exist matches nothing. */
export function queryOf({ custody, ...filter }: WithdrawalFilter): WithdrawalQuery | undefined {
  const { status } = filter;
  if (status !== undefined && !STATUSES.some((one) => one === status)) return undefined;
  const known = KNOWLEDGE.find((one) => one === custody);
  if (custody !== undefined && known === undefined) return undefined;
  return known === undefined ? filter : { ...filter, custody: known };
}

function optionsOf(values: readonly string[]): NonNullable<FilterField['options']> {
  return values.map((value) => ({ value, label: value }));
}

/** The fields of the form that makes the link. */
export function fieldsOf(filter: WithdrawalFilter): FilterField[] {
  return [
    { name: 'status', label: 'Status', value: filter.status, options: optionsOf(STATUSES) },
    {
      name: 'custody',
      label: 'Custody API',
      value: filter.custody,
      options: optionsOf(KNOWLEDGE),
    },
    { name: 'vaultId', label: 'Vault id', value: filter.vaultId },
    { name: 'blockchainHash', label: 'Hash', value: filter.blockchainHash },
    { name: 'transactionId', label: 'Transaction id', value: filter.transactionId },
  ];
}
