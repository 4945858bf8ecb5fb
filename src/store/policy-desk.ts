import { NO_POLICY, ruleFor, samePolicy, type CreditingPolicy } from '../domain/crediting.ts';
import type { Decision } from '../domain/decision.ts';
import { standsBy, type Deposit } from '../domain/deposit.ts';
import { asPinned } from '../domain/deposit/decimals.ts';
import { changes, type Circumstances } from '../domain/dossier.ts';
import { haltsIn, isHalted, scopeText, withHalt } from '../domain/halt.ts';
import type { AssetId } from '../domain/ids.ts';
import { settle } from '../domain/settlement.ts';
import type { DeskTools } from './desk-tools.ts';
import type { DecisionOutcome } from './decision-outcome.ts';

export type PolicyDecision = Extract<
  Decision,
  { kind: 'policy' | 'halt' | 'resume' | 'judge' | 'decimals' }
>;
type Now = Circumstances & { readonly seq: number };
type Change = { readonly policy: CreditingPolicy } & (
  | { readonly source: 'config'; readonly configured: CreditingPolicy }
  | { readonly source: 'api'; readonly configured: null }
);

/**
 * Deposits judged anew in the commit that changes the policy. Where more wait, `judge` decisions
 * follow, a bounded number each: neither memory nor intake's wait grows with them. Nothing can be
 * credited by the old policy meanwhile: a credit is only born by the policy that holds at that moment.
 */
const JUDGED_AT_ONCE_MAX = 500;

const TAKEN: DecisionOutcome = { kind: 'taken' };
const UNCHANGED: DecisionOutcome = { kind: 'unchanged' };

/** Changes of the crediting policy, and what they do to the deposits that wait. */
export class PolicyDesk {
  readonly #tools: DeskTools;

  constructor(tools: DeskTools) {
    this.#tools = tools;
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
        const deposits = decision.depositIds.flatMap((id) => this.#tools.set.deposit(id) ?? []);
        return this.#judge(deposits, now, decision.corrected) ? TAKEN : UNCHANGED;
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
    const before = this.#tools.set.policy();
    const { policy, replaces, reason } = decision;
    if (before !== undefined && before.seq !== replaces) {
      const detail = `${before.actor} has changed the policy since (${before.reason})`;
      return { kind: 'not_taken', refusal: { kind: 'stale', detail } };
    }
    if (before !== undefined && samePolicy(before.policy, policy)) return UNCHANGED;
    return this.#set({ source: 'api', policy, configured: null }, { actor, reason, now });
  }

  /** Decided on the policy as it is at that moment: a switch never takes back another change. */
  #switch(
    { kind, scope, reason }: Extract<PolicyDecision, { kind: 'halt' | 'resume' }>,
    actor: string,
    now: Now,
  ): DecisionOutcome {
    const before = this.#tools.set.policy()?.policy ?? NO_POLICY;
    const halted = isHalted(before, scope);
    if (kind === 'halt' && halted) return UNCHANGED;
    if (kind === 'resume' && !halted) {
      const on = haltsIn(before).map(scopeText).join(', ');
      const detail = `${scopeText(scope)} is not halted by a switch of its own; halted: ${on === '' ? 'nothing' : on}`;
      return { kind: 'not_taken', refusal: { kind: 'conflict', detail } };
    }
    const policy = withHalt(before, scope, kind === 'halt');
    return this.#set({ source: 'api', policy, configured: null }, { actor, reason, now });
  }

  #set(change: Change, by: { actor: string; reason: string; now: Now }): DecisionOutcome {
    const { set, source, flush } = this.#tools;
    const { actor, reason, now } = by;
    const { policy, configured, source: from } = change;
    flush();
    set.setPolicy({ seq: now.seq, source: from, actor, reason, policy, configured, setAt: now.at });
    this.#judge(source.depositsToJudge(JUDGED_AT_ONCE_MAX), { ...now, policy });
    return TAKEN;
  }

  /** The asset's deposits that wait go on, where they came with these decimals. */
  #correctDecimals(
    { asset, decimals, reason }: Extract<PolicyDecision, { kind: 'decimals' }>,
    actor: string,
    now: Now,
  ): DecisionOutcome {
    const { set, source, flush } = this.#tools;
    const before = set.pinnedDecimals(asset);
    if (before === undefined) {
      const detail = `no notification told decimals of ${asset} yet`;
      return { kind: 'not_taken', refusal: { kind: 'not_found', detail } };
    }
    if (before === decimals) return UNCHANGED;
    flush();
    const { seq, at } = now;
    set.addDecimalsCorrection({
      seq,
      asset,
      before,
      after: decimals,
      actor,
      reason,
      correctedAt: at,
    });
    set.apply(changes({ pinned: [{ asset, decimals }] }), now);
    this.#judge(source.depositsToJudge(JUDGED_AT_ONCE_MAX), now, [asset]);
    return TAKEN;
  }

  /** Whether any of them stands otherwise now. */
  #judge(deposits: readonly Deposit[], now: Now, corrected: readonly AssetId[] = []): boolean {
    const { set } = this.#tools;
    const moving = deposits.flatMap((deposit) => {
      const { network, blockchainHash } = deposit;
      const pinned = corrected.includes(deposit.asset)
        ? asPinned(deposit, set.dossier(network, blockchainHash), now)
        : deposit;
      const stands = pinned === deposit && standsBy(deposit, ruleFor(now.policy, deposit));
      return stands ? [] : [pinned];
    });
    for (const before of moving) {
      const { deposit, items, found, healed } = settle(before, now);
      this.#tools.set.apply(changes({ deposits: [deposit], items, found, healed }), now);
    }
    return moving.length > 0;
  }
}
