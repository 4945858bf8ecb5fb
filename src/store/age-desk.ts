import type { Break } from '../domain/break.ts';
import type { RunAges } from '../domain/custody.ts';
import type { Changes } from '../domain/dossier.ts';
import { escalated, ESCALATIONS_PER_RUN_MAX, escalationSteps } from '../domain/escalation.ts';
import { decideStale, STALE_NOT_SHOWN, STALE_SHOWN_MAX } from '../domain/staleness.ts';
import type { DeskTools } from './desk-tools.ts';
import type { RecordSource } from './records.ts';

/** What has grown old in a run: breaks that stand for it, and how many more there are. */
interface Aged {
  readonly broken: number;
  readonly skipped: Readonly<Record<string, number>>;
}

/**
 * Judges, with every run, what has waited too long and which breaks have grown more severe. It reads
 * the store as it was before the run: the caller has flushed, and the run itself moves no deposit.
 */
export class AgeDesk {
  readonly #tools: DeskTools;

  constructor(tools: DeskTools) {
    this.#tools = tools;
  }

  /** `apply` takes over what was decided, but for what the breaks say already. */
  judge(
    ages: RunAges | undefined,
    fact: { seq: number; at: number; apply: (decided: Changes) => void },
  ): Aged {
    if (ages === undefined) return { broken: 0, skipped: {} };
    const aged = this.#findStale(ages, fact);
    this.#escalate(ages, fact);
    return aged;
  }

  #findStale(ages: RunAges, fact: { at: number; apply: (decided: Changes) => void }): Aged {
    const { source } = this.#tools;
    const { depositMs, withdrawalMs } = ages.stale;
    const deposits =
      depositMs === null
        ? { oldest: [], total: 0 }
        : source.idleDeposits(fact.at - depositMs, STALE_SHOWN_MAX);
    const withdrawals = source.idleWithdrawals(fact.at - withdrawalMs, STALE_SHOWN_MAX);
    const decided = decideStale(
      {
        deposits: deposits.oldest,
        withdrawals: withdrawals.oldest,
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
    const shown = deposits.oldest.length + withdrawals.oldest.length;
    const more = deposits.total + withdrawals.total - shown;
    return { broken: decided.found.length, skipped: more === 0 ? {} : { [STALE_NOT_SHOWN]: more } };
  }

  #escalate(ages: RunAges, fact: { seq: number; at: number }): void {
    const { set, source } = this.#tools;
    let left = ESCALATIONS_PER_RUN_MAX;
    for (const step of escalationSteps(ages.escalation, fact.at)) {
      const due = source.breaksOpenedUntil({ ...step, limit: left });
      for (const { key } of due) {
        // This run may have healed it meanwhile, or found it with other figures.
        const known = set.unresolvedBreak(key);
        const risen = known && escalated(known, step, fact.at);
        if (risen) set.putBreak(risen, fact.seq);
      }
      left -= due.length;
    }
  }
}

function depositOf({ subject }: Break, source: RecordSource) {
  return subject.depositId === null ? undefined : source.deposit(subject.depositId);
}

function withdrawalOf({ subject }: Break, source: RecordSource) {
  return subject.transactionId === null ? undefined : source.withdrawal(subject.transactionId);
}
