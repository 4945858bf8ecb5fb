import type { Amount } from '../../domain/money/amount.ts';
import type { BreakEvent } from '../../domain/break/break.ts';
import type { DepositLife, LifeFact, StoredNotification } from '../../store/answers.ts';
import { bodyOf, textOf, type FactBody } from '../parts/fact/fact-body.ts';
import { evidenceOf, type CustodyEvidence } from './evidence.ts';
import { termsAt, type PolicyBook } from './terms.ts';
import type { StepHead } from '../parts/fact/life-step.tsx';

/** Where a step of a deposit's life comes from. */
export type Origin = 'webhook' | 'custody API' | 'person' | 'consumer' | 'Counterfoil';

/** What a fact brought about. */
export type Effect =
  | { readonly kind: 'first_seen' }
  | {
      readonly kind: 'posted';
      readonly view: 'books' | 'chain';
      readonly amount: Amount;
      readonly isReversal: boolean;
    }
  | { readonly kind: 'verified'; readonly depth: number }
  /** The policy decided, and nothing was credited. `terms`: what it asked for. */
  | { readonly kind: 'evaluated'; readonly terms: string }
  | {
      readonly kind: 'credit' | 'reversal';
      readonly creditId: string;
      readonly feedSeq: number;
      readonly amount: Amount;
      /** What the policy asked for then, and who approved. */
      readonly terms: string;
    }
  | { readonly kind: 'acknowledged'; readonly reference: string }
  | {
      readonly kind: 'break';
      readonly breakId: string;
      readonly type: string;
      readonly action: BreakEvent['action'];
      readonly detail: string;
    };

/** One fact of a deposit's life, with its effects. */
export interface Step extends StepHead<Origin> {
  readonly effects: readonly Effect[];
  /** The custody API's record that this fact compared with the deposit; null for other facts. */
  readonly record: CustodyEvidence | null;
}

type Head = Pick<Step, 'origin' | 'title' | 'detail'>;

function notificationHead(one: StoredNotification): Head {
  const depth = one.confirmations === null ? '' : ` at depth ${one.confirmations}`;
  const status = one.status === 'accepted' ? '' : `, ${one.status}`;
  return {
    origin: 'webhook',
    title: `${one.stream ?? 'unknown'} ${one.type ?? 'notification'}${depth}${status}`,
    detail: `Notification ${one.id}`,
  };
}

const DECISIONS: Readonly<Record<string, string>> = {
  approve: 'approved it',
  hold: 'held it',
  release: 'released it',
  policy: 'changed the crediting policy',
  halt: 'halted crediting',
  resume: 'resumed crediting',
  judge: 'evaluated it by the new policy',
  decimals: 'corrected the asset’s decimals',
  investigate: 'began to investigate a break',
  resolve: 'resolved a break',
  assign: 'assigned a break',
  note: 'noted something about a break',
};

function decisionHead(actor: string, body: FactBody): Head {
  const kind = textOf(body['kind']) ?? 'decision';
  const detail = textOf(body['reason']) ?? textOf(body['note']);
  if (kind === 'acknowledge') {
    return { origin: 'consumer', title: `${actor} acknowledged the credit`, detail };
  }
  const origin = kind === 'judge' || actor === 'config' ? 'Counterfoil' : 'person';
  const action =
    kind === 'attribute'
      ? `named its owner: ${textOf(body['attributedTo']) ?? 'somebody'}`
      : (DECISIONS[kind] ?? kind);
  return { origin, title: `${actor} ${action}`, detail };
}

const RECORDS: Readonly<Record<string, string>> = {
  backfill: 'The custody API reported it; no notification did',
  outgoing: 'The custody API showed an own transaction with this hash',
  'unknown-transaction': 'The custody API does not know the claimed own transaction',
  'disowned-hash': 'The custody API listed this hash without an own transaction',
  movement: 'The custody API’s sum of this hash was compared',
  unseen: 'The custody API showed a transaction without a deposit',
  address: 'The address’s list at the custody API was compared',
  run: 'A reconciliation run ended',
  'run-step': 'A reconciliation run compared this hash',
  close: 'A day was closed',
};

function recordHead(body: FactBody): Head {
  const kind = textOf(body['kind']) ?? '';
  const isOwn = ['run', 'run-step', 'close'].includes(kind);
  const title =
    kind !== 'deposit'
      ? (RECORDS[kind] ?? 'The custody API was asked')
      : body['transaction'] === null
        ? 'The custody API knows no such transaction'
        : 'The custody API’s record was compared';
  return { origin: isOwn ? 'Counterfoil' : 'custody API', title, detail: null };
}

function headOf(fact: LifeFact | undefined, notification: StoredNotification | undefined): Head {
  if (notification !== undefined) return notificationHead(notification);
  if (fact === undefined) {
    return { origin: 'Counterfoil', title: 'A fact that the journal does not hold', detail: null };
  }
  switch (fact.kind) {
    case 'decision':
      return decisionHead(fact.actor ?? 'somebody', bodyOf(fact));
    case 'custody-record':
      return recordHead(bodyOf(fact));
    case 'notification':
    case 'quarantined':
    case 'refused':
      return { origin: 'webhook', title: 'A notification about the same hash', detail: null };
    default:
      return fact.kind satisfies never;
  }
}

function effectsBySeq(life: DepositLife, book: PolicyBook): Map<number, Effect[]> {
  const effects = new Map<number, Effect[]>();
  const add = (seq: number, effect: Effect): void => {
    effects.set(seq, [...(effects.get(seq) ?? []), effect]);
  };
  for (const { seq, view, amount, isReversal } of life.entries) {
    add(seq, { kind: 'posted', view, amount, isReversal });
  }
  for (const one of life.items) {
    const { item, feedSeq, seq } = one;
    const { kind, creditId, amount } = item;
    add(seq, { kind, creditId, feedSeq, amount, terms: termsAt(seq, item.deposit, book) });
  }
  for (const { seq, reference } of life.acknowledgements) {
    add(seq, { kind: 'acknowledged', reference });
  }
  for (const { found, history } of life.breaks) {
    for (const { seq, action, reason } of history) {
      const { breakId, type } = found;
      const detail = action === 'opened' ? found.detail : reason;
      add(seq, { kind: 'break', breakId, type, action, detail });
    }
  }
  return effects;
}

/** The facts at which the custody API's record matched, in this epoch and in credited ones. */
function verifications({ deposit, items, facts }: DepositLife): Map<number, Effect> {
  const found = new Map<number, Effect>();
  for (const { verifiedAt, custodyConfirmations } of [
    ...items.map(({ item }) => item.deposit),
    deposit,
  ]) {
    const fact = [...facts.values()].find(
      ({ kind, recordedAt }) => kind === 'custody-record' && recordedAt === verifiedAt,
    );
    if (fact !== undefined) found.set(fact.seq, { kind: 'verified', depth: custodyConfirmations });
  }
  return found;
}

/** Decisions after which the policy decides about a deposit again. */
const EVALUATING = ['policy', 'halt', 'resume', 'judge'];

function isEvaluation(fact: LifeFact | undefined): boolean {
  return fact?.kind === 'decision' && EVALUATING.includes(textOf(bodyOf(fact)['kind']) ?? '');
}

/** A deposit's life, fact by fact, oldest first. */
export function timelineOf(life: DepositLife, book: PolicyBook): Step[] {
  const effects = effectsBySeq(life, book);
  const verified = verifications(life);
  const notifications = new Map(life.notifications.map((one) => [one.seq, one]));
  const seqs = [...new Set([...life.facts.keys(), ...notifications.keys()])];
  return seqs
    .toSorted((left, right) => left - right)
    .map((seq, index) => {
      const [fact, notification] = [life.facts.get(seq), notifications.get(seq)];
      const match = verified.get(seq);
      const others = effects.get(seq) ?? [];
      // The deposit as it is now: only its credits are kept as they were.
      const terms = termsAt(seq, { ...life.deposit, approvals: [], attributedTo: null }, book);
      const isEvaluated =
        (match !== undefined || isEvaluation(fact)) &&
        others.every(({ kind }) => kind !== 'credit');
      return {
        seq,
        at: fact?.recordedAt ?? notification?.receivedAt ?? 0,
        ...headOf(fact, notification),
        effects: [
          ...(index === 0 ? [{ kind: 'first_seen' } as const] : []),
          ...(match === undefined ? [] : [match]),
          ...(isEvaluated ? [{ kind: 'evaluated', terms } as const] : []),
          ...others,
        ],
        fact: fact ?? null,
        record: evidenceOf(fact, life.deposit),
      };
    });
}
