import { evaluateState, hasOldMatch, type Deposit } from './deposit.ts';
import { depositRule, type CreditingPolicy } from '../policy/policy.ts';

/**
 * Where a policy leads a deposit. `credited`: every gate is open. `verifying`: the custody API must
 * show it, perhaps again.
 */
export type SimulatedOutcome = Pick<Deposit, 'state' | 'reason'>;

/**
 * What another policy does with a deposit.
 *
 * | effect | the policy in force | the other policy |
 * |---|---|---|
 * | `held` | does not hold it | holds it |
 * | `freed` | holds it | does not hold it |
 * | `other` | holds it for another reason, or leads it to another state | |
 */
export const SIMULATED_EFFECTS = ['held', 'freed', 'other'] as const;
export type SimulatedEffect = (typeof SIMULATED_EFFECTS)[number];

/** A deposit that two policies lead to different outcomes. */
export interface SimulatedDeposit {
  readonly deposit: Deposit;
  readonly effect: SimulatedEffect;
  readonly before: SimulatedOutcome;
  readonly after: SimulatedOutcome;
}

/**
 * The outcome of a deposit as it is known now, as if nobody had credited it. A credited one matched
 * when it was credited.
 */
function outcomeOf(deposit: Deposit, policy: CreditingPolicy, at: number): SimulatedOutcome {
  const rule = depositRule(policy, deposit);
  const { state, reason, creditDue } = evaluateState({ ...deposit, credit: null }, rule);
  const isCredited = creditDue && (deposit.credit !== null || !hasOldMatch(deposit, at));
  return isCredited ? { state: 'credited', reason: null } : { state, reason };
}

function effectOf(before: SimulatedOutcome, after: SimulatedOutcome): SimulatedEffect {
  if (before.state === after.state) return 'other';
  if (after.state === 'held') return 'held';
  return before.state === 'held' ? 'freed' : 'other';
}

/** What a proposed policy would do with deposits. */
export interface Simulation {
  /** The deposits that it would lead to another outcome, in the given order. */
  readonly changed: readonly SimulatedDeposit[];
  /** How many deposits both policies hold, for whatever reason. */
  readonly heldByBoth: number;
}

/**
 * Compares a proposed policy with the policy in force, for the given deposits. Depths, approvals and
 * holds count as they are now: a deposit that is credited already is evaluated as if it were not.
 * `at`: Unix milliseconds.
 */
export function simulatePolicy(
  deposits: readonly Deposit[],
  policies: { readonly current: CreditingPolicy; readonly proposed: CreditingPolicy },
  at: number,
): Simulation {
  const changed: SimulatedDeposit[] = [];
  let heldByBoth = 0;
  for (const deposit of deposits) {
    const before = outcomeOf(deposit, policies.current, at);
    const after = outcomeOf(deposit, policies.proposed, at);
    if (before.state === 'held' && after.state === 'held') heldByBoth += 1;
    if (before.state !== after.state || before.reason !== after.reason) {
      changed.push({ deposit, effect: effectOf(before, after), before, after });
    }
  }
  return { changed, heldByBoth };
}
