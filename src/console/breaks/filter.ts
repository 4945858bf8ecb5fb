import { AGE_SPANS, openedWithin, type AgeSpan } from '../../domain/break/age-span.ts';
import {
  BREAK_TYPES,
  type BreakState,
  type BreakType,
  type Severity,
} from '../../domain/break/break.ts';
import type { BreakQuery } from '../../store/queries.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { filterValues } from '../parts/list/filter-values.ts';
import { amountsIn } from '../parts/value/amounts.ts';
import { linkTo } from '../../pages/parts/list/link.ts';

export const PATH = '/console/breaks';

/** The states that the queue offers, the first by default. */
export const STATES = ['unresolved', 'open', 'investigating', 'resolved', 'all'] as const;
export type QueueState = (typeof STATES)[number];
/** The most severe first. */
export const SEVERITIES_SHOWN = [
  'critical',
  'warning',
  'info',
] as const satisfies readonly Severity[];
/** Selects breaks without an assignee. */
export const NOBODY = 'nobody';

/** What the queue shows, as its link says it. */
export interface QueueFilter {
  readonly state: QueueState;
  readonly type?: BreakType;
  readonly severity?: Severity;
  readonly age?: AgeSpan;
  readonly vaultId?: string;
  readonly blockchainHash?: string;
  readonly network?: string;
  readonly asset?: string;
  /** In an asset's own unit or in smallest units: `1.5 ETH`, `1500`. */
  readonly amount?: string;
  /** A name, or `nobody`. */
  readonly assignee?: string;
}

/** The members of a filter's link. */
export const NAMES = [
  'state',
  'type',
  'severity',
  'age',
  'vault',
  'hash',
  'network',
  'asset',
  'amount',
  'assignee',
] as const;

/** Members of a filter that its link names otherwise. */
const MEMBERS: Readonly<Record<string, keyof QueueFilter>> = {
  vault: 'vaultId',
  hash: 'blockchainHash',
};

const CHOICES = { state: STATES, type: BREAK_TYPES, severity: SEVERITIES_SHOWN, age: AGE_SPANS };

/** Whether every value that a query chooses exists. */
export function areKnown(query: Readonly<Record<string, string>>): boolean {
  return Object.entries(CHOICES).every(([name, values]) => {
    const chosen = query[name] ?? '';
    return chosen === '' || (values as readonly string[]).includes(chosen);
  });
}

/** Reads the filter from a query whose values are known. */
export function filterOf(query: Readonly<Record<string, string>>): QueueFilter {
  const given = Object.entries(filterValues(NAMES, query));
  const members = given.map(([name, value]) => [MEMBERS[name] ?? name, value]);
  return { state: 'unresolved', ...Object.fromEntries(members) } as QueueFilter;
}

/** The queue with a filter. `path`: of a download. */
export function queueLink(
  filter: Partial<QueueFilter>,
  { page, path = PATH }: { page?: number; path?: string } = {},
): string {
  const { state, type, severity, age, vaultId, blockchainHash, assignee } = filter;
  const { network, asset, amount } = filter;
  return linkTo(path, {
    state: state === 'unresolved' ? undefined : state,
    type,
    severity,
    age,
    vault: vaultId,
    hash: blockchainHash,
    network,
    asset,
    amount,
    assignee,
    page: page === 0 ? undefined : page,
  });
}

/** Whether the filter selects breaks that still need a person. */
export function isUnresolved({ state }: QueueFilter): boolean {
  return state !== 'resolved' && state !== 'all';
}

/** What an amount's text may mean, in smallest units of the asset or of any asset. */
function amountsOf(
  { amount, asset }: QueueFilter,
  decimals: Decimals,
): Pick<BreakQuery, 'amounts'> {
  if (amount === undefined) return {};
  return { amounts: amountsIn(amount, { decimals, asset }) };
}

/**
 * The store's query. Unresolved breaks come by urgency, others newest first. `now`: Unix
 * milliseconds.
 */
export function queryOf(
  filter: QueueFilter,
  { now, decimals }: { now: number; decimals: Decimals },
): BreakQuery {
  const { state, assignee, age, amount: _, ...same } = filter;
  const sort = isUnresolved(filter) ? ({ sort: 'severity:desc' } as const) : {};
  const states: { state?: BreakState | 'unresolved' } = state === 'all' ? {} : { state };
  const whose = assignee === undefined ? {} : { assignee: assignee === NOBODY ? null : assignee };
  const opened = age === undefined ? {} : openedWithin(age, now);
  return { ...same, ...states, ...sort, ...whose, ...opened, ...amountsOf(filter, decimals) };
}
