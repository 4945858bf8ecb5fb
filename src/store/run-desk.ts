import { isAddressBreakOver } from '../domain/address-movement.ts';
import { LOCAL_BREAKS, type BreakType, type Finding } from '../domain/break.ts';
import { NO_REPAIRS, type CustodyRecord } from '../domain/custody.ts';
import { judgeMovements } from '../domain/decide-custody.ts';
import { changes, type Changes, type Circumstances } from '../domain/dossier.ts';
import { sumByRule } from '../domain/exemption.ts';
import { changedSince, type Movement } from '../domain/movement.ts';
import { standsFor } from '../domain/sighting.ts';
import { isTerminal } from '../domain/withdrawal.ts';
import { AgeDesk } from './age-desk.ts';
import type { DeskTools } from './desk-tools.ts';
import type { ExemptionDesk } from './exemption-desk.ts';
import type { WorkingSet } from './working-set.ts';

type Now = Circumstances & { readonly seq: number };

/**
 * Movements that one commit judges. Intake waits for the commit: at this many it takes some
 * milliseconds. A run takes as many steps as its time allows.
 */
export const MOVEMENTS_PER_STEP = 50;

/** How much one commit takes: movements to judge; open breaks, and exempt differences, to look at again. */
interface StepBounds {
  readonly movements: number;
  readonly looks: number;
}

/** Each look reads a dossier. */
const BOUNDED: StepBounds = { movements: MOVEMENTS_PER_STEP, looks: 50 };

/** Runs of earlier versions took everything in one commit: a replay must come to the same breaks. */
const UNBOUNDED: StepBounds = { movements: 1_000_000_000, looks: 1_000_000_000 };

/** Types whose breaks end when the journal itself has caught up. */
const HEALED_BY_JOURNAL = ['missing_notification', 'status_mismatch', 'amount_mismatch'] as const;

/** What looking again made of breaks and exempt differences. */
interface LookedAgain {
  /** Exempt differences that are breaks again. */
  readonly reopened: number;
  /** Breaks that are exempt now, by rule. */
  readonly exempt: Readonly<Record<string, number>>;
  /** Movements whose rule has ended. */
  readonly judgeAgain: readonly Movement[];
  readonly changed: boolean;
}

type Step = Omit<LookedAgain, 'judgeAgain'> & {
  /** Whether movements are left for the next step. */
  readonly isMore: boolean;
};

/** What a run does in the writer's transaction, a bounded part at a time. */
export class RunDesk {
  readonly #tools: DeskTools;
  readonly #exemptions: ExemptionDesk;
  readonly #ages: AgeDesk;
  readonly #apply: (decided: Changes, now: Now) => boolean;

  constructor(
    tools: DeskTools,
    exemptions: ExemptionDesk,
    apply: (decided: Changes, now: Now) => boolean,
  ) {
    this.#tools = tools;
    this.#exemptions = exemptions;
    this.#ages = new AgeDesk(tools);
    this.#apply = apply;
  }

  /** Looks at the next breaks of the round, and judges the movements that have waited longest. */
  step(graceMs: number, now: Now, bounds = BOUNDED): Step {
    const { set, source, flush } = this.#tools;
    flush();
    const looked = this.#lookAgain(now, bounds.looks);
    const agreeing = source.movementsToHeal(bounds.movements);
    const limit = bounds.movements - agreeing.length;
    // One more, to know whether any is left.
    const differing = source.movementsToJudge({ until: now.at - graceMs, limit: limit + 1 });
    // Breaks are numbered in this order, whatever the store's own is.
    const due = [...looked.judgeAgain, ...agreeing, ...differing.slice(0, limit)].sort(byChange);
    const decided = judgeMovements(due, { at: now.at, graceMs });
    const applied = this.#apply(decided, now);
    for (const movement of decided.movements) set.putMovement(movement);
    return {
      reopened: looked.reopened,
      exempt: looked.exempt,
      changed: looked.changed || applied || due.length > 0,
      isMore: differing.length > limit,
    };
  }

  /** The last step of a run, what has grown old, and the run's own row. */
  end(record: Extract<CustodyRecord, { kind: 'run' }>, now: Now): void {
    const { set } = this.#tools;
    const { seq, at } = now;
    const bounds = record.isBounded === true ? BOUNDED : UNBOUNDED;
    const { reopened, exempt, isMore } = this.step(record.graceMs, now, bounds);
    const apply = (aged: Changes): void => void this.#apply(aged, now);
    const aged = this.#ages.judge(record.ages, { seq, at, apply });
    const unjudged = set.movementCount('unjudged');
    const unsettled = set.movementCount('books_only');
    const agreeing = set.movementCount('agrees') + set.movementCount('custody_agrees');
    const { custody } = record;
    const skipped: Record<string, number> = { ...custody.skipped, ...aged.skipped };
    const cause = isMore ? 'next_run' : 'in_grace';
    if (unjudged > 0) skipped[cause] = (skipped[cause] ?? 0) + unjudged;
    if (unsettled > 0) skipped['no_chain_evidence'] = unsettled;
    set.addReconciliation({
      seq,
      startedAt: record.startedAt,
      finishedAt: at,
      matched: custody.matched + agreeing,
      broken: custody.broken + set.unresolvedCount(LOCAL_BREAKS) + reopened + aged.broken,
      exempt: sumByRule(custody.exempt, set.exemptions.counts(LOCAL_BREAKS), exempt),
      skipped,
      requests: record.requests,
      watermark: record.watermark,
      incomplete: record.incomplete,
      addresses: record.addresses ?? null,
      repairs: record.repairs ?? NO_REPAIRS,
    });
  }

  /**
   * Open breaks and exempt differences in turn, from where the last step stopped: some have gone
   * away, and rules have come or ended.
   */
  #lookAgain(now: Now, looksMax: number): LookedAgain {
    const { set, source } = this.#tools;
    const round = source.lookRound();
    const differences = source.exemptDifferencesAfter(round.difference, looksMax);
    const reopened = this.#exemptions.reconsider(differences, (found) => isGone(set, found), now);
    const hasRules = this.#exemptions.isInForce(now.at);
    const types = hasRules ? this.#exemptions.types : HEALED_BY_JOURNAL;
    const breaks = source.unresolvedBreaksAfter(round.breakId, { types, limit: looksMax });
    const gone = breaks.filter((found) => isGone(set, found));
    const healed = gone.map(({ key }) => ({ key, reason: 'the notification arrived' }));
    const applied = this.#apply(changes({ healed }), now);
    const exempt = this.#exemptions.exemptOpen(breaks, now);
    const next = {
      difference: differences.length < looksMax ? null : differences.at(-1)?.finding.key,
      breakId: breaks.length < looksMax ? null : breaks.at(-1)?.breakId,
    };
    const lookRound = { difference: next.difference ?? null, breakId: next.breakId ?? null };
    const moves = lookRound.difference !== round.difference || lookRound.breakId !== round.breakId;
    if (moves) set.putLookRound(lookRound);
    return {
      reopened: reopened.broken,
      judgeAgain: reopened.judgeAgain.flatMap((found) => movementOf(set, found) ?? []),
      exempt,
      changed: applied || moves || reopened.changed || Object.keys(exempt).length > 0,
    };
  }
}

/** The longest unchanged first; of those of one moment, by what they are about. */
function byChange(left: Movement, right: Movement): number {
  return (
    left.changedAt - right.changedAt ||
    compareText(left.blockchainHash, right.blockchainHash) ||
    compareText(left.vaultId, right.vaultId) ||
    compareText(left.asset, right.asset)
  );
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Whether a difference between two tellings has gone away by itself. */
function isGone(set: WorkingSet, found: Finding): boolean {
  if (found.type === 'missing_notification') return hasArrived(set, found);
  return isOver(set, found);
}

/**
 * Whether what a break misses has been told by now: the transaction's end, or the deposit's
 * confirmation. The API's row may be long past by then, so this is asked of our own records.
 */
function hasArrived(set: WorkingSet, { subject }: Finding): boolean {
  const { transactionId, network, blockchainHash } = subject;
  if (transactionId === null) return false;
  const withdrawal = set.withdrawal(transactionId);
  if (withdrawal !== undefined) return isTerminal(withdrawal);
  if (network === null || blockchainHash === null) return false;
  const { deposits, sightings } = set.dossier(network, blockchainHash);
  return (
    deposits.some((one) => one.transactionId === transactionId && one.evidence === 'confirmed') ||
    sightings.some((one) => one.stream === 'incoming' && standsFor(one, transactionId))
  );
}

/** Whether the chain view has come round to what an address's list said. */
function isOver(set: WorkingSet, found: Finding): boolean {
  const { network, blockchainHash } = found.subject;
  if (network === null || blockchainHash === null) return false;
  return isAddressBreakOver(found, set.dossier(network, blockchainHash));
}

/** The movement that a difference is about, to be judged again though neither side has changed. */
function movementOf(set: WorkingSet, { subject }: Finding): Movement | undefined {
  const { vaultId, network, blockchainHash, asset } = subject;
  if (vaultId === null || network === null || blockchainHash === null || asset === null) {
    return undefined;
  }
  const movement = set.movement({ vaultId, network, blockchainHash, asset });
  return movement && changedSince(movement);
}

/** Lets the next run judge again what a resolved break was about: what still differs is a new one. */
export function judgeResolved(set: WorkingSet, found: Finding): void {
  if (!(LOCAL_BREAKS as readonly BreakType[]).includes(found.type)) return;
  const movement = movementOf(set, found);
  if (movement !== undefined) set.putMovement(movement);
}
