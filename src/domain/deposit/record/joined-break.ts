import type { AddressMovement } from '../../chain/address-evidence.ts';
import { addressBreakKey, chainSighting, sumsAt } from '../../chain/address-comparison.ts';
import { ZERO } from '../../money/amount.ts';
import type { Finding } from '../../break/break.ts';
import { amountMismatch, type Outcome } from './comparison.ts';
import type { CustodyTransaction } from '../../fact/custody-record.ts';
import type { Deposit } from '../deposit.ts';
import type { ChangeSet, HashState } from '../../hash/hash-state.ts';

/**
 * Joins an address difference to the deposit's break when one deposit there differs by the same
 * figures: two streams with one wrong amount are one break. Otherwise returns the finding
 * unchanged.
 */
export function joinedToDeposit(found: Finding, movement: AddressMovement, hashState: HashState) {
  const { vaultId, addressId } = movement;
  const { expected, actual, subject } = found;
  // A mismatch of the status has no figures.
  if (expected === null) return found;
  const [deposit, second] = hashState.deposits.filter(
    (one) =>
      one.vaultId === vaultId &&
      one.addressId === addressId &&
      one.asset === subject.asset &&
      one.evidence === 'confirmed',
  );
  if (deposit === undefined || second !== undefined || deposit.amount !== actual) return found;
  return amountMismatch(deposit, expected);
}

/**
 * Address breaks that a deposit's record resolves: the chain view also agrees with the record, or
 * it differs by the same figures as the deposit, whose break reports it.
 */
export function healedBeside(
  deposit: Deposit,
  record: CustodyTransaction | null,
  { outcome, hashState }: { outcome: Outcome; hashState: HashState },
): ChangeSet['healed'] {
  const { vaultId, addressId, asset, network, blockchainHash } = deposit;
  if (record === null || addressId === null) return [];
  const address = { vaultId, addressId, network, blockchainHash };
  const amountKey = addressBreakKey('amount_mismatch', address, asset);
  const ours =
    sumsAt(chainSighting(hashState, vaultId)?.posted ?? [], addressId).get(asset) ?? ZERO;
  if (outcome.kind === 'break') {
    const { type, actual } = outcome.finding;
    const isSame = type === 'amount_mismatch' && actual === ours;
    return isSame ? [{ key: amountKey, reason: 'the deposit’s own break says so' }] : [];
  }
  const list = record.status === 'rolledback' ? [] : (record.changes ?? []);
  if (outcome.kind !== 'matched' || ours !== (sumsAt(list, addressId).get(asset) ?? ZERO))
    return [];
  return [amountKey, addressBreakKey('status_mismatch', address)].map((key) => ({
    key,
    reason: 'the custody API agrees now',
  }));
}
