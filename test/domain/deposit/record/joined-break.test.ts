import { describe, expect, test } from 'vitest';
import type {
  AddressEvidence,
  AddressMovement,
} from '../../../../src/domain/chain/address-evidence.ts';
import { Amount } from '../../../../src/domain/money/amount.ts';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import { handleAddressRecord } from '../../../../src/domain/chain/address-handler.ts';
import { handleDepositRecord } from '../../../../src/domain/deposit/record/verification.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import {
  EMPTY_HASH_STATE,
  type ChangeSet,
  type HashState,
} from '../../../../src/domain/hash/hash-state.ts';
import { AddressId, AssetId, DepositId, VaultId } from '../../../../src/domain/ids.ts';
import { balanceChange, received } from '../../../store/evidence.ts';
import { runs } from '../../hash/event-runs.ts';
import { chainView, ruleContext, DUE } from '../../records.ts';

const WRONG: Deposit = { ...DUE, amount: Amount(9000n), verifiedAt: null };
const ADDRESS_BREAK = '["amount_mismatch","address","v1","ethereum","0xa1","adr-1","ethereum:ETH"]';
const STATUS_BREAK = '["status_mismatch","address","v1","ethereum","0xa1","adr-1",null]';
const DEPOSIT_BREAK = '["amount_mismatch","dep_1"]';

/** Both streams reported these amounts; null: no chain view is active. */
function hashState(deposits: readonly Deposit[], onChain: bigint | null = 9000n): HashState {
  const changes =
    onChain === null
      ? {}
      : { entryId: 4, seen: runs('transaction::'), posted: [balanceChange(onChain)] };
  return { ...EMPTY_HASH_STATE, deposits, sightings: [chainView(changes)] };
}

const LISTED: AddressMovement = {
  vaultId: DUE.vaultId,
  addressId: AddressId('adr-1'),
  network: DUE.network,
  blockchainHash: DUE.blockchainHash,
  status: 'confirmed',
  changes: [balanceChange(100n)],
  minedAt: 0,
};

function atAddress(ours: HashState, more: Partial<AddressEvidence> = {}): string[] {
  const evidence = { movement: LISTED, platform: 'unasked', noticedAt: 0, graceMs: 10 } as const;
  const { found, healed } = handleAddressRecord(
    ours,
    { ...evidence, joins: true, ...more },
    ruleContext(),
  );
  return [
    ...found.map(({ key, expected, actual }) => `${key} ${String(expected)} ${String(actual)}`),
    ...healed.map(({ key }) => `healed ${key}`),
  ];
}

describe('a difference at an address', () => {
  test.for<[why: string, ours: HashState, is: string[]]>([
    [
      'is the deposit’s that differs by the same figures',
      hashState([WRONG]),
      [`${DEPOSIT_BREAK} 100 9000`, `healed ${ADDRESS_BREAK}`],
    ],
    [
      'is its own beside a deposit of another amount',
      hashState([DUE]),
      [`${ADDRESS_BREAK} 100 9000`],
    ],
    [
      'is its own beside a deposit of another asset',
      hashState([{ ...WRONG, asset: AssetId('ethereum:USDC') }]),
      [`${ADDRESS_BREAK} 100 9000`],
    ],
    [
      'is its own beside a deposit at another address',
      hashState([{ ...WRONG, addressId: AddressId('adr-2') }]),
      [`${ADDRESS_BREAK} 100 9000`],
    ],
    [
      'is its own beside a deposit of another vault',
      hashState([{ ...WRONG, vaultId: VaultId('v2') }]),
      [`${ADDRESS_BREAK} 100 9000`],
    ],
    [
      'is its own beside one that left the chain',
      hashState([{ ...WRONG, evidence: 'none' }]),
      [`${ADDRESS_BREAK} 100 9000`],
    ],
    [
      'is its own where two deposits are there',
      hashState([WRONG, { ...WRONG, depositId: DepositId('dep_2') }]),
      [`${ADDRESS_BREAK} 100 9000`],
    ],
  ])('%s', ([, ours, is]) => {
    expect(atAddress(ours)).toEqual(is);
  });

  test('of a rollback that never came is its own', () => {
    const gone = { ...LISTED, status: 'rolledback', changes: null };
    expect(atAddress(hashState([WRONG]), { movement: gone })).toEqual([
      `${STATUS_BREAK} null null`,
    ]);
  });

  test('is its own in a fact of an older version', () => {
    const evidence = { movement: LISTED, platform: 'unasked', noticedAt: 0, graceMs: 10 } as const;
    const { found } = handleAddressRecord(hashState([WRONG]), evidence, ruleContext());
    expect(found.map(({ key }) => key)).toEqual([ADDRESS_BREAK]);
  });
});

describe('with a record of the deposit ends what was found at its address', () => {
  function healedAtAddress(
    deposit: Deposit,
    record: Partial<CustodyTransaction> | null,
    more: { onChain?: bigint | null; since?: number } = {},
  ): ChangeSet['healed'] {
    const { onChain, since } = more;
    const { healed } = handleDepositRecord(deposit, record === null ? null : received(record), {
      graceMs: 10,
      now: ruleContext({ source: 'api' }),
      correcting: { hashState: hashState([deposit], onChain), openSince: () => since },
    });
    return healed.filter(({ key }) => key.includes('"address"'));
  }
  const ended = (...given: Parameters<typeof healedAtAddress>): string[] =>
    healedAtAddress(...given).map(({ key }) => key);

  test('when the chain view agrees with it too', () => {
    expect(ended(DUE, {}, { onChain: 100n })).toEqual([ADDRESS_BREAK, STATUS_BREAK]);
  });

  test('when both left the chain', () => {
    const gone = { ...DUE, evidence: 'none' } as const;
    const ends = ended(gone, { status: 'rolledback' }, { onChain: null });
    expect(ends).toEqual([ADDRESS_BREAK, STATUS_BREAK]);
  });

  test('when it corrects the deposit, and the chain view was right', () => {
    expect(ended(WRONG, {}, { onChain: 100n, since: 0 })).toEqual([ADDRESS_BREAK, STATUS_BREAK]);
  });

  test('when the deposit differs by the same figures: its own break says so', () => {
    expect(ended(WRONG, {})).toEqual([ADDRESS_BREAK]);
  });

  test('not when the chain view still differs', () => {
    expect(ended(DUE, {}, { onChain: 9000n })).toEqual([]);
    expect(ended(WRONG, {}, { onChain: 8000n })).toEqual([]);
    expect(ended({ ...DUE, evidence: 'none' }, { status: 'rolledback' })).toEqual([]);
  });

  test('not when the API does not know it, or not yet', () => {
    expect(ended(WRONG, null)).toEqual([]);
    expect(ended(DUE, { changes: null }, { onChain: 100n })).toEqual([]);
    expect(ended(DUE, { status: 'frozen' }, { onChain: 100n })).toEqual([]);
  });

  test('not when the API shows another asset, though the chain view has its figures', () => {
    const usdc = balanceChange(7n, { asset: AssetId('ethereum:USDC') });
    expect(ended(WRONG, { changes: [usdc] })).toEqual([]);
  });

  test('not when the deposit has no address', () => {
    const gone = { ...DUE, addressId: null, evidence: 'none' } as const;
    const record = { addressId: null, status: 'rolledback' };
    expect(ended(gone, record, { onChain: null })).toEqual([]);
  });

  test('and says why', () => {
    const why = (...given: Parameters<typeof healedAtAddress>): string[] =>
      healedAtAddress(...given).map(({ reason }) => reason);
    expect(why(WRONG, {})).toEqual(['the deposit’s own break says so']);
    expect(why(DUE, {}, { onChain: 100n })).toEqual([
      'the custody API agrees now',
      'the custody API agrees now',
    ]);
  });
});
