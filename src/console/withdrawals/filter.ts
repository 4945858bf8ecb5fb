import { WITHDRAWAL_STATUSES, type CustodyKnowledge } from '../../domain/withdrawal/withdrawal.ts';
import type { WithdrawalQuery } from '../../store/queries.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import type { FilterField } from '../../pages/parts/form/filter-form.tsx';
import { assetOptions, fieldsFor } from '../parts/list/filter-values.ts';
import { amountsIn } from '../parts/value/amounts.ts';
import { dayOrMoment } from '../parts/value/moments.ts';

export const PATH = '/console/withdrawals';

const KNOWLEDGE = [
  'known',
  'unasked',
  'doubted',
  'unknown',
] as const satisfies readonly CustodyKnowledge[];

/** The members of a filter's link. */
export const NAMES = [
  'status',
  'custody',
  'asset',
  'amount',
  'destinationAddress',
  'orderId',
  'memo',
  'from',
  'to',
  'network',
  'vaultId',
  'blockchainHash',
  'transactionId',
] as const;
type Name = (typeof NAMES)[number];

/** A filter as its link and its form have it: texts. */
export type WithdrawalFilter = Readonly<Partial<Record<Name, string>>>;

/** The first moment of a day, or after it; null for text that is no day. */
function dayOf(text: string | undefined, side: 'start' | 'end'): number | null | undefined {
  if (text === undefined) return undefined;
  const day = dayOrMoment(text);
  return day?.kind === 'day' ? day[side] : null;
}

/** What the store is asked; a status, a knowledge or a day that does not exist matches nothing. */
export function queryOf(filter: WithdrawalFilter, decimals: Decimals): WithdrawalQuery | undefined {
  const { custody, amount, from, to, ...equal } = filter;
  const { status } = equal;
  if (status !== undefined && !WITHDRAWAL_STATUSES.some((one) => one === status)) return undefined;
  const known = KNOWLEDGE.find((one) => one === custody);
  if (custody !== undefined && known === undefined) return undefined;
  const [firstSeenFrom, firstSeenBefore] = [dayOf(from, 'start'), dayOf(to, 'end')];
  if (firstSeenFrom === null || firstSeenBefore === null) return undefined;
  return {
    ...equal,
    ...(known !== undefined && { custody: known }),
    ...(amount !== undefined && { amounts: amountsIn(amount, { decimals, asset: filter.asset }) }),
    ...(firstSeenFrom !== undefined && { firstSeenFrom }),
    ...(firstSeenBefore !== undefined && { firstSeenBefore }),
  };
}

/** The fields of the form that makes the link. */
export function fieldsOf(filter: WithdrawalFilter, decimals: Decimals): FilterField[] {
  const field = fieldsFor(filter);
  return [
    field('status', 'Status', { options: WITHDRAWAL_STATUSES }),
    field('custody', 'Custody API', { options: KNOWLEDGE }),
    field('asset', 'Asset', { options: assetOptions(decimals, filter.asset) }),
    field('amount', 'Amount', { placeholder: '1.5 ETH' }),
    field('destinationAddress', 'Destination address'),
    field('orderId', 'Order id'),
    field('memo', 'Memo'),
    field('from', 'First seen from (UTC)', { type: 'date' }),
    field('to', 'First seen until (UTC)', { type: 'date' }),
    field('network', 'Network'),
    field('vaultId', 'Vault id'),
    field('blockchainHash', 'Hash'),
    field('transactionId', 'Transaction id'),
  ];
}
