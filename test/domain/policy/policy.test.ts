import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import {
  approvalsNeeded,
  depositRule,
  NO_POLICY,
  policyVersion,
  ruleFor,
  samePolicy,
  type CreditingPolicy,
  type PolicyRule,
} from '../../../src/domain/policy/policy.ts';
import { AssetId, NetworkKey, VaultId } from '../../../src/domain/ids.ts';

const POLICY: CreditingPolicy = {
  default: { confirmations: 6, minimumAmount: Amount(5n) },
  networks: {
    ethereum: { confirmations: 12, requireMemo: false },
    ripple: { requireMemo: true, halted: true },
  },
  assets: {
    'ethereum:USDC': { confirmations: 20, minimumAmount: Amount(1_000n) },
    'ripple:XRP': { halted: false },
    'tron:USDT': { halted: true },
  },
};

const OVERRIDES: [network: string, asset: string, rule: Partial<PolicyRule>][] = [
  ['bitcoin', 'bitcoin:BTC', { confirmations: 6, minimumAmount: Amount(5n), halted: false }],
  ['ethereum', 'ethereum:ETH', { confirmations: 12, minimumAmount: Amount(5n) }],
  ['ethereum', 'ethereum:USDC', { confirmations: 20, minimumAmount: Amount(1_000n) }],
  ['ripple', 'ripple:RLUSD', { requireMemo: true, halted: true, confirmations: 6 }],
  ['tron', 'tron:USDT', { halted: true, confirmations: 6 }],
  ['tron', 'tron:TRX', { halted: false }],
  // A symbol alone never identifies an asset: another contract that calls itself USDC is another.
  ['polygon', 'polygon:USDC', { confirmations: 6, minimumAmount: Amount(5n) }],
];

test.for(OVERRIDES)(
  'on %s, %s: the asset overrides the network, the network the default',
  ([network, asset, rule]) => {
    const subject = { network: NetworkKey(network), asset: AssetId(asset) };
    expect(ruleFor(POLICY, subject)).toMatchObject(rule);
  },
);

const STRICT = {
  confirmations: 1,
  minimumAmount: Amount(1n),
  oneApprovalAbove: Amount(1n),
  twoApprovalsAbove: Amount(1n),
  requireMemo: true,
  creditInternal: true,
};
/** Null is a word too: an asset may need no approval where its network needs two. */
const FREE = {
  confirmations: 0,
  minimumAmount: Amount(0n),
  oneApprovalAbove: null,
  twoApprovalsAbove: null,
  requireMemo: false,
  creditInternal: false,
};
const KEYS = [
  'confirmations',
  'minimumAmount',
  'oneApprovalAbove',
  'twoApprovalsAbove',
  'requireMemo',
  'creditInternal',
] as const;

test.for(KEYS)('the most specific rule sets %s, and nothing else', (key) => {
  const subject = { network: NetworkKey('bitcoin'), asset: AssetId('bitcoin:BTC') };
  const free = { [key]: FREE[key] };
  const strict = { [key]: STRICT[key] };
  const says = (networks: CreditingPolicy['networks'], assets: CreditingPolicy['assets']) =>
    ruleFor({ default: STRICT, networks, assets }, subject);
  const base = { ...STRICT, halted: false };
  expect(says({}, {})).toEqual(base);
  expect(says({ bitcoin: free }, {})).toEqual({ ...base, ...free });
  expect(says({}, { 'bitcoin:BTC': free })).toEqual({ ...base, ...free });
  expect(says({ bitcoin: free }, { 'bitcoin:BTC': strict })).toEqual(base);
});

test('a halt at any level halts: an asset cannot undo the stop of its network', () => {
  const subject = { network: NetworkKey('ripple'), asset: AssetId('ripple:XRP') };
  expect(ruleFor(POLICY, subject).halted).toBe(true);
  const stopped = { ...POLICY, default: { ...POLICY.default, halted: true } };
  const other = { network: NetworkKey('bitcoin'), asset: AssetId('bitcoin:BTC') };
  expect(ruleFor(stopped, other).halted).toBe(true);
});

test.for(['constructor', '__proto__', 'toString'])(
  'an asset named %s finds no rule of its own',
  (name) => {
    const subject = { network: NetworkKey(name), asset: AssetId(name) };
    expect(ruleFor(POLICY, subject)).toEqual({
      confirmations: 6,
      minimumAmount: Amount(5n),
      oneApprovalAbove: null,
      twoApprovalsAbove: null,
      requireMemo: false,
      halted: false,
      creditInternal: false,
    });
  },
);

const APPROVALS: [amount: bigint, one: bigint | null, two: bigint | null, needed: 0 | 1 | 2][] = [
  [100n, null, null, 0],
  [100n, 100n, null, 0],
  [101n, 100n, null, 1],
  [101n, 100n, 101n, 1],
  [102n, 100n, 101n, 2],
  [102n, null, 101n, 2],
  // Bounds written the wrong way round: the stricter one still holds.
  [102n, 101n, 100n, 2],
  [10n ** 77n, 10n ** 77n - 1n, null, 1],
];

test.for(APPROVALS)('%s with bounds %s and %s needs %s approvals', ([amount, one, two, needed]) => {
  const rule: PolicyRule = {
    ...ruleFor(POLICY, { network: NetworkKey('bitcoin'), asset: AssetId('bitcoin:BTC') }),
    oneApprovalAbove: one === null ? null : Amount(one),
    twoApprovalsAbove: two === null ? null : Amount(two),
  };
  expect(approvalsNeeded(rule, Amount(amount))).toBe(needed);
});

test('before any policy is set everything is halted', () => {
  const subject = { network: NetworkKey('bitcoin'), asset: AssetId('bitcoin:BTC') };
  expect(ruleFor(NO_POLICY, subject).halted).toBe(true);
});

const { networks, assets } = POLICY;
const OTHERS: [what: string, policy: CreditingPolicy, same: boolean][] = [
  ['itself', POLICY, true],
  ['its keys in another order', { assets, networks, default: POLICY.default }, true],
  [
    'its rules in another order',
    { ...POLICY, networks: Object.fromEntries(Object.entries(networks).toReversed()) },
    true,
  ],
  ['another default', { ...POLICY, default: { confirmations: 6 } }, false],
  [
    'one rule of many changed',
    { ...POLICY, networks: { ...networks, ripple: { requireMemo: true } } },
    false,
  ],
  ['a rule more', { ...POLICY, assets: { ...assets, 'bitcoin:BTC': {} } }, false],
  [
    'a rule renamed',
    { ...POLICY, networks: { polygon: {}, ripple: networks['ripple'] ?? {} } },
    false,
  ],
];

test.for(OTHERS)('a policy and %s', ([, policy, same]) => {
  expect(samePolicy(POLICY, policy)).toBe(same);
  expect(samePolicy(policy, POLICY)).toBe(same);
});

test('a version of the policy is named by the journal position of its fact', () => {
  expect(policyVersion({ seq: 12 })).toBe('pol_12');
});

test.for([
  [undefined, true],
  [['v1', 'v2'], true],
  [['v2'], false],
] as const)('of the vaults %o, a deposit of v1 is credited: %s', ([vaults, credits]) => {
  const policy = { ...POLICY, ...(vaults === undefined ? {} : { vaults }) };
  const subject = { network: NetworkKey('tron'), asset: AssetId('tron:USDT') };
  const rule = depositRule(policy, { ...subject, vaultId: VaultId('v1') });
  expect(rule).toEqual({ ...ruleFor(policy, subject), startsAt: null, creditsVault: credits });
});

test('two policies are equal when they credit the same vaults, in any order', () => {
  const of = (...vaults: string[]): CreditingPolicy => ({ ...POLICY, vaults });
  expect(samePolicy(of('v1', 'v2'), of('v2', 'v1'))).toBe(true);
  expect(samePolicy(of('v1', 'v2', 'v1'), of('v2', 'v1', 'v2', 'v2'))).toBe(true);
  expect(samePolicy(of('v1', 'v1'), of('v1', 'v2'))).toBe(false);
  expect(samePolicy(of('v1'), of('v1', 'v2'))).toBe(false);
  expect(samePolicy(of('v1', 'v2'), of('v1'))).toBe(false);
  expect(samePolicy(of('v1', 'v2'), of('v1', 'v3'))).toBe(false);
  expect(samePolicy(of('v1'), POLICY)).toBe(false);
  expect(samePolicy(POLICY, of('v1'))).toBe(false);
});

test('a rule begins at the start of its policy, in Unix milliseconds', () => {
  const subject = { network: NetworkKey('tron'), asset: AssetId('tron:USDT') };
  const policy = { ...POLICY, startsAt: '1970-01-01T01:00:00.005+01:00' };
  expect(depositRule(policy, { ...subject, vaultId: VaultId('v1') }).startsAt).toBe(5);
});

test.for<[left: string | undefined, right: string | undefined, same: boolean]>([
  ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', true],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', false],
  ['2026-01-01T00:00:00Z', undefined, false],
])('policies that start at %s and %s are the same: %s', ([left, right, same]) => {
  const of = (startsAt: string | undefined): CreditingPolicy =>
    startsAt === undefined ? POLICY : { ...POLICY, startsAt };
  expect(samePolicy(of(left), of(right))).toBe(same);
  expect(samePolicy(of(right), of(left))).toBe(same);
});
