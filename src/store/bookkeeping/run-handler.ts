import { byCodeUnit } from '../../domain/code-unit-order.ts';
import { isAddressBreakOver } from '../../domain/chain/address-comparison.ts';
import { LOCAL_BREAKS, type BreakType, type Finding } from '../../domain/break/break.ts';
import { NO_REPAIRS, type CustodyRecord } from '../../domain/fact/custody-record.ts';
import { compareMovements } from '../../domain/deposit/record/verification.ts';
import { changeSet, type ChangeSet } from '../../domain/hash/hash-state.ts';
import { EXEMPTIBLE_TYPES, sumByRule } from '../../domain/break/exemption.ts';
import { changedSince, type Movement } from '../../domain/money/movement.ts';
import { isPostedFor } from '../../domain/hash/sighting.ts';
import { hasArrived } from '../../domain/withdrawal/comparison.ts';
import { handleAges } from './age-handler.ts';
import type { HandlerContext, Now } from './handler-context.ts';
import type { ExemptionHandler } from './exemption-handler.ts';
import type { UnitOfWork } from '../unit/unit-of-work.ts';

/**
 * How many movements one commit compares. Intake waits for the commit, some milliseconds at this
 * number. A run takes as many steps as its time allows.
 */
export const MOVEMENTS_PER_STEP = 50;

/** Bounds of one commit: movements to compare; open breaks and exempt differences to review. */
interface StepBounds {
  readonly movements: number;
  readonly reviewed: number;
}

/** Each review reads a hash state. */
const BOUNDED: StepBounds = { movements: MOVEMENTS_PER_STEP, reviewed: 50 };

/** Runs of earlier versions took everything in one commit, and a replay must open the same breaks. */
const UNBOUNDED: StepBounds = { movements: 1_000_000_000, reviewed: 1_000_000_000 };

/** Types whose breaks are resolved when the missing notification arrives. */
const HEALED_BY_JOURNAL = ['missing_notification', 'status_mismatch', 'amount_mismatch'] as const;

/** The result of reviewing open breaks and exempt differences. */
interface Reviewed {
  /** Exempt differences that are breaks again. */
  readonly reopened: number;
  /** Breaks that are exempt now, by rule. */
  readonly exempt: Readonly<Record<string, number>>;
  /** Movements whose exemption rule has ended. */
  readonly compareAgain: readonly Movement[];
  readonly changed: boolean;
}

type Step = Omit<Reviewed, 'compareAgain'> & {
  /** Whether the next step has movements to compare. */
  readonly isMore: boolean;
};

/** The part of a reconciliation run that the writer's transaction does, in bounded steps. */
export class RunHandler {
  readonly #context: HandlerContext;
  readonly #exemptions: ExemptionHandler;
  readonly #apply: (decided: ChangeSet, now: Now) => boolean;

  constructor(
    context: HandlerContext,
    exemptions: ExemptionHandler,
    apply: (decided: ChangeSet, now: Now) => boolean,
  ) {
    this.#context = context;
    this.#exemptions = exemptions;
    this.#apply = apply;
  }

  /** Reviews the next breaks of the round, and compares the movements that have waited longest. */
  step(graceMs: number, now: Now, bounds = BOUNDED): Step {
    const { unit, source, flush } = this.#context;
    flush();
    const reviewed = this.#review(now, bounds.reviewed);
    const agreeing = source.run.movementsToHeal(bounds.movements);
    const limit = bounds.movements - agreeing.length;
    // One more than the limit, to know whether any is left.
    const differing = source.run.movementsToCompare({ until: now.at - graceMs, limit: limit + 1 });
    // Breaks are numbered in this order, which does not depend on the store.
    const due = [...reviewed.compareAgain, ...agreeing, ...differing.slice(0, limit)].sort(
      byChange,
    );
    const decided = compareMovements(due, { at: now.at, graceMs });
    const applied = this.#apply(decided, now);
    for (const movement of decided.movements) unit.putMovement(movement);
    return {
      reopened: reviewed.reopened,
      exempt: reviewed.exempt,
      changed: reviewed.changed || applied || due.length > 0,
      isMore: differing.length > limit,
    };
  }

  /** The last step of a run: stale records, escalations and the run's own row. */
  end(record: Extract<CustodyRecord, { kind: 'run' }>, now: Now): void {
    const { unit } = this.#context;
    const { seq, at } = now;
    const bounds = record.isBounded === true ? BOUNDED : UNBOUNDED;
    const { reopened, exempt, isMore } = this.step(record.graceMs, now, bounds);
    const apply = (stale: ChangeSet): void => void this.#apply(stale, now);
    const aged = handleAges(this.#context, record.ages, { seq, at, apply });
    const uncompared = unit.movementCount('uncompared');
    const booksOnly = unit.movementCount('books_only');
    const agreeing = unit.movementCount('agrees') + unit.movementCount('custody_agrees');
    const { custody } = record;
    const skipped: Record<string, number> = { ...custody.skipped, ...aged.skipped };
    const cause = isMore ? 'next_run' : 'in_grace';
    if (uncompared > 0) skipped[cause] = (skipped[cause] ?? 0) + uncompared;
    if (booksOnly > 0) skipped['no_chain_evidence'] = booksOnly;
    unit.append('reconciliations', {
      seq,
      startedAt: record.startedAt,
      finishedAt: at,
      matched: custody.matched + agreeing,
      broken: custody.broken + unit.unresolvedCount(LOCAL_BREAKS) + reopened + aged.broken,
      exempt: sumByRule(custody.exempt, unit.exemptions.counts(LOCAL_BREAKS), exempt),
      skipped,
      requests: record.requests,
      watermark: record.watermark,
      incomplete: record.incomplete,
      addresses: record.addresses ?? null,
      repairs: record.repairs ?? NO_REPAIRS,
    });
  }

  /**
   * Reviews open breaks and exempt differences in turn, from where the last step stopped: some
   * differences have ended, and exemption rules have begun or ended.
   */
  #review(now: Now, reviewedMax: number): Reviewed {
    const { unit, source } = this.#context;
    const last = source.run.reviewCursor();
    const differences = source.exemptions.differencesAfter(last.difference, reviewedMax);
    const reopened = this.#exemptions.reconsider(differences, (found) => isGone(unit, found), now);
    const hasRules = this.#exemptions.isInForce(now.at);
    const types = hasRules ? EXEMPTIBLE_TYPES : HEALED_BY_JOURNAL;
    const breaks = source.run.unresolvedBreaksAfter(last.breakId, { types, limit: reviewedMax });
    const gone = breaks.filter((found) => isGone(unit, found));
    const healed = gone.map(({ key }) => ({ key, reason: 'the notification arrived' }));
    const applied = this.#apply(changeSet({ healed }), now);
    const exempt = this.#exemptions.exemptOpen(breaks, now);
    const next = {
      difference:
        differences.length < reviewedMax ? null : (differences.at(-1)?.finding.key ?? null),
      breakId: breaks.length < reviewedMax ? null : (breaks.at(-1)?.breakId ?? null),
    };
    const moves = next.difference !== last.difference || next.breakId !== last.breakId;
    if (moves) unit.putReviewCursor(next);
    return {
      reopened: reopened.broken,
      compareAgain: reopened.compareAgain.flatMap((found) => movementAgain(unit, found) ?? []),
      exempt,
      changed: applied || moves || reopened.changed || Object.keys(exempt).length > 0,
    };
  }
}

/** Sorts by time of change, the oldest first, then by hash, vault and asset. */
function byChange(left: Movement, right: Movement): number {
  return (
    left.changedAt - right.changedAt ||
    byCodeUnit(left.blockchainHash, right.blockchainHash) ||
    byCodeUnit(left.vaultId, right.vaultId) ||
    byCodeUnit(left.asset, right.asset)
  );
}

/** Whether a difference between two sources has ended by itself. */
function isGone(unit: UnitOfWork, found: Finding): boolean {
  if (found.type === 'missing_notification') return isNoLongerMissing(unit, found);
  return isOver(unit, found);
}

/**
 * Whether the missing notification of a break has arrived: the transaction's final status, or the
 * deposit's confirmation. Our own records answer, because the API no longer lists old rows.
 */
function isNoLongerMissing(unit: UnitOfWork, { key, subject }: Finding): boolean {
  const { transactionId, network, blockchainHash } = subject;
  if (transactionId === null) return false;
  const withdrawal = unit.withdrawal(transactionId);
  if (withdrawal !== undefined) return hasArrived(key, withdrawal);
  if (network === null || blockchainHash === null) return false;
  const { deposits, sightings } = unit.hashState(network, blockchainHash);
  return (
    deposits.some((one) => one.transactionId === transactionId && one.evidence === 'confirmed') ||
    sightings.some((one) => one.stream === 'incoming' && isPostedFor(one, transactionId))
  );
}

/** Whether the chain view agrees with the address's list now. */
function isOver(unit: UnitOfWork, found: Finding): boolean {
  const { network, blockchainHash } = found.subject;
  if (network === null || blockchainHash === null) return false;
  return isAddressBreakOver(found, unit.hashState(network, blockchainHash));
}

/** The movement that a difference is about. */
export function movementOf(unit: UnitOfWork, { subject }: Finding): Movement | undefined {
  const { vaultId, network, blockchainHash, asset } = subject;
  if (vaultId === null || network === null || blockchainHash === null || asset === null) {
    return undefined;
  }
  return unit.movement({ vaultId, network, blockchainHash, asset });
}

/** The same, marked to be compared again although neither side has changed. */
function movementAgain(unit: UnitOfWork, found: Finding): Movement | undefined {
  const movement = movementOf(unit, found);
  return movement && changedSince(movement);
}

/** Lets the next run compare the movement of a resolved break again: a difference opens a new break. */
export function compareResolved(unit: UnitOfWork, found: Finding): void {
  if (!(LOCAL_BREAKS as readonly BreakType[]).includes(found.type)) return;
  const movement = movementAgain(unit, found);
  if (movement !== undefined) unit.putMovement(movement);
}
