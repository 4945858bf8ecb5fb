import type { AddressMovement, Platform } from './address-evidence.ts';
import { plus, ZERO, type Amount } from './amount.ts';
import { breakKey, finding, type Finding } from './break.ts';
import { compareMovement, inGrace, type Grace, type Outcome } from './compare.ts';
import type { Dossier } from './dossier.ts';
import { AddressId, type AssetId, type VaultId } from './ids.ts';
import { moved, newMovement } from './movement.ts';
import type { BalanceChange } from './notification.ts';
import { isToldByApi, type Sighting } from './sighting.ts';

/** What else a comparison is told. */
export interface AddressContext {
  readonly platform: Platform;
  /** When the difference was first seen: nothing else dates what contradicts a notification. */
  readonly noticedAt: number;
  readonly grace: Grace;
}

/**
 * How an address's movement stands to the chain view.
 * `post`: nobody told the chain view of it; it is taken in from here. `take_back`: what was taken in
 * so left the chain. `ask`: nothing of ours explains it, and the transactions API must be asked.
 */
export interface AddressVerdict {
  readonly outcome: Outcome;
  readonly consequence: 'none' | 'post' | 'take_back' | 'ask';
}

/** The chain view's record of a hash in a vault. */
export function chainSighting(dossier: Dossier, vaultId: VaultId): Sighting | undefined {
  return dossier.sightings.find((one) => one.stream === 'blockchain' && one.vaultId === vaultId);
}

/** What is moved of each asset at an address. */
export function sumsAt(list: readonly BalanceChange[], addressId: AddressId): Map<AssetId, Amount> {
  const sums = new Map<AssetId, Amount>();
  for (const change of list) {
    if (change.addressId !== addressId) continue;
    sums.set(change.asset, plus(sums.get(change.asset) ?? ZERO, change.amount));
  }
  return sums;
}

interface Difference {
  readonly asset: AssetId;
  readonly expected: Amount;
  readonly actual: Amount;
}

/** By sum per asset, never entry by entry (spec, conservation rule 6). */
function differenceAt(
  addressId: AddressId,
  sides: { theirs: readonly BalanceChange[]; ours: readonly BalanceChange[] },
): Difference | undefined {
  const theirs = sumsAt(sides.theirs, addressId);
  const ours = sumsAt(sides.ours, addressId);
  for (const asset of new Set([...theirs.keys(), ...ours.keys()])) {
    const expected = theirs.get(asset) ?? ZERO;
    const actual = ours.get(asset) ?? ZERO;
    if (expected !== actual) return { asset, expected, actual };
  }
  return undefined;
}

/** Whether the books know the hash in the vault; a failed transaction's fee follows the chain view. */
function isBooked(dossier: Dossier, vaultId: VaultId): boolean {
  return (
    dossier.withdrawals.some(
      (one) =>
        one.vaultId === vaultId &&
        one.custody !== 'unknown' &&
        (one.entryId !== null || one.status === 'failed'),
    ) ||
    dossier.sightings.some(
      (one) => one.vaultId === vaultId && one.stream === 'incoming' && one.entryId !== null,
    )
  );
}

/** One difference of each kind is open per hash, address and asset. */
export function addressBreakKey(
  type: 'status_mismatch' | 'amount_mismatch',
  movement: Pick<AddressMovement, 'vaultId' | 'network' | 'blockchainHash' | 'addressId'>,
  asset: AssetId | null = null,
): string {
  const { vaultId, network, blockchainHash, addressId } = movement;
  return breakKey(type, 'address', vaultId, network, blockchainHash, addressId, asset);
}

function quiet(outcome: Outcome): AddressVerdict {
  return { outcome, consequence: 'none' };
}

const MATCHED: Outcome = { kind: 'matched' };

function compareConfirmed(
  movement: AddressMovement,
  dossier: Dossier,
  context: AddressContext,
): AddressVerdict {
  const { changes, vaultId, addressId } = movement;
  if (changes === null) return quiet({ kind: 'skipped', cause: 'balance_changes_pending' });
  const sighting = chainSighting(dossier, vaultId);
  const standing = sighting?.entryId === null ? undefined : sighting;
  const differing = differenceAt(addressId, { theirs: changes, ours: standing?.posted ?? [] });
  if (differing === undefined) return quiet(MATCHED);
  const wasRolledBack = sighting !== undefined && standing === undefined && sighting.epoch > 0;
  const since = wasRolledBack ? context.noticedAt : (movement.minedAt ?? context.noticedAt);
  if (inGrace(since, context.grace)) return quiet({ kind: 'skipped', cause: 'in_grace' });
  if (standing !== undefined && !isToldByApi(standing)) {
    return quiet({ kind: 'break', finding: amountMismatch(movement, differing) });
  }
  if (isBooked(dossier, vaultId)) return { outcome: MATCHED, consequence: 'post' };
  if (context.platform === 'unasked') {
    return { outcome: { kind: 'skipped', cause: 'in_grace' }, consequence: 'ask' };
  }
  const [found] = unexplainedIn(movement, standing, context.grace.at);
  // Assets may net to zero over the vault: then the chain moved nothing that needs explaining.
  const outcome: Outcome = found === undefined ? MATCHED : { kind: 'break', finding: found };
  return { outcome, consequence: 'post' };
}

function compareGone(
  movement: AddressMovement,
  dossier: Dossier,
  context: AddressContext,
): AddressVerdict {
  const sighting = chainSighting(dossier, movement.vaultId);
  if (sighting === undefined || sighting.entryId === null) return quiet(MATCHED);
  // The rollback may be on its way to us.
  if (inGrace(context.noticedAt, context.grace)) {
    return quiet({ kind: 'skipped', cause: 'in_grace' });
  }
  if (isToldByApi(sighting)) return { outcome: MATCHED, consequence: 'take_back' };
  return quiet({ kind: 'break', finding: statusMismatch(movement) });
}

/**
 * One hash at an address, as the custody API's list of that address tells it, against the chain
 * view and the books. Only what neither of them knows is asked for at the transactions API.
 */
export function compareAddressMovement(
  movement: AddressMovement,
  dossier: Dossier,
  context: AddressContext,
): AddressVerdict {
  const sighting = chainSighting(dossier, movement.vaultId);
  switch (movement.status) {
    case 'confirmed':
      return compareConfirmed(movement, dossier, context);
    case 'rolledback':
      return compareGone(movement, dossier, context);
    case 'mempool': {
      const stands = sighting !== undefined && sighting.entryId !== null;
      return quiet(stands ? { kind: 'skipped', cause: 'custody_behind' } : MATCHED);
    }
    default:
      return quiet({ kind: 'skipped', cause: 'unknown_status' });
  }
}

function subjectOf({ vaultId, network, blockchainHash }: AddressMovement) {
  return { vaultId, network, blockchainHash };
}

function amountMismatch(movement: AddressMovement, { asset, expected, actual }: Difference) {
  return finding('amount_mismatch', {
    key: addressBreakKey('amount_mismatch', movement, asset),
    subject: { ...subjectOf(movement), asset },
    expected,
    actual,
    detail: `at address ${movement.addressId} the custody API says ${expected} ${asset}, the notifications say ${actual}`,
  });
}

function statusMismatch(movement: AddressMovement): Finding {
  return finding('status_mismatch', {
    key: addressBreakKey('status_mismatch', movement),
    subject: subjectOf(movement),
    detail: `the custody API says that ${movement.blockchainHash} was rolled back at address ${movement.addressId}, and no rollback arrived`,
  });
}

/** What the chain view of the hash is with this address's changes as the API tells them. */
export function changesWith(
  movement: AddressMovement,
  standing: Sighting | undefined,
): readonly BalanceChange[] {
  const others = (standing?.posted ?? []).filter((one) => one.addressId !== movement.addressId);
  return [...others, ...(movement.changes ?? [])];
}

/** The differences that the chain view will have with the books, which know nothing of the hash. */
export function unexplainedIn(
  movement: AddressMovement,
  standing: Sighting | undefined,
  at: number,
): Finding[] {
  const { vaultId, network, blockchainHash } = movement;
  const sums = new Map<AssetId, Amount>();
  for (const { asset, amount } of changesWith(movement, standing)) {
    sums.set(asset, plus(sums.get(asset) ?? ZERO, amount));
  }
  return [...sums].flatMap(([asset, amount]) => {
    const none = newMovement({ vaultId, network, blockchainHash, asset }, at);
    const outcome = compareMovement(moved(none, { view: 'chain', amount, at }), { at, graceMs: 0 });
    return outcome.kind === 'break' ? [outcome.finding] : [];
  });
}

/** Whether an open difference at an address is gone, because the notification has come after all. */
export function isAddressBreakOver(found: Finding, dossier: Dossier): boolean {
  const [type, mark, vaultId, network, hash, addressId] = JSON.parse(found.key) as unknown[];
  const { subject, expected } = found;
  if (mark !== 'address' || typeof addressId !== 'string' || subject.vaultId === null) return false;
  if (vaultId !== subject.vaultId || network !== subject.network) return false;
  if (hash !== subject.blockchainHash) return false;
  const sighting = chainSighting(dossier, subject.vaultId);
  const stands = sighting !== undefined && sighting.entryId !== null;
  if (type === 'status_mismatch') return !stands;
  if (type !== 'amount_mismatch' || subject.asset === null || !stands) return false;
  const ours = sumsAt(sighting.posted, AddressId(addressId)).get(subject.asset);
  return (ours ?? ZERO) === expected;
}
