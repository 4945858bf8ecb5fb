import type { CustodyClient } from '../../custody/client.ts';
import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import { ok, warning, type Diagnosis } from './diagnosis.ts';

/** Time limit of the request. */
const TIME_MS_MAX = 30_000;

/**
 * Warns before a first start if the custody service has deposits already and the policy has no start:
 * all of them would be credited. Says nothing if the service cannot be asked; other checks do. `now`:
 * Unix milliseconds.
 */
export async function checkHistory(
  client: Pick<CustodyClient, 'transactions'>,
  { crediting: { startsAt }, now }: { readonly crediting: CreditingPolicy; readonly now: number },
): Promise<Diagnosis[]> {
  if (startsAt !== undefined) {
    return [ok('history', `deposits from before ${startsAt} are booked and not credited`)];
  }
  const query = { page: 0, pageSize: 1, sort: 'createdAt:asc', type: 'incoming' } as const;
  const options = { priority: 'inactive', deadlineMs: now + TIME_MS_MAX } as const;
  const answer = await client.transactions(query, options);
  const [oldest] = answer.kind === 'ok' ? answer.value.rows : [];
  if (oldest === undefined) return [];
  return [
    warning(
      'history',
      `the custody service has deposits since ${String(oldest['createdAt'])}: the first start credits all of them. If another system has credited them, set crediting.startsAt to the time from which Counterfoil credits`,
    ),
  ];
}
