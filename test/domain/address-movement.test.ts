import { expect, test } from 'vitest';
import type { AddressMovement } from '../../src/domain/address-evidence.ts';
import { compareAddressMovement } from '../../src/domain/address-movement.ts';
import { Amount } from '../../src/domain/amount.ts';
import { EMPTY_DOSSIER, type Dossier } from '../../src/domain/dossier.ts';
import { AddressId, AssetId, BlockchainHash, NetworkKey, VaultId } from '../../src/domain/ids.ts';
import type { BalanceChange } from '../../src/domain/notification.ts';
import { newSighting, type Sighting } from '../../src/domain/sighting.ts';

const NOW = 10_000_000;
const GRACE_MS = 600_000;
const vaultId = VaultId('v1');
const addressId = AddressId('a1');
const network = NetworkKey('ethereum');
const blockchainHash = BlockchainHash('0x1');

function moves(amount: bigint, kind: BalanceChange['kind'] = 'transfer'): BalanceChange {
  const asset = AssetId('ethereum:ETH');
  const where = { accountId: null, addressId, memo: null, decimals: null };
  return { asset, amount: Amount(amount), kind, ...where };
}

const OLD: AddressMovement = {
  vaultId,
  addressId,
  network,
  blockchainHash,
  status: 'confirmed',
  changes: [moves(-100n), moves(-7n, 'fee')],
  minedAt: NOW - GRACE_MS,
};

function sighted(stream: 'blockchain' | 'incoming', more: Partial<Sighting>): Dossier {
  const key = { network, blockchainHash, vaultId, stream, accountId: null, memo: null };
  return {
    ...EMPTY_DOSSIER,
    sightings: [{ ...newSighting({ ...key, addressId: null }), ...more }],
  };
}

const told = { entryId: 1, seen: ['transaction::'] };
const takenIn = { entryId: 1, seen: ['api/transaction::'] };
const elsewhere = { ...moves(-900n), addressId: AddressId('a2') };

test.for<{
  name: string;
  movement?: Partial<AddressMovement>;
  ours?: Dossier;
  platform?: 'unknown';
  noticedAt?: number;
  ends: string;
}>([
  {
    name: 'told alike',
    ours: sighted('blockchain', { ...told, posted: [moves(-107n)] }),
    ends: 'matched, none',
  },
  {
    name: 'told alike, with another address of the vault beside it',
    ours: sighted('blockchain', { ...told, posted: [moves(-107n), elsewhere] }),
    ends: 'matched, none',
  },
  {
    name: 'told with another amount',
    ours: sighted('blockchain', { ...told, posted: [moves(-106n)] }),
    ends: 'amount_mismatch -107 -106, none',
  },
  {
    name: 'told of another address alone',
    ours: sighted('blockchain', { ...told, posted: [elsewhere] }),
    ends: 'amount_mismatch -107 0, none',
  },
  {
    name: 'told with another amount, a moment ago',
    movement: { minedAt: NOW - GRACE_MS + 1 },
    ours: sighted('blockchain', { ...told, posted: [moves(-106n)] }),
    ends: 'in_grace, none',
  },
  { name: 'untold', ends: 'in_grace, ask' },
  { name: 'untold, a moment ago', movement: { minedAt: NOW - 1 }, ends: 'in_grace, none' },
  {
    name: 'untold, at a time that cannot be read',
    movement: { minedAt: null },
    ends: 'in_grace, none',
  },
  {
    name: 'untold, at a time that cannot be read, long noticed',
    movement: { minedAt: null },
    noticedAt: NOW - GRACE_MS,
    ends: 'in_grace, ask',
  },
  {
    name: 'untold, and no platform transaction',
    platform: 'unknown',
    ends: 'unexplained_movement -107 0, post',
  },
  {
    name: 'untold, no platform transaction, and it moves nothing',
    movement: { changes: [moves(5n), moves(-5n)] },
    platform: 'unknown',
    ends: 'matched, none',
  },
  {
    name: 'untold, and the books know the hash',
    ours: sighted('incoming', { entryId: 2 }),
    ends: 'matched, post',
  },
  {
    name: 'taken in of another address, from its own list',
    ours: sighted('blockchain', { ...takenIn, posted: [elsewhere] }),
    platform: 'unknown',
    ends: 'unexplained_movement -1007 0, post',
  },
  {
    name: 'told to be rolled back, and confirmed at the API',
    ours: sighted('blockchain', { epoch: 1 }),
    ends: 'in_grace, none',
  },
  {
    name: 'told to be rolled back, and long confirmed at the API',
    ours: sighted('blockchain', { epoch: 1 }),
    noticedAt: NOW - GRACE_MS,
    ends: 'in_grace, ask',
  },
  { name: 'changes omitted', movement: { changes: null }, ends: 'balance_changes_pending, none' },
  { name: 'in the mempool', movement: { status: 'mempool' }, ends: 'matched, none' },
  {
    name: 'in the mempool, and told to be mined',
    movement: { status: 'mempool' },
    ours: sighted('blockchain', { ...told, posted: [moves(-107n)] }),
    ends: 'custody_behind, none',
  },
  {
    name: 'rolled back, and never told',
    movement: { status: 'rolledback' },
    ends: 'matched, none',
  },
  {
    name: 'rolled back, just noticed',
    movement: { status: 'rolledback' },
    ours: sighted('blockchain', { ...told, posted: [moves(-107n)] }),
    ends: 'in_grace, none',
  },
  {
    name: 'rolled back, and no rollback came',
    movement: { status: 'rolledback' },
    ours: sighted('blockchain', { ...told, posted: [moves(-107n)] }),
    noticedAt: NOW - GRACE_MS,
    ends: 'status_mismatch null null, none',
  },
  {
    name: 'rolled back after it was taken in from the API',
    movement: { status: 'rolledback' },
    ours: sighted('blockchain', { ...takenIn, posted: [moves(-107n)] }),
    noticedAt: NOW - GRACE_MS,
    ends: 'matched, take_back',
  },
  { name: 'a status nobody knows', movement: { status: 'odd' }, ends: 'unknown_status, none' },
])('$name: $ends', ({ movement = {}, ours = EMPTY_DOSSIER, platform, noticedAt = NOW, ends }) => {
  const verdict = compareAddressMovement({ ...OLD, ...movement }, ours, {
    platform: platform ?? 'unasked',
    noticedAt,
    grace: { at: NOW, graceMs: GRACE_MS },
  });
  const { outcome, consequence } = verdict;
  const said =
    outcome.kind === 'break'
      ? `${outcome.finding.type} ${outcome.finding.expected} ${outcome.finding.actual}`
      : outcome.kind === 'skipped'
        ? outcome.cause
        : outcome.kind;
  expect(`${said}, ${consequence}`).toBe(ends);
});
