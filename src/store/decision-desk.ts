import type { Break } from '../domain/break.ts';
import { decideAboutBreak, type BreakDecision } from '../domain/decide-break.ts';
import { decideSignature } from '../domain/close-signature.ts';
import {
  decideAboutDeposit,
  decideAcknowledgement,
  suspenseEntry,
  type DepositDecision,
} from '../domain/decide-decision.ts';
import { changes, type Circumstances } from '../domain/dossier.ts';
import type { Fact, IntakeStatus } from '../domain/fact.ts';
import { standingOf } from '../domain/movement.ts';
import type { DecisionOutcome } from './decision-outcome.ts';
import type { DeskTools } from './desk-tools.ts';
import { PolicyDesk } from './policy-desk.ts';
import { judgeResolved } from './run-desk.ts';

type DecisionFact = Extract<Fact, { kind: 'decision' }>;
type Now = Circumstances & { readonly seq: number };

export type Retry = (
  quarantineId: string,
  now: Now,
) =>
  | { kind: 'retried'; status: IntakeStatus }
  | { kind: 'still'; defect: string }
  | { kind: 'unknown' };

const TAKEN: DecisionOutcome = { kind: 'taken' };

function notFound(detail: string): DecisionOutcome {
  return { kind: 'not_taken', refusal: { kind: 'not_found', detail } };
}

/** Applies what people, consumers and the configuration decide. */
export class DecisionDesk {
  readonly #tools: DeskTools;
  readonly #retry: Retry;
  readonly #policy: PolicyDesk;

  constructor(tools: DeskTools, retry: Retry) {
    this.#tools = tools;
    this.#retry = retry;
    this.#policy = new PolicyDesk(tools);
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
        return this.#restored(now);
      case 'exemptions':
        this.#tools.set.exemptions.setRules({
          seq: now.seq,
          actor,
          rules: decision.rules,
          setAt: now.at,
        });
        return TAKEN;
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
      case 'sign':
        return this.#sign(decision, actor, now);
      case 'retry': {
        const retried = this.#retry(decision.quarantineId, now);
        if (retried.kind === 'retried') return { kind: 'taken', status: retried.status };
        if (retried.kind === 'unknown')
          return notFound(`no quarantined body ${decision.quarantineId}`);
        return { kind: 'not_taken', refusal: { kind: 'conflict', detail: retried.defect } };
      }
      default:
        return decision satisfies never;
    }
  }

  #restored(now: Now): DecisionOutcome {
    const { set, source, flush } = this.#tools;
    flush();
    set.addRestore({ seq: now.seq, feedLength: source.feedLength(), restoredAt: now.at });
    return TAKEN;
  }

  #aboutDeposit(decision: DepositDecision, actor: string, now: Now): DecisionOutcome {
    const deposit = this.#tools.set.deposit(decision.depositId);
    if (deposit === undefined) return notFound(`no deposit ${decision.depositId}`);
    const taken = decideAboutDeposit(deposit, decision, { actor, now });
    if (taken.kind === 'refused') return { kind: 'not_taken', refusal: taken.refusal };
    this.#tools.set.apply(taken.changes, now);
    return TAKEN;
  }

  #acknowledge(
    decision: Extract<DecisionFact['decision'], { kind: 'acknowledge' }>,
    now: Now,
  ): DecisionOutcome {
    const { set, source, flush } = this.#tools;
    flush();
    const depositId = source.depositOfCredit(decision.creditId);
    const deposit = depositId === undefined ? undefined : set.deposit(depositId);
    if (deposit === undefined) return notFound(`no credit ${decision.creditId}`);
    const { creditId, reference } = decision;
    const acknowledgedAs = source.acknowledgedAs(creditId) ?? null;
    const taken = decideAcknowledgement(deposit, decision, { acknowledgedAs, now });
    if (taken.kind === 'known') return { kind: 'unchanged' };
    if (taken.kind === 'refused') return { kind: 'not_taken', refusal: taken.refusal };
    set.apply(taken.changes, now);
    set.acknowledge({ creditId, seq: now.seq, reference, at: now.at });
    return TAKEN;
  }

  #sign(
    decision: Extract<DecisionFact['decision'], { kind: 'sign' }>,
    person: string,
    now: Now,
  ): DecisionOutcome {
    const { set, source, flush } = this.#tools;
    flush();
    const { day, role, reason, reportHash } = decision;
    const closed = source.closes.of(day);
    if (closed === undefined) return notFound(`${day} is not closed: there is no report to sign`);
    const signatures = source.closes.signatures(day);
    const signing = decideSignature(closed, signatures, { role, person, reportHash });
    if (signing.kind === 'known') return { kind: 'unchanged' };
    if (signing.kind === 'refused') return { kind: 'not_taken', refusal: signing.refusal };
    set.addSignature({ day, role, person, reason, reportHash, signedAt: now.at, seq: now.seq });
    return TAKEN;
  }

  #aboutBreak(decision: BreakDecision, actor: string, now: Now): DecisionOutcome {
    const { set, source, flush } = this.#tools;
    flush();
    const known = source.break(decision.breakId);
    if (known === undefined) return notFound(`no break ${decision.breakId}`);
    const taken = decideAboutBreak(known, decision, { actor, at: now.at });
    if (taken.kind === 'refused') return { kind: 'not_taken', refusal: taken.refusal };
    set.putBreak(taken, now.seq);
    if (decision.kind === 'resolve' && known.type === 'unexplained_movement') {
      this.#bookToSuspense(known, now);
    }
    if (decision.kind === 'resolve') judgeResolved(set, known);
    return TAKEN;
  }

  /** The books follow the chain, with `suspense:<vault>` as counterpart and the break as reason. */
  #bookToSuspense(known: Break, now: Now): void {
    const { vaultId, network, blockchainHash, asset } = known.subject;
    if (vaultId === null || network === null || blockchainHash === null || asset === null) return;
    const movement = this.#tools.set.movement({ vaultId, network, blockchainHash, asset });
    // The books may have caught up since the break was opened: then nothing is left to follow.
    if (movement === undefined || standingOf(movement) !== 'chain_only') return;
    const onChain = this.#tools.set
      .dossier(network, blockchainHash)
      .sightings.filter((one) => one.stream === 'blockchain' && one.vaultId === vaultId)
      .flatMap((one) => one.posted)
      .filter((change) => change.asset === asset);
    const entry = suspenseEntry({ vaultId, network, blockchainHash }, onChain, now.mint.entry());
    this.#tools.set.apply(changes({ entries: [entry] }), now);
  }
}
