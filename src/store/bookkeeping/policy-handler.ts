import {
  NO_POLICY,
  policyVersion,
  depositRule,
  samePolicy,
  type CreditingPolicy,
} from '../../domain/policy/policy.ts';
import { changedSince } from '../../domain/fact/basis.ts';
import type { Decision } from '../../domain/fact/decision.ts';
import { decimalsParts } from '../../domain/fact/pinned-decimals.ts';
import { isUpToDate, type Deposit } from '../../domain/deposit/deposit.ts';
import { asPinned } from '../../domain/deposit/decimals.ts';
import { changeSet } from '../../domain/hash/hash-state.ts';
import { haltsIn, isHalted, scopeText, withHalt } from '../../domain/policy/halt.ts';
import type { AssetId } from '../../domain/ids.ts';
import { evaluate } from '../../domain/deposit/evaluation.ts';
import type { PolicyRow } from '../records.ts';
import {
  refused,
  TAKEN,
  type DecisionOutcome,
  type HandlerContext,
  type Now,
} from './handler-context.ts';

export type PolicyDecision = Extract<
  Decision,
  { kind: 'policy' | 'halt' | 'resume' | 'judge' | 'decimals' }
>;
type Change = { readonly policy: CreditingPolicy } & (
  | { readonly source: 'config'; readonly configured: CreditingPolicy }
  | { readonly source: 'api'; readonly configured: null }
);

/**
 * How many deposits are evaluated again in the commit that changes the policy. `judge` decisions
 * evaluate the others, a bounded number each, so that memory and intake's wait stay bounded. The old
 * policy credits nothing meanwhile: each credit is checked against the current policy.
 */
const REEVALUATED_AT_ONCE_MAX = 500;

const UNCHANGED: DecisionOutcome = { kind: 'unchanged' };

/** Whether a decision's basis is this policy. A decision without a basis asks for no check. */
function isBasedOn(held: PolicyRow, basis: string | undefined): boolean {
  return basis === undefined || basis === policyVersion(held);
}

/** Applies changes of the crediting policy, and evaluates the uncredited deposits again. */
export class PolicyHandler {
  readonly #context: HandlerContext;

  constructor(context: HandlerContext) {
    this.#context = context;
  }

  take(decision: PolicyDecision, actor: string, now: Now): DecisionOutcome {
    switch (decision.kind) {
      case 'policy':
        return decision.source === 'config'
          ? this.#set(decision, { actor, reason: decision.reason, now })
          : this.#replace(decision, actor, now);
      case 'halt':
      case 'resume':
        return this.#switch(decision, actor, now);
      case 'judge': {
        const deposits = decision.depositIds.flatMap((id) => this.#context.unit.deposit(id) ?? []);
        return this.#reevaluate(deposits, now, decision.corrected) ? TAKEN : UNCHANGED;
      }
      case 'decimals':
        return this.#correctDecimals(decision, actor, now);
      default:
        return decision satisfies never;
    }
  }

  #replace(
    decision: Extract<PolicyDecision, { kind: 'policy'; source: 'api' }>,
    actor: string,
    now: Now,
  ): DecisionOutcome {
    const before = this.#context.unit.policy();
    const { policy, replaces, reason } = decision;
    if (before !== undefined && before.seq !== replaces) {
      const detail = `the policy has changed since: ${before.actor} set it (${before.reason}). Read it again, then decide`;
      return refused('stale', detail);
    }
    if (before !== undefined && samePolicy(before.policy, policy)) return UNCHANGED;
    return this.#set({ source: 'api', policy, configured: null }, { actor, reason, now });
  }

  /** Changes the current policy only in the halt, so that it never undoes another change. */
  #switch(
    { kind, scope, reason, basis }: Extract<PolicyDecision, { kind: 'halt' | 'resume' }>,
    actor: string,
    now: Now,
  ): DecisionOutcome {
    const held = this.#context.unit.policy();
    // A halt stops money: it never waits for another look after any change.
    if (kind === 'resume' && held !== undefined && !isBasedOn(held, basis)) {
      const detail = `the policy has changed since you read it: ${held.actor} set it (${held.reason}), and it is ${policyVersion(held)} now. Nothing was resumed: read the policy again, then decide`;
      return refused('conflict', detail);
    }
    const before = held?.policy ?? NO_POLICY;
    const halted = isHalted(before, scope);
    if (kind === 'halt' && halted) return UNCHANGED;
    if (kind === 'resume' && !halted) {
      const on = haltsIn(before).map(scopeText).join(', ');
      const detail = `${scopeText(scope)} is not halted by a switch of its own; halted: ${on === '' ? 'nothing' : on}`;
      return refused('conflict', detail);
    }
    const policy = withHalt(before, scope, kind === 'halt');
    return this.#set({ source: 'api', policy, configured: null }, { actor, reason, now });
  }

  #set(change: Change, by: { actor: string; reason: string; now: Now }): DecisionOutcome {
    const { unit, source, flush } = this.#context;
    const { actor, reason, now } = by;
    const { policy, configured, source: from } = change;
    flush();
    unit.setPolicy({
      seq: now.seq,
      source: from,
      actor,
      reason,
      policy,
      configured,
      setAt: now.at,
    });
    this.#reevaluate(source.depositsToReevaluate(REEVALUATED_AT_ONCE_MAX), { ...now, policy });
    return TAKEN;
  }

  /** Corrects an asset's decimals, and evaluates its uncredited deposits that came with these decimals. */
  #correctDecimals(
    { asset, decimals, reason, basis }: Extract<PolicyDecision, { kind: 'decimals' }>,
    actor: string,
    now: Now,
  ): DecisionOutcome {
    const { unit, source, flush } = this.#context;
    const before = unit.pinnedDecimals(asset);
    if (before === undefined) {
      const detail = `no notification has reported decimals of ${asset} yet`;
      return refused('not_found', detail);
    }
    const stale = changedSince(decimalsParts(before), basis);
    if (stale !== null) return refused('conflict', stale);
    if (before === decimals) return UNCHANGED;
    flush();
    const { seq, at } = now;
    unit.append('decimalsCorrections', {
      seq,
      asset,
      before,
      after: decimals,
      actor,
      reason,
      correctedAt: at,
    });
    unit.apply(changeSet({ pinned: [{ asset, decimals }] }), now);
    this.#reevaluate(source.depositsToReevaluate(REEVALUATED_AT_ONCE_MAX), now, [asset]);
    return TAKEN;
  }

  /** Evaluates deposits again; whether any of them changed. */
  #reevaluate(deposits: readonly Deposit[], now: Now, corrected: readonly AssetId[] = []): boolean {
    const { unit } = this.#context;
    const moving = deposits.flatMap((deposit) => {
      const { network, blockchainHash } = deposit;
      const pinned = corrected.includes(deposit.asset)
        ? asPinned(deposit, unit.hashState(network, blockchainHash), now)
        : deposit;
      const isCurrent =
        pinned === deposit && isUpToDate(deposit, depositRule(now.policy, deposit), now.at);
      return isCurrent ? [] : [pinned];
    });
    for (const before of moving) {
      const { deposit, items, found, healed } = evaluate(before, now);
      this.#context.unit.apply(changeSet({ deposits: [deposit], items, found, healed }), now);
    }
    return moving.length > 0;
  }
}
