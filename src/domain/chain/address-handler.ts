import type { AddressEvidence, AddressMovement } from './address-evidence.ts';
import {
  addressBreakKey,
  changesWith,
  chainSighting,
  compareAddressMovement,
  unexplainedIn,
  type AddressVerdict,
} from './address-comparison.ts';
import { followBurnedFees } from '../withdrawal/burned-fee.ts';
import { handleChain } from './chain-handler.ts';
import { joinedToDeposit } from '../deposit/record/joined-break.ts';
import {
  changeSet,
  NO_CHANGES,
  type ChangeSet,
  type RuleContext,
  type HashState,
} from '../hash/hash-state.ts';
import { NotificationId } from '../ids.ts';
import type { ChainNotification } from '../fact/notification.ts';

/** The missing `blockchain` notification, built from an address list; it has no id of its own. */
function standIn(
  hashState: HashState,
  movement: AddressMovement,
  type: 'transaction' | 'rollback',
): ChainNotification {
  const { vaultId, network, blockchainHash, addressId } = movement;
  const before = chainSighting(hashState, vaultId);
  return {
    stream: 'blockchain',
    type,
    id: NotificationId(`api/${addressId}/${blockchainHash}`),
    vaultId,
    network,
    blockchainHash,
    transactionId: null,
    confirmations: null,
    changes: type === 'transaction' ? changesWith(movement, before) : null,
  };
}

function consequenceOf(
  hashState: HashState,
  { movement }: AddressEvidence,
  context: { verdict: AddressVerdict; now: RuleContext },
): ChangeSet {
  const { verdict, now } = context;
  switch (verdict.consequence) {
    case 'none':
    case 'ask':
      return NO_CHANGES;
    case 'take_back':
      return handleChain(hashState, standIn(hashState, movement, 'rollback'), now);
    case 'post': {
      const posted = handleChain(hashState, standIn(hashState, movement, 'transaction'), now);
      if (verdict.outcome.kind !== 'break') return posted;
      const before = chainSighting(hashState, movement.vaultId);
      return { ...posted, found: [...posted.found, ...unexplainedIn(movement, before, now.at)] };
    }
    default:
      return verdict.consequence satisfies never;
  }
}

/**
 * Handles an address list that knows more than the notifications. Movements that the books explain,
 * or that no platform transaction explains, post to the chain view with entries marked `api`. A
 * contradiction of the chain view is a break.
 */
export function handleAddressRecord(
  hashState: HashState,
  evidence: AddressEvidence,
  now: RuleContext,
): ChangeSet & { readonly verdict: AddressVerdict } {
  const { movement, platform, noticedAt, graceMs } = evidence;
  const verdict = compareAddressMovement(movement, hashState, {
    platform,
    noticedAt,
    grace: { at: now.at, graceMs },
  });
  const { outcome } = verdict;
  const { network, blockchainHash } = movement;
  const decided = followBurnedFees(
    consequenceOf(hashState, evidence, { verdict, now }),
    [{ ...hashState, network, blockchainHash }],
    now,
  );
  const assets = new Set((movement.changes ?? []).map((change) => change.asset));
  const healed =
    outcome.kind === 'matched'
      ? [
          addressBreakKey('status_mismatch', movement),
          ...[...assets].map((asset) => addressBreakKey('amount_mismatch', movement, asset)),
        ].map((key) => ({ key, reason: 'the custody API agrees now' }))
      : [];
  const own =
    outcome.kind === 'break' && verdict.consequence === 'none' ? outcome.finding : undefined;
  const found = own && evidence.joins ? joinedToDeposit(own, movement, hashState) : own;
  return {
    ...changeSet({
      ...decided,
      found: [...decided.found, ...(found === undefined ? [] : [found])],
      healed: [
        ...decided.healed,
        ...healed,
        ...(own === undefined || own === found
          ? []
          : [{ key: own.key, reason: 'the deposit’s own break says so' }]),
      ],
    }),
    verdict,
  };
}
