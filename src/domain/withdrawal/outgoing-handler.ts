import { postFor, unpost, type Booked } from './booking.ts';
import { breakKey, finding, type Finding } from '../break/break.ts';
import { pinsOf, sameContent } from '../hash/same-changes.ts';
import { ruleFor } from '../policy/policy.ts';
import { UNVERIFIED, type Deposit } from '../deposit/deposit.ts';
import {
  changeSet,
  isOwnHash,
  sightingIn,
  type ChangeSet,
  type RuleContext,
  type HashState,
} from '../hash/hash-state.ts';
import type { OutgoingNotification } from '../fact/notification.ts';
import { isDisowned, type OwnHash, type OwnHashCertainty } from './own-hash.ts';
import { depositFinding, evaluate, type Evaluated } from '../deposit/evaluation.ts';
import { hasHash, newSighting, sightingKeyOf, withEvent } from '../hash/sighting.ts';
import {
  advances,
  isTerminal,
  newWithdrawal,
  statusOf,
  withOutgoingEvent,
  type CustodyKnowledge,
  type Withdrawal,
} from './withdrawal.ts';

/** The withdrawal after an event, with its active entry reversed. */
function clear(before: Withdrawal, after: Withdrawal, now: RuleContext): Booked {
  const { entries } = unpost(before, now);
  return { withdrawal: { ...after, entryId: null, posted: [] }, entries };
}

function book(
  before: Withdrawal,
  after: Withdrawal,
  context: { notification: OutgoingNotification; now: RuleContext },
): Booked {
  const { notification, now } = context;
  // The API does not know it: webhooks alone book nothing.
  const isDenied = before.custody === 'unknown' && now.source === 'webhook';
  if (isDenied || !advances(before.status, statusOf(notification.type))) {
    return { withdrawal: after, entries: [] };
  }
  switch (notification.type) {
    case 'mined': {
      // A fee booked for an earlier `failed` gives way to the fee in `mined`.
      const cleared = clear(before, after, now);
      const list = notification.changes ?? [];
      const booked = postFor(cleared.withdrawal, { cause: 'mined', list }, now);
      return { ...booked, entries: [...cleared.entries, ...booked.entries] };
    }
    case 'rolledback':
    case 'replaced':
      return clear(before, after, now);
    case 'failed':
    case 'approval-pending':
    case 'approved':
    case 'pending':
    case 'requested':
    case 'inited':
    case 'to-sign':
    case 'signed':
    case 'submitted':
    case 'warning':
    case 'cancelled':
      return { withdrawal: after, entries: [] };
    default:
      return notification.type satisfies never;
  }
}

/** The break for a second `mined` with other amounts; it posts nothing. Empty otherwise. */
export function minedAgain(before: Withdrawal, notification: OutgoingNotification): Finding[] {
  const list = notification.changes;
  if (notification.type !== 'mined' || before.status !== 'mined' || list === null) return [];
  if (sameContent(list, before.posted)) return [];
  return [
    finding('amount_changed', {
      key: breakKey('amount_changed', before.transactionId),
      subject: {
        vaultId: before.vaultId,
        network: before.network,
        blockchainHash: before.blockchainHash,
        transactionId: before.transactionId,
      },
      detail: `transaction ${before.transactionId} was reported mined twice with different balance changes; the first stands`,
    }),
  ];
}

/** Evaluated deposits and their breaks. */
export interface EvaluatedDeposits {
  readonly evaluated: readonly Evaluated[];
  readonly found: readonly Finding[];
}

export const NONE_EVALUATED: EvaluatedDeposits = { evaluated: [], found: [] };

/**
 * Marks deposits of an own transaction's hash as own transfers (the specification, section
 * "Conservation rules", 2). A deposit that was already credited gave money away twice: it opens a
 * critical break.
 */
export function claimDeposits(
  deposits: readonly Deposit[],
  transactionId: string,
  now: RuleContext,
): EvaluatedDeposits {
  const unclaimed = deposits.filter((deposit) => !deposit.ownTransfer);
  return {
    evaluated: unclaimed.map((deposit) =>
      evaluate({ ...deposit, ownTransfer: true, updatedAt: now.at }, now),
    ),
    found: unclaimed.flatMap((deposit) => {
      const { credit } = deposit;
      if (credit === null || ruleFor(now.policy, deposit).creditInternal) return [];
      return depositFinding('status_mismatch', deposit, {
        severity: 'critical',
        detail: `credited as ${credit.creditId}, but its hash belongs to own transaction ${transactionId}: an internal transfer, not a customer's deposit`,
      });
    }),
  };
}

/**
 * The deposit when its hash is no own one. It could not be credited while verified, so it is
 * verified again.
 */
export function disclaimed(deposit: Deposit): Deposit {
  return deposit.credit === null
    ? { ...deposit, ...UNVERIFIED, ownTransfer: false, custodyConfirmations: 0 }
    : { ...deposit, ownTransfer: false };
}

/** Evaluates the deposits of a hash that is no own one. */
export function disclaimDeposits(
  deposits: readonly Deposit[],
  now: RuleContext,
): EvaluatedDeposits {
  const evaluated = deposits
    .filter((deposit) => deposit.ownTransfer)
    .map((deposit) => evaluate({ ...disclaimed(deposit), updatedAt: now.at }, now));
  return { evaluated, found: [] };
}

/** The hash that an event names for its transaction, when it is new. */
function newOwnHash(
  hashState: HashState,
  notification: OutgoingNotification,
  context: { before: Withdrawal; now: RuleContext },
): OwnHash[] {
  if (!hasHash(notification)) return [];
  const { network, blockchainHash, transactionId } = notification;
  if (hashState.ownHashes.some((own) => own.transactionId === transactionId)) return [];
  const certainty =
    context.now.source === 'api' ? 'confirmed' : certaintyByWebhook(hashState, context.before);
  return [{ network, blockchainHash, transactionId, certainty }];
}

/**
 * The certainty of a webhook's claim, given what the custody API has said of transaction and hash.
 */
function certaintyByWebhook(hashState: HashState, { custody }: Withdrawal): OwnHashCertainty {
  if (custody === 'unknown') return 'refuted';
  return custody === 'unasked' && isDisowned(hashState.ownHashes) ? 'disowned' : 'claimed';
}

/**
 * What the custody API knows after an event: its confirmation ends with another final status or
 * hash.
 */
function knowledgeAfter(
  before: Withdrawal,
  after: Withdrawal,
  news: { hasNewHash: boolean; now: RuleContext },
): CustodyKnowledge {
  if (news.now.source === 'api') return 'known';
  if (before.custody !== 'known') return before.custody;
  const hasEnded = after.status !== before.status && isTerminal(after);
  return news.hasNewHash || hasEnded ? 'doubted' : 'known';
}

/**
 * Handles an `outgoing` notification (the specification, section "Outgoing transaction progress").
 * `known`: the withdrawal of its transactionId. `hashState`: the state of its hash, empty without
 * one. The caller has sorted out repeats. A second `mined` with other amounts is a break.
 */
export function handleOutgoing(
  hashState: HashState,
  known: Withdrawal | undefined,
  context: { notification: OutgoingNotification; now: RuleContext },
): ChangeSet {
  const { notification, now } = context;
  const before = known ?? newWithdrawal(notification, now.at);
  const after = withOutgoingEvent(before, notification, now.at);
  const booked = book(before, after, { notification, now });
  const ownHashes = newOwnHash(hashState, notification, { before, now });
  const isOwn = isOwnHash({ ownHashes: [...hashState.ownHashes, ...ownHashes] });
  const claimed =
    hasHash(notification) && isOwn
      ? claimDeposits(hashState.deposits, notification.transactionId, now)
      : NONE_EVALUATED;
  const custody = knowledgeAfter(before, after, { hasNewHash: ownHashes.length > 0, now });
  const sightings = [];
  if (hasHash(notification)) {
    const key = sightingKeyOf(notification);
    sightings.push(withEvent(sightingIn(hashState, key) ?? newSighting(key), notification, now));
  }
  return changeSet({
    sightings,
    withdrawals: [{ ...booked.withdrawal, custody }],
    ownHashes,
    entries: booked.entries,
    deposits: claimed.evaluated.map((part) => part.deposit),
    items: claimed.evaluated.flatMap((part) => part.items),
    found: [
      ...minedAgain(before, notification),
      ...claimed.found,
      ...claimed.evaluated.flatMap((part) => part.found),
    ],
    healed: claimed.evaluated.flatMap((part) => part.healed),
    pinned: pinsOf(notification.changes, now),
  });
}
