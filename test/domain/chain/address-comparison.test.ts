import { expect, test } from 'vitest';
import type { AddressMovement } from '../../../src/domain/chain/address-evidence.ts';
import { compareAddressMovement } from '../../../src/domain/chain/address-comparison.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { EMPTY_HASH_STATE, type HashState } from '../../../src/domain/hash/hash-state.ts';
import type { Withdrawal } from '../../../src/domain/withdrawal/withdrawal.ts';
import {
  NOW,
  GRACE_MS,
  moves,
  OLD,
  sighted,
  reported,
  takenIn,
  elsewhere,
  other,
} from './address-list.ts';
import { runs } from '../hash/event-runs.ts';
import { withdrawal } from '../records.ts';

function ordered(more: Partial<Withdrawal>): HashState {
  return { ...EMPTY_HASH_STATE, withdrawals: [{ ...withdrawal('mined'), ...more }] };
}

test.for<{
  name: string;
  movement?: Partial<AddressMovement>;
  ours?: HashState;
  platform?: 'unknown';
  noticedAt?: number;
  ends: string;
}>([
  {
    name: 'told alike',
    ours: sighted('blockchain', { ...reported, posted: [moves(-107n)] }),
    ends: 'matched, none',
  },
  {
    name: 'told alike, with another address of the vault beside it',
    ours: sighted('blockchain', { ...reported, posted: [moves(-107n), elsewhere] }),
    ends: 'matched, none',
  },
  {
    name: 'told with another amount',
    ours: sighted('blockchain', { ...reported, posted: [moves(-106n)] }),
    ends: 'amount_mismatch -107 -106, none',
  },
  {
    name: 'told of another address alone',
    ours: sighted('blockchain', { ...reported, posted: [elsewhere] }),
    ends: 'amount_mismatch -107 0, none',
  },
  {
    name: 'told with another amount, a moment ago',
    movement: { minedAt: NOW - GRACE_MS + 1 },
    ours: sighted('blockchain', { ...reported, posted: [moves(-106n)] }),
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
    name: 'untold, and the books of another vault know the hash',
    ours: sighted('incoming', { entryId: 2, vaultId: other }),
    ends: 'in_grace, ask',
  },
  {
    name: 'untold, and the books took the hash back',
    ours: sighted('incoming', { entryId: null }),
    ends: 'in_grace, ask',
  },
  {
    name: 'untold, and the chain view of another vault knows the hash',
    ours: sighted('blockchain', { ...reported, vaultId: other, posted: [moves(-107n)] }),
    ends: 'in_grace, ask',
  },
  {
    name: 'untold, and a withdrawal of the vault is booked under it',
    ours: ordered({ entryId: 3 }),
    ends: 'matched, post',
  },
  {
    name: 'untold, and a withdrawal of the vault failed under it',
    ours: ordered({ status: 'failed' }),
    ends: 'matched, post',
  },
  {
    name: 'untold, and a withdrawal that is not booked has it',
    ours: ordered({ status: 'submitted' }),
    ends: 'in_grace, ask',
  },
  {
    name: 'untold, and a withdrawal has it of which the API knows nothing',
    ours: ordered({ entryId: 3, custody: 'unknown' }),
    ends: 'in_grace, ask',
  },
  {
    name: 'untold, and a withdrawal of another vault is booked under it',
    ours: ordered({ entryId: 3, vaultId: other }),
    ends: 'in_grace, ask',
  },
  {
    name: 'untold, no platform transaction, and the vault nets to nothing with another address',
    ours: sighted('blockchain', { ...takenIn, posted: [{ ...elsewhere, amount: Amount(107n) }] }),
    platform: 'unknown',
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
    name: 'of another kind of event alone, and never posted',
    ours: sighted('blockchain', { epoch: 0, seen: runs('mempool::') }),
    ends: 'in_grace, ask',
  },
  {
    name: 'mined again after a rollback, with another amount',
    ours: sighted('blockchain', { ...reported, epoch: 1, posted: [moves(-106n)] }),
    ends: 'amount_mismatch -107 -106, none',
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
    ours: sighted('blockchain', { ...reported, posted: [moves(-107n)] }),
    ends: 'custody_behind, none',
  },
  {
    name: 'rolled back, and never told',
    movement: { status: 'rolledback' },
    ends: 'matched, none',
  },
  {
    name: 'rolled back, and told so',
    movement: { status: 'rolledback' },
    ours: sighted('blockchain', { epoch: 1 }),
    noticedAt: 0,
    ends: 'matched, none',
  },
  {
    name: 'in the mempool again, and told to be rolled back',
    movement: { status: 'mempool' },
    ours: sighted('blockchain', { epoch: 1 }),
    ends: 'matched, none',
  },
  {
    name: 'rolled back, just noticed',
    movement: { status: 'rolledback' },
    ours: sighted('blockchain', { ...reported, posted: [moves(-107n)] }),
    ends: 'in_grace, none',
  },
  {
    name: 'rolled back, and no rollback came',
    movement: { status: 'rolledback' },
    ours: sighted('blockchain', { ...reported, posted: [moves(-107n)] }),
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
])(
  '$name: $ends',
  ({ movement = {}, ours = EMPTY_HASH_STATE, platform, noticedAt = NOW, ends }) => {
    const evaluation = compareAddressMovement({ ...OLD, ...movement }, ours, {
      platform: platform ?? 'unasked',
      noticedAt,
      grace: { at: NOW, graceMs: GRACE_MS },
    });
    const { outcome, consequence } = evaluation;
    const said =
      outcome.kind === 'break'
        ? `${outcome.finding.type} ${outcome.finding.expected} ${outcome.finding.actual}`
        : outcome.kind === 'skipped'
          ? outcome.cause
          : outcome.kind;
    expect(`${said}, ${consequence}`).toBe(ends);
  },
);
