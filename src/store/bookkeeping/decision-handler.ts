import { changeToken, type TokenDecision } from '../../domain/access/token.ts';
import { breakKey, partsOf, type Break } from '../../domain/break/break.ts';
import {
  changeExemptions,
  withConfigured,
  type ExemptionDecision,
  type HeldExemption,
} from '../../domain/break/held-exemptions.ts';
import { handleBreakDecision, type BreakDecision } from '../../domain/break/person-steps.ts';
import { handleSignature } from '../../domain/close/signature.ts';
import {
  handleDepositDecision,
  handleAcknowledgement,
  type DepositDecision,
} from '../../domain/deposit/person-decisions.ts';
import { takenBack } from '../../domain/deposit/taken-back.ts';
import { changeSet } from '../../domain/hash/hash-state.ts';
import { changedSince } from '../../domain/fact/basis.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import { suspenseEntries } from '../../domain/money/suspense.ts';
import {
  refused,
  TAKEN,
  type DecisionOutcome,
  type HandlerContext,
  type Now,
} from './handler-context.ts';
import { PolicyHandler } from './policy-handler.ts';
import { compareResolved, movementOf } from './run-handler.ts';

type DecisionFact = Extract<Fact, { kind: 'decision' }>;

export type RetryDecision = Extract<DecisionFact['decision'], { kind: 'retry' }>;

type Retry = (decision: RetryDecision, now: Now) => DecisionOutcome;

/** Applies decisions of people, consumers and the configuration. */
export class DecisionHandler {
  readonly #context: HandlerContext;
  readonly #retry: Retry;
  readonly #policy: PolicyHandler;

  constructor(context: HandlerContext, retry: Retry) {
    this.#context = context;
    this.#retry = retry;
    this.#policy = new PolicyHandler(context);
  }

  take(fact: DecisionFact, now: Now): DecisionOutcome {
    const { decision, actor } = fact;
    switch (decision.kind) {
      case 'policy':
      case 'halt':
      case 'resume':
      case 'judge':
      case 'decimals':
        return this.#policy.take(decision, actor, now);
      case 'restored':
        return this.#restored(decision, now);
      case 'exemptions':
        return this.#setExemptions(
          withConfigured(this.#context.unit.exemptions.rules(), decision.rules),
          { actor, now },
        );
      case 'exempt':
      case 'end-exemption':
        return this.#aboutExemption(decision, actor, now);
      case 'approve':
      case 'hold':
      case 'release':
      case 'attribute':
        return this.#aboutDeposit(decision, actor, now);
      case 'acknowledge':
        return this.#acknowledge(decision, now);
      case 'investigate':
      case 'resolve':
      case 'assign':
      case 'note':
        return this.#aboutBreak(decision, actor, now);
      case 'create-token':
      case 'rotate-token':
      case 'revoke-token':
        return this.#aboutToken(decision, actor, now);
      case 'sign':
        return this.#sign(decision, actor, now);
      case 'run-now':
      case 'close-now':
      case 'end-session':
        return TAKEN;
      case 'retry':
        return this.#retry(decision, now);
      default:
        return decision satisfies never;
    }
  }

  #restored({ history = 0 }: { readonly history?: number }, now: Now): DecisionOutcome {
    const { unit, source, flush } = this.#context;
    flush();
    unit.append('restores', {
      seq: now.seq,
      feedLength: source.feedLength(),
      history: Math.max(history, source.feedHistory() + 1),
      restoredAt: now.at,
    });
    return TAKEN;
  }

  #setExemptions(
    rules: readonly HeldExemption[],
    { actor, now: { seq, at } }: { readonly actor: string; readonly now: Now },
  ): DecisionOutcome {
    this.#context.unit.exemptions.setRules({ seq, actor, rules, setAt: at });
    return TAKEN;
  }

  #aboutExemption(decision: ExemptionDecision, actor: string, now: Now): DecisionOutcome {
    const stale = decision.kind === 'exempt' ? this.#staleBreak(decision) : undefined;
    if (stale !== undefined) return stale;
    const held = this.#context.unit.exemptions.rules();
    const changed = changeExemptions(held, decision, { actor, at: now.at });
    if (changed.kind === 'refused') return { kind: 'not_taken', refusal: changed.refusal };
    return this.#setExemptions(changed.rules, { actor, now });
  }

  /** Why the break that a rule was filled from is no longer as its author read it. */
  #staleBreak({
    filledFrom,
    basis,
  }: Extract<ExemptionDecision, { kind: 'exempt' }>): DecisionOutcome | undefined {
    if (filledFrom === undefined) return undefined;
    const { source, flush } = this.#context;
    flush();
    const known = source.break(filledFrom);
    if (known === undefined)
      return refused(
        'not_found',
        `There is no break ${filledFrom}: list them with GET /v1/breaks.`,
      );
    const detail = changedSince(partsOf(known), basis);
    if (detail === null) return undefined;
    return refused('conflict', detail);
  }

  #aboutToken(decision: TokenDecision, actor: string, now: Now): DecisionOutcome {
    const { unit, source, flush } = this.#context;
    flush();
    const changed = changeToken(decision, source.tokenChange(decision.name));
    if (changed.kind === 'refused') return { kind: 'not_taken', refusal: changed.refusal };
    const { reason } = decision;
    unit.append('tokenChanges', {
      ...changed.token,
      seq: now.seq,
      actor,
      reason,
      changedAt: now.at,
    });
    return TAKEN;
  }

  #aboutDeposit(decision: DepositDecision, actor: string, now: Now): DecisionOutcome {
    const deposit = this.#context.unit.deposit(decision.depositId);
    if (deposit === undefined)
      return refused(
        'not_found',
        `There is no deposit ${decision.depositId}: list them with GET /v1/deposits.`,
      );
    const taken = handleDepositDecision(deposit, decision, { actor, now });
    if (taken.kind === 'refused') return { kind: 'not_taken', refusal: taken.refusal };
    this.#context.unit.apply(taken.changes, now);
    return TAKEN;
  }

  #acknowledge(
    decision: Extract<DecisionFact['decision'], { kind: 'acknowledge' }>,
    now: Now,
  ): DecisionOutcome {
    const { unit, source, flush } = this.#context;
    flush();
    const depositId = source.depositOfCredit(decision.creditId);
    const deposit = depositId === undefined ? undefined : unit.deposit(depositId);
    if (deposit === undefined)
      return refused('not_found', `There is no credit ${decision.creditId}: read GET /v1/credits.`);
    const { creditId, reference } = decision;
    const acknowledgedAs = source.acknowledgedAs(creditId) ?? null;
    const taken = handleAcknowledgement(deposit, decision, { acknowledgedAs, now });
    if (taken.kind === 'known') return { kind: 'unchanged' };
    if (taken.kind === 'refused') return { kind: 'not_taken', refusal: taken.refusal };
    unit.apply(taken.changes, now);
    unit.append('acknowledgements', { creditId, seq: now.seq, reference, at: now.at });
    return TAKEN;
  }

  #sign(
    decision: Extract<DecisionFact['decision'], { kind: 'sign' }>,
    person: string,
    now: Now,
  ): DecisionOutcome {
    const { unit, source, flush } = this.#context;
    flush();
    const { day, role, reason, reportHash } = decision;
    const closed = source.closes.of(day);
    if (closed === undefined)
      return refused('not_found', `${day} is not closed: there is no report to sign`);
    const signatures = source.closes.signatures(day);
    const signing = handleSignature(closed, signatures, { role, person, reportHash });
    if (signing.kind === 'known') return { kind: 'unchanged' };
    if (signing.kind === 'refused') return { kind: 'not_taken', refusal: signing.refusal };
    unit.append('signatures', {
      day,
      role,
      person,
      reason,
      reportHash,
      signedAt: now.at,
      seq: now.seq,
    });
    return TAKEN;
  }

  #aboutBreak(decision: BreakDecision, actor: string, now: Now): DecisionOutcome {
    const { unit, source, flush } = this.#context;
    flush();
    const known = source.break(decision.breakId);
    if (known === undefined)
      return refused(
        'not_found',
        `There is no break ${decision.breakId}: list them with GET /v1/breaks.`,
      );
    const taken = handleBreakDecision(known, decision, { actor, at: now.at });
    if (taken.kind === 'refused') return { kind: 'not_taken', refusal: taken.refusal };
    unit.putBreak(taken, now.seq);
    if (decision.kind !== 'resolve') return TAKEN;
    if (known.type === 'unexplained_movement' || known.type === 'conservation') {
      this.#followChain(known, { now, followsChain: decision.followsChain === true });
    }
    if (known.type === 'unknown_to_custody' && decision.takesBack === true) {
      this.#takeBack(known, now);
    }
    compareResolved(unit, known);
    return TAKEN;
  }

  /**
   * Takes what webhooks alone said of a deposit from the books. The break of a correction has another
   * key: the custody API knows that deposit.
   */
  #takeBack({ key, type, subject: { depositId } }: Break, now: Now): void {
    if (depositId === null || key !== breakKey(type, depositId)) return;
    const { unit } = this.#context;
    const deposit = unit.deposit(depositId);
    if (deposit === undefined) return;
    const hashState = unit.hashState(deposit.network, deposit.blockchainHash);
    unit.apply(takenBack(hashState, deposit, now), now);
  }

  /** Books what the chain shows to suspense, or takes back what a person had booked there. */
  #followChain(
    known: Break,
    { now, followsChain }: { readonly now: Now; readonly followsChain: boolean },
  ): void {
    const { unit, source } = this.#context;
    const movement = movementOf(unit, known);
    if (movement === undefined) return;
    const { vaultId, network, blockchainHash, asset } = movement;
    const onChain = unit
      .hashState(network, blockchainHash)
      .sightings.filter((one) => one.stream === 'blockchain' && one.vaultId === vaultId)
      .flatMap((one) => one.posted)
      .filter((change) => change.asset === asset);
    const evidence = { earlier: source.suspenseEntriesOf(movement), onChain, followsChain };
    const entries = suspenseEntries(movement, evidence, () => now.mint.entry());
    unit.apply(changeSet({ entries }), now);
  }
}
