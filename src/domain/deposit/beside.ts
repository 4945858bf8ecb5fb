import type { AddressMovement } from '../address-evidence.ts';
import { addressBreakKey, chainSighting, sumsAt } from '../address-movement.ts';
import { ZERO } from '../amount.ts';
import type { Finding } from '../break.ts';
import { amountMismatch, type Outcome } from '../compare.ts';
import type { CustodyTransaction } from '../custody.ts';
import type { Deposit } from '../deposit.ts';
import type { Changes, Dossier } from '../dossier.ts';

/**
 * A difference at an address as the deposit's own, where a deposit there differs by the same figures:
 * two streams told one wrong amount, and that is one break. Else as it is.
 */
export function joinedToDeposit(found: Finding, movement: AddressMovement, dossier: Dossier) {
  const { vaultId, addressId } = movement;
  const { expected, actual, subject, type } = found;
  if (type !== 'amount_mismatch' || expected === null) return found;
  const [deposit, second] = dossier.deposits.filter(
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
 * Breaks about the address of a deposit that end with what its record says: the chain view agrees
 * with the record as well, or it differs by the same figures as the deposit, whose break says so.
 */
export function healedBeside(
  deposit: Deposit,
  record: CustodyTransaction | null,
  { outcome, dossier }: { outcome: Outcome; dossier: Dossier },
): Changes['healed'] {
  const { vaultId, addressId, asset, network, blockchainHash } = deposit;
  if (record === null || addressId === null) return [];
  const place = { vaultId, addressId, network, blockchainHash };
  const amountKey = addressBreakKey('amount_mismatch', place, asset);
  const ours = sumsAt(chainSighting(dossier, vaultId)?.posted ?? [], addressId).get(asset) ?? ZERO;
  if (outcome.kind === 'break') {
    const { type, actual } = outcome.finding;
    const isSame = type === 'amount_mismatch' && actual === ours;
    return isSame ? [{ key: amountKey, reason: 'the deposit’s own break says so' }] : [];
  }
  const list = record.status === 'rolledback' ? [] : (record.changes ?? []);
  if (outcome.kind !== 'matched' || ours !== (sumsAt(list, addressId).get(asset) ?? ZERO))
    return [];
  return [amountKey, addressBreakKey('status_mismatch', place)].map((key) => ({
    key,
    reason: 'the custody API agrees now',
  }));
}
