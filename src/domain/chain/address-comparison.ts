import type { AddressMovement, Platform } from './address-evidence.ts';
import { plus, ZERO, type Amount } from '../money/amount.ts';
import { breakKey, finding, type Finding } from '../break/break.ts';
import {
  compareMovement,
  inGrace,
  type Grace,
  type Outcome,
} from '../deposit/record/comparison.ts';
import type { HashState } from '../hash/hash-state.ts';
import { AddressId, type AssetId, type VaultId } from '../ids.ts';
import { moved, newMovement } from '../money/movement.ts';
import type { BalanceChange } from '../fact/notification.ts';
import { isFromApiAlone, type Sighting } from '../hash/sighting.ts';

/** What a comparison reads besides the movement and the hash state. */
export interface AddressContext {
  readonly platform: Platform;
  /** When the difference was first seen, Unix milliseconds; a contradiction has no other date. */
  readonly noticedAt: number;
  readonly grace: Grace;
}

/**
 * How an address's movement compares with the chain view, and what follows.
 *
 * | consequence | is |
 * |---|---|
 * | `post` | no notification reported it: the chain view takes it from here |
 * | `take_back` | what was posted this way was rolled back |
 * | `ask` | our records do not explain it: the transactions API must be asked |
 * | `none` | nothing |
 */
export interface AddressVerdict {
  readonly outcome: Outcome;
  readonly consequence: 'none' | 'post' | 'take_back' | 'ask';
}

/** The chain view's sighting of a hash in a vault. */
export function chainSighting(hashState: HashState, vaultId: VaultId): Sighting | undefined {
  return hashState.sightings.find((one) => one.stream === 'blockchain' && one.vaultId === vaultId);
}

/** The sum per asset at an address, in smallest units. */
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

/**
 * The first asset whose sums differ at an address: by sum, never by entry (spec, conservation rule
 * 6).
 */
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

/**
 * Whether the books know the hash in the vault. A failed transaction's fee follows the chain view.
 */
function isBooked(hashState: HashState, vaultId: VaultId): boolean {
  return (
    hashState.withdrawals.some(
      (one) =>
        one.vaultId === vaultId &&
        one.custody !== 'unknown' &&
        (one.entryId !== null || one.status === 'failed'),
    ) ||
    hashState.sightings.some(
      (one) => one.vaultId === vaultId && one.stream === 'incoming' && one.entryId !== null,
    )
  );
}

/** The key of an address difference: one is open per type, hash, address and asset. */
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
  hashState: HashState,
  context: AddressContext,
): AddressVerdict {
  const { changes, vaultId, addressId } = movement;
  if (changes === null) return quiet({ kind: 'skipped', cause: 'balance_changes_pending' });
  const sighting = chainSighting(hashState, vaultId);
  const active = sighting?.entryId === null ? undefined : sighting;
  const differing = differenceAt(addressId, { theirs: changes, ours: active?.posted ?? [] });
  if (differing === undefined) return quiet(MATCHED);
  const wasRolledBack = sighting !== undefined && active === undefined && sighting.epoch > 0;
  const since = wasRolledBack ? context.noticedAt : (movement.minedAt ?? context.noticedAt);
  if (inGrace(since, context.grace)) return quiet({ kind: 'skipped', cause: 'in_grace' });
  if (active !== undefined && !isFromApiAlone(active)) {
    return quiet({ kind: 'break', finding: amountMismatch(movement, differing) });
  }
  if (isBooked(hashState, vaultId)) return { outcome: MATCHED, consequence: 'post' };
  if (context.platform === 'unasked') {
    return { outcome: { kind: 'skipped', cause: 'in_grace' }, consequence: 'ask' };
  }
  const [found] = unexplainedIn(movement, active, context.grace.at);
  // Assets may net to zero over the vault: then nothing needs an explanation.
  const outcome: Outcome = found === undefined ? MATCHED : { kind: 'break', finding: found };
  return { outcome, consequence: 'post' };
}

function compareGone(
  movement: AddressMovement,
  hashState: HashState,
  context: AddressContext,
): AddressVerdict {
  const sighting = chainSighting(hashState, movement.vaultId);
  if (sighting === undefined || sighting.entryId === null) return quiet(MATCHED);
  // The rollback notification may still arrive.
  if (inGrace(context.noticedAt, context.grace)) {
    return quiet({ kind: 'skipped', cause: 'in_grace' });
  }
  if (isFromApiAlone(sighting)) return { outcome: MATCHED, consequence: 'take_back' };
  return quiet({ kind: 'break', finding: statusMismatch(movement) });
}

/**
 * Compares one hash at an address, from the custody API's list of that address, with the chain view
 * and the books. Only a movement that neither explains is asked for at the transactions API.
 * Compares by sum, not by entry (the specification, section "Conservation rules", 6). `skipped` for
 * an unknown status, and where the needed balance changes are missing.
 */
export function compareAddressMovement(
  movement: AddressMovement,
  hashState: HashState,
  context: AddressContext,
): AddressVerdict {
  const sighting = chainSighting(hashState, movement.vaultId);
  switch (movement.status) {
    case 'confirmed':
      return compareConfirmed(movement, hashState, context);
    case 'rolledback':
      return compareGone(movement, hashState, context);
    case 'mempool': {
      const isPosted = sighting !== undefined && sighting.entryId !== null;
      return quiet(isPosted ? { kind: 'skipped', cause: 'custody_behind' } : MATCHED);
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

/** The hash's chain-view changes with this address's changes from the API. */
export function changesWith(
  movement: AddressMovement,
  active: Sighting | undefined,
): readonly BalanceChange[] {
  const others = (active?.posted ?? []).filter((one) => one.addressId !== movement.addressId);
  return [...others, ...(movement.changes ?? [])];
}

/**
 * The breaks between the new chain view and the books, which do not know the hash. `at`: Unix
 * milliseconds.
 */
export function unexplainedIn(
  movement: AddressMovement,
  active: Sighting | undefined,
  at: number,
): Finding[] {
  const { vaultId, network, blockchainHash } = movement;
  const sums = new Map<AssetId, Amount>();
  for (const { asset, amount } of changesWith(movement, active)) {
    sums.set(asset, plus(sums.get(asset) ?? ZERO, amount));
  }
  return [...sums].flatMap(([asset, amount]) => {
    const none = newMovement({ vaultId, network, blockchainHash, asset }, at);
    const outcome = compareMovement(moved(none, { view: 'chain', amount, at }), { at, graceMs: 0 });
    return outcome.kind === 'break' ? [outcome.finding] : [];
  });
}

/** Whether an address break ended because the notification has arrived. */
export function isAddressBreakOver(found: Finding, hashState: HashState): boolean {
  const [type, mark, vaultId, network, hash, addressId] = JSON.parse(found.key) as unknown[];
  const { subject, expected } = found;
  if (mark !== 'address' || typeof addressId !== 'string' || subject.vaultId === null) return false;
  if (vaultId !== subject.vaultId || network !== subject.network) return false;
  if (hash !== subject.blockchainHash) return false;
  const sighting = chainSighting(hashState, subject.vaultId);
  const isPosted = sighting !== undefined && sighting.entryId !== null;
  if (type === 'status_mismatch') return !isPosted;
  if (type !== 'amount_mismatch' || subject.asset === null || !isPosted) return false;
  const ours = sumsAt(sighting.posted, AddressId(addressId)).get(subject.asset);
  return (ours ?? ZERO) === expected;
}
