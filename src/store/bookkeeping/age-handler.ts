import type { Break } from '../../domain/break/break.ts';
import type { RunAges } from '../../domain/fact/custody-record.ts';
import type { ChangeSet } from '../../domain/hash/hash-state.ts';
import {
  escalated,
  ESCALATIONS_PER_RUN_MAX,
  escalationSteps,
} from '../../domain/break/escalation.ts';
import { handleStale, STALE_NOT_SHOWN, STALE_SHOWN_MAX } from '../../domain/break/staleness.ts';
import type { HandlerContext } from './handler-context.ts';
import type { RecordSource } from '../port.ts';

/** Breaks for stale records in a run, and how many stale records have none. */
interface Aged {
  readonly broken: number;
  readonly skipped: Readonly<Record<string, number>>;
}

const NONE = { items: [], total: 0 } as const;

/**
 * Finds stale deposits and withdrawals in each run, and escalates old breaks. It reads the store as
 * it was before the run: the caller has flushed, and the run itself changes no deposit. `apply`
 * applies a change set without the breaks that are open already.
 */
export function handleAges(
  context: HandlerContext,
  ages: RunAges | undefined,
  fact: { seq: number; at: number; apply: (decided: ChangeSet) => void },
): Aged {
  if (ages === undefined) return { broken: 0, skipped: {} };
  const aged = findStale(context, ages, fact);
  escalate(context, ages, fact);
  return aged;
}

function findStale(
  { source }: HandlerContext,
  ages: RunAges,
  fact: { at: number; apply: (decided: ChangeSet) => void },
): Aged {
  const { depositMs, withdrawalMs, reversals = false } = ages.stale;
  const deposits =
    depositMs === null ? NONE : source.ages.idleDeposits(fact.at - depositMs, STALE_SHOWN_MAX);
  const unreversed =
    depositMs === null || !reversals
      ? NONE
      : source.ages.unreversedDeposits(fact.at - depositMs, STALE_SHOWN_MAX);
  const withdrawals = source.ages.idleWithdrawals(fact.at - withdrawalMs, STALE_SHOWN_MAX);
  const decided = handleStale(
    {
      deposits: [...unreversed.items, ...deposits.items],
      withdrawals: withdrawals.items,
      openDeposits: source
        .unresolvedBreaks(['stale_deposit'])
        .map((found) => ({ found, deposit: depositOf(found, source) })),
      openWithdrawals: source
        .unresolvedBreaks(['stale_withdrawal'])
        .map((found) => ({ found, withdrawal: withdrawalOf(found, source) })),
    },
    ages.stale,
    fact.at,
  );
  fact.apply(decided);
  const more = [unreversed, deposits, withdrawals].reduce(
    (sum, { total, items }) => sum + total - items.length,
    0,
  );
  return { broken: decided.found.length, skipped: more === 0 ? {} : { [STALE_NOT_SHOWN]: more } };
}

function escalate(
  { unit, source }: HandlerContext,
  ages: RunAges,
  fact: { seq: number; at: number },
): void {
  let left = ESCALATIONS_PER_RUN_MAX;
  for (const step of escalationSteps(ages.escalation, fact.at)) {
    const due = source.ages.breaksOpenedUntil({ ...step, limit: left });
    for (const { key } of due) {
      // This run may have resolved the break, or found it with other figures.
      const known = unit.unresolvedBreak(key);
      const risen = known && escalated(known, step, fact.at);
      if (risen) unit.putBreak(risen, fact.seq);
    }
    left -= due.length;
  }
}

function depositOf({ subject }: Break, source: RecordSource) {
  return subject.depositId === null ? undefined : source.deposit(subject.depositId);
}

function withdrawalOf({ subject }: Break, source: RecordSource) {
  return subject.transactionId === null ? undefined : source.withdrawal(subject.transactionId);
}
