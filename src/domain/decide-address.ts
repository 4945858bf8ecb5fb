import type { AddressEvidence, AddressMovement } from './address-evidence.ts';
import {
  addressBreakKey,
  changesWith,
  chainSighting,
  compareAddressMovement,
  unexplainedIn,
  type AddressVerdict,
} from './address-movement.ts';
import { followBurnedFees } from './burned-fee.ts';
import { decideChain } from './decide-chain.ts';
import { joinedToDeposit } from './deposit/beside.ts';
import { changes, NO_CHANGES, type Changes, type Circumstances, type Dossier } from './dossier.ts';
import { NotificationId } from './ids.ts';
import type { ChainNotification } from './notification.ts';

/** Stands where the `blockchain` notification should have; it has no id of its own to be known by. */
function standIn(
  dossier: Dossier,
  movement: AddressMovement,
  type: 'transaction' | 'rollback',
): ChainNotification {
  const { vaultId, network, blockchainHash, addressId } = movement;
  const standing = chainSighting(dossier, vaultId);
  return {
    stream: 'blockchain',
    type,
    id: NotificationId(`api/${addressId}/${blockchainHash}`),
    vaultId,
    network,
    blockchainHash,
    transactionId: null,
    confirmations: null,
    changes: type === 'transaction' ? changesWith(movement, standing) : null,
  };
}

function consequenceOf(
  dossier: Dossier,
  { movement }: AddressEvidence,
  context: { verdict: AddressVerdict; now: Circumstances },
): Changes {
  const { verdict, now } = context;
  switch (verdict.consequence) {
    case 'none':
    case 'ask':
      return NO_CHANGES;
    case 'take_back':
      return decideChain(dossier, standIn(dossier, movement, 'rollback'), now);
    case 'post': {
      const posted = decideChain(dossier, standIn(dossier, movement, 'transaction'), now);
      if (verdict.outcome.kind !== 'break') return posted;
      const standing = chainSighting(dossier, movement.vaultId);
      return { ...posted, found: [...posted.found, ...unexplainedIn(movement, standing, now.at)] };
    }
    default:
      return verdict.consequence satisfies never;
  }
}

/**
 * What an address's own list does where it knows more than the notifications: what the books
 * explain, or no platform transaction does, is taken into the chain view with entries marked `api`;
 * what the chain view has otherwise is a break.
 */
export function decideAddressRecord(
  dossier: Dossier,
  evidence: AddressEvidence,
  now: Circumstances,
): Changes & { readonly verdict: AddressVerdict } {
  const { movement, platform, noticedAt, graceMs } = evidence;
  const verdict = compareAddressMovement(movement, dossier, {
    platform,
    noticedAt,
    grace: { at: now.at, graceMs },
  });
  const { outcome } = verdict;
  const { network, blockchainHash } = movement;
  const decided = followBurnedFees(
    consequenceOf(dossier, evidence, { verdict, now }),
    [{ ...dossier, network, blockchainHash }],
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
  const found = own && evidence.joins ? joinedToDeposit(own, movement, dossier) : own;
  return {
    ...changes({
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
