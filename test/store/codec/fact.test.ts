import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { CustodyReading } from '../../../src/domain/close/record.ts';
import type { CreditingPolicy, PolicyRule } from '../../../src/domain/policy/policy.ts';
import type { CustodyRecord, CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import { EXEMPTIBLE_TYPES, type ExemptionRule } from '../../../src/domain/break/exemption.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { HaltScope } from '../../../src/domain/policy/halt.ts';
import {
  AccountId,
  AddressId,
  AssetId,
  BlockchainHash,
  BreakId,
  CreditId,
  DepositId,
  Memo,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../src/domain/fact/notification.ts';
import { decode } from '../../../src/intake/decode.ts';
import { packDeposit, unpackDeposit } from '../../../src/store/codec/deposit.ts';
import {
  decodeFact,
  encodeFact,
  jsonBytes,
  packPolicy,
  unpackPolicy,
} from '../../../src/store/codec/fact.ts';
import { verifyWith } from '../evidence.ts';
import { factOf, openLedger, START } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

/** Any text, with quotes, controls, astral characters and NULs in it. */
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const at = fc.nat();
const amount = fc
  .bigInt({ min: -(10n ** 78n) + 1n, max: 10n ** 78n - 1n })
  .map((value) => Amount(value));

function nullable<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.option(arbitrary, { nil: null });
}

const change: fc.Arbitrary<BalanceChange> = fc.record({
  asset: text.map((value) => AssetId(value)),
  amount,
  kind: fc.constantFrom('transfer', 'change', 'fee', 'rebate', 'mint'),
  accountId: nullable(text.map((value) => AccountId(value))),
  addressId: nullable(text.map((value) => AddressId(value))),
  memo: nullable(text.map((value) => Memo(value))),
  decimals: nullable(fc.nat(255)),
});

/** As older facts hold it: without an on-chain address. */
const olderTransaction: fc.Arbitrary<CustodyTransaction> = fc.record({
  transactionId: text.map((value) => TransactionId(value)),
  vaultId: text.map((value) => VaultId(value)),
  type: fc.constantFrom('incoming', 'outgoing'),
  status: text,
  orderId: nullable(text),
  network: text.map((value) => NetworkKey(value)),
  blockchainHash: nullable(text.map((value) => BlockchainHash(value))),
  accountId: nullable(text.map((value) => AccountId(value))),
  addressId: nullable(text.map((value) => AddressId(value))),
  destinationAddress: nullable(text),
  memo: nullable(text.map((value) => Memo(value))),
  confirmations: nullable(fc.nat()),
  changes: nullable(fc.array(change, { maxLength: 4 })),
  reasonCode: nullable(text),
  updatedAt: at,
});
const transaction: fc.Arbitrary<CustodyTransaction> = fc.oneof(
  olderTransaction,
  fc.tuple(olderTransaction, text).map(([one, networkAddress]) => ({ ...one, networkAddress })),
);

const depositId = text.map((value) => DepositId(value));
const counts = fc.dictionary(text, fc.nat());
const runCounts = fc.record({
  matched: fc.nat(),
  broken: fc.nat(),
  exempt: counts,
  skipped: counts,
});

const reading: fc.Arbitrary<CustodyReading> = fc.oneof(
  fc.record({ kind: fc.constant('not_read' as const), reason: text }),
  fc.record({
    kind: fc.constant('read' as const),
    readAt: at,
    requests: fc.nat(),
    watermark: nullable(at),
    transactions: fc.nat(),
    unreadable: fc.nat(),
    counted: fc.array(
      fc.record({
        transactionId: text.map((value) => TransactionId(value)),
        vaultId: text.map((value) => VaultId(value)),
        network: text.map((value) => NetworkKey(value)),
        blockchainHash: text.map((value) => BlockchainHash(value)),
        amounts: fc.array(fc.record({ asset: text.map((value) => AssetId(value)), amount })),
        updatedAt: at,
      }),
      { maxLength: 3 },
    ),
    pending: fc.array(
      text.map((value) => BlockchainHash(value)),
      { maxLength: 2 },
    ),
  }),
);

const record: fc.Arbitrary<CustodyRecord> = fc.oneof(
  fc.record({
    kind: fc.constant('close' as const),
    day: text,
    timezone: text,
    cutOffAt: at,
    graceMs: fc.nat(),
    throughSeq: fc.nat(),
    seal: fc.record({ commitNumber: fc.nat(), hash: text }),
    custody: reading,
  }),
  fc.record({
    kind: fc.constant('deposit' as const),
    depositId,
    transaction: nullable(transaction),
    graceMs: fc.nat(),
  }),
  fc.record({ kind: fc.constant('backfill' as const), transaction }),
  fc.record({ kind: fc.constantFrom('outgoing', 'unseen'), transaction, graceMs: fc.nat() }),
  fc.record({
    kind: fc.constant('address' as const),
    movement: fc.record({
      vaultId: text.map((value) => VaultId(value)),
      addressId: text.map((value) => AddressId(value)),
      network: text.map((value) => NetworkKey(value)),
      blockchainHash: text.map((value) => BlockchainHash(value)),
      status: text,
      changes: nullable(fc.array(change, { maxLength: 4 })),
      minedAt: nullable(at),
    }),
    platform: fc.constantFrom('unasked', 'unknown'),
    noticedAt: at,
    graceMs: fc.nat(),
  }),
  fc.record({
    kind: fc.constant('run' as const),
    startedAt: at,
    graceMs: fc.nat(),
    custody: runCounts,
    requests: fc.nat(),
    watermark: nullable(at),
    incomplete: nullable(text),
    addresses: fc.record({
      checked: fc.nat(),
      outcomes: runCounts,
      cursor: nullable(fc.record({ vaultId: text, offset: fc.nat(), after: nullable(text) })),
    }),
    repairs: fc.record({ replayed: fc.nat(), pulledForward: fc.nat(), backfilled: fc.nat() }),
  }),
);

const rule: fc.Arbitrary<Partial<PolicyRule>> = fc.record(
  {
    confirmations: fc.nat(),
    minimumAmount: amount,
    oneApprovalAbove: nullable(amount),
    twoApprovalsAbove: nullable(amount),
    requireMemo: fc.boolean(),
    halted: fc.boolean(),
    creditInternal: fc.boolean(),
  },
  { requiredKeys: [] },
);

const policy: fc.Arbitrary<CreditingPolicy> = fc.record(
  {
    vaults: fc.array(text, { minLength: 1 }),
    default: fc.tuple(rule, fc.nat()).map(([some, confirmations]) => ({ ...some, confirmations })),
    networks: fc.dictionary(text, rule),
    assets: fc.dictionary(text, rule),
  },
  { requiredKeys: ['default', 'networks', 'assets'] },
);

const reason = text;
const exemption: fc.Arbitrary<ExemptionRule> = fc.record(
  {
    rule: text,
    asset: text,
    breakType: fc.constantFrom(...EXEMPTIBLE_TYPES),
    direction: fc.constantFrom('<=' as const, '>=' as const),
    amount,
    until: fc.nat(),
    reason,
    owner: text,
  },
  { requiredKeys: ['rule', 'until', 'reason', 'owner'] },
);
const haltScope: fc.Arbitrary<HaltScope> = fc.oneof(
  fc.constant({ kind: 'everything' as const }),
  fc.record({ kind: fc.constant('network' as const), network: text.map((key) => NetworkKey(key)) }),
  fc.record({ kind: fc.constant('asset' as const), asset: text.map((id) => AssetId(id)) }),
);
const decision: fc.Arbitrary<Decision> = fc.oneof(
  fc.record({
    kind: fc.constant('policy' as const),
    source: fc.constant('config' as const),
    policy,
    configured: policy,
    reason,
  }),
  fc.record({
    kind: fc.constant('policy' as const),
    source: fc.constant('api' as const),
    policy,
    replaces: fc.nat(),
    reason,
  }),
  fc.record({ kind: fc.constantFrom('halt', 'resume'), scope: haltScope, reason, basis: text }),
  fc.record({ kind: fc.constant('judge' as const), depositIds: fc.array(depositId) }),
  fc.record({ kind: fc.constant('exemptions' as const), rules: fc.array(exemption) }),
  fc.record({ kind: fc.constant('exempt' as const), rule: exemption }),
  fc.record({ kind: fc.constant('end-exemption' as const), rule: text, reason }),
  fc.record({ kind: fc.constantFrom('approve', 'hold', 'release'), depositId, reason }),
  fc.record({ kind: fc.constant('run-now' as const), reason }),
  fc.record({ kind: fc.constant('end-session' as const), sessionId: text, name: text, reason }),
  fc.record({ kind: fc.constant('close-now' as const), day: text, reason }),
  fc.record({
    kind: fc.constant('attribute' as const),
    depositId,
    attributedTo: text,
    endsApprovals: fc.boolean(),
    reason,
  }),
  fc.record({
    kind: fc.constant('acknowledge' as const),
    creditId: text.map((value) => CreditId(value)),
    reference: text,
  }),
  fc.record({
    kind: fc.constantFrom('investigate', 'resolve'),
    breakId: text.map((value) => BreakId(value)),
    reason,
  }),
  fc.record({
    kind: fc.constant('sign' as const),
    day: text,
    role: fc.constantFrom('preparer', 'reviewer'),
    reportHash: text,
    reason,
  }),
  fc.record({ kind: fc.constant('retry' as const), quarantineId: text, reason }),
);

/** Writes a fact into a journal row and reads it again. */
function roundTrip(fact: Fact): Fact {
  return decodeFact({ seq: 1, ...encodeFact(fact) }, decode);
}

describe('the journal reads back unchanged', () => {
  test('custody records', () => {
    fc.assert(
      fc.property(at, record, (when, some) => {
        const fact = { kind: 'custody-record', at: when, record: some } as const;
        expect(roundTrip(fact)).toEqual(fact);
      }),
    );
  });

  test('decisions with their actors', () => {
    fc.assert(
      fc.property(at, text, decision, (when, actor, some) => {
        const fact = { kind: 'decision', at: when, actor, decision: some } as const;
        expect(roundTrip(fact)).toEqual(fact);
      }),
    );
  });

  test('policies, and equal policies give equal texts', () => {
    fc.assert(
      fc.property(policy, (some) => {
        expect(unpackPolicy(packPolicy(some))).toEqual(some);
        expect(packPolicy(unpackPolicy(packPolicy(some)))).toBe(packPolicy(some));
      }),
    );
  });

  test('deliveries of every kind', () => {
    const bodies = [
      new Service().confirmed(1),
      '{"id":"q","stream":"new"}',
      '{"id":"\\ud800"}',
      'garbage\u0000',
    ];
    for (const fact of bodies.map((body) => factOf(body, START))) {
      expect(roundTrip(fact)).toEqual(fact);
    }
  });
});

test('an attribution of an earlier version does not end approvals', () => {
  const body = { kind: 'attribute', depositId: 'dep_1', attributedTo: 'c7', reason: 'mail' };
  const row = { seq: 1, kind: 'decision', recordedAt: 5, detail: 'ann' } as const;
  expect(decodeFact({ ...row, body: jsonBytes(body) }, decode)).toMatchObject({
    decision: { ...body, endsApprovals: false },
  });
});

test('an accepted notification that this version cannot read stops the replay', () => {
  const fact = factOf(new Service().confirmed(1), START);
  const older = () => ({ kind: 'malformed', defect: 'a rule of today' }) as const;
  expect(() => decodeFact({ seq: 9, ...encodeFact(fact) }, older)).toThrow(
    /this version cannot read an accepted notification: a rule of today/,
  );
});

test('a quarantined body stays quarantined in a replay, even when this version can read it', () => {
  const raw = new TextEncoder().encode(JSON.stringify(new Service().confirmed(1)));
  const fact = {
    kind: 'quarantined',
    at: 1,
    raw,
    id: 'ntf-1',
    defect: 'was new',
  } as const;
  expect(roundTrip(fact)).toMatchObject({ kind: 'quarantined', id: 'ntf-1', defect: 'was new' });
});

test('a deposit in the feed reads back unchanged', async () => {
  const open = await openLedger();
  await open.deliver(new Service().confirmed(6));
  await verifyWith(open);
  const [item] = open.feed();
  const deposit = unpackDeposit(item?.deposit ?? '');
  expect(deposit).toMatchObject({ state: 'credited', amount: 100n, credit: { amount: 100n } });
  expect(packDeposit(deposit)).toBe(item?.deposit);
});
