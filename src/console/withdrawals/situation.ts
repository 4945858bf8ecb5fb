import type {
  CustodyKnowledge,
  Withdrawal,
  WithdrawalStatus,
} from '../../domain/withdrawal/withdrawal.ts';
import type { Tone } from '../../pages/parts/badge.tsx';

/** A withdrawal's situation for a person: what happened, and what to do next. */
export interface Situation {
  readonly title: string;
  readonly next: string;
}

const NOTHING_TO_DO = 'Nothing to do here: the custody platform moves it on.';

const OF_STATUS: Record<WithdrawalStatus, Situation> = {
  'approval-pending': {
    title: 'It waits for approval in the custody platform',
    next: 'Its approvers decide there.',
  },
  requested: { title: 'It is requested', next: NOTHING_TO_DO },
  inited: { title: 'It is prepared', next: NOTHING_TO_DO },
  'to-sign': {
    title: 'It waits for a signature',
    next: 'The external signer of its vault signs it. If this takes long, look there.',
  },
  signed: { title: 'It is signed', next: NOTHING_TO_DO },
  submitted: { title: 'It is sent to the network', next: 'Nothing to do: a block will mine it.' },
  mined: {
    title: 'It is mined',
    next: 'The books hold its amounts and its fee.',
  },
  failed: {
    title: 'It failed',
    next: 'It moved no money. A failed transaction on the chain burned its fee, which the chain view tells.',
  },
  cancelled: { title: 'It was cancelled', next: 'Nothing to do: it moved no money.' },
  replaced: {
    title: 'Another transaction replaced it',
    next: 'Its entries are reversed. The replacement is a withdrawal of its own.',
  },
  rolledback: {
    title: 'Its block left the chain',
    next: 'Its entries are reversed.',
  },
};

/** Statuses before the signature. A warning pauses no later one; there it only arrived late. */
const BEFORE_SIGNATURE: ReadonlySet<Withdrawal['status']> = new Set([
  null,
  'approval-pending',
  'requested',
  'inited',
  'to-sign',
]);

/** By the reason of a warning (spec, "Outgoing transaction progress", "Transient pause"). */
const PAUSED: ReadonlyMap<string | null, Situation> = new Map([
  [
    'insufficient_balance',
    {
      title: 'It is paused: its source cannot pay the amount and the fee',
      next: 'Send the missing money to its source address; the custody platform then continues by itself. Or cancel it there. Otherwise the platform cancels it after some time.',
    },
  ],
  [
    'hosted_singner_unavailable',
    {
      title: 'It is paused: the custody platform’s hosted signer is not available',
      next: 'The platform tries again by itself, and cancels it after some time. If this takes long, ask the platform’s operator.',
    },
  ],
]);

/** A withdrawal's situation by its last event. */
export function situationOf({
  status,
  reasonCode,
}: Pick<Withdrawal, 'status' | 'reasonCode'>): Situation {
  const paused = BEFORE_SIGNATURE.has(status) ? PAUSED.get(reasonCode) : undefined;
  if (paused !== undefined) return paused;
  if (status !== null) return OF_STATUS[status];
  return {
    title: 'Only informational events have arrived',
    next: 'Nothing to do: the next event says where it stands.',
  };
}

/** What the custody API says of it, with the colour of that. */
export const OF_CUSTODY: Record<CustodyKnowledge, { readonly tone: Tone; readonly text: string }> =
  {
    known: { tone: 'good', text: 'The custody API’s record agrees.' },
    unasked: {
      tone: 'warn',
      text: 'Only webhooks have reported it. The next runs ask the custody API.',
    },
    doubted: {
      tone: 'alarm',
      text: 'The custody API reports it otherwise, or webhooks have reported more since. Its break says what differs.',
    },
    unknown: {
      tone: 'alarm',
      text: 'The custody API does not know it. Nothing is posted for it: somebody may have forged the webhook.',
    },
  };

/** The colour of a status. */
export function toneOf(status: WithdrawalStatus | null): Tone {
  switch (status) {
    case 'mined':
      return 'good';
    case 'failed':
    case 'rolledback':
      return 'alarm';
    case 'cancelled':
    case 'replaced':
    case null:
      return 'plain';
    case 'approval-pending':
    case 'requested':
    case 'inited':
    case 'to-sign':
    case 'signed':
    case 'submitted':
      return 'warn';
    default:
      return status satisfies never;
  }
}
