import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { ruleFor, samePolicy, type CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import {
  haltsIn,
  isHalted,
  keepingHalts,
  scopeText,
  withHalt,
  withoutHalts,
  type HaltScope,
} from '../../../src/domain/policy/halt.ts';
import { AssetId, NetworkKey } from '../../../src/domain/ids.ts';

const EVERYTHING: HaltScope = { kind: 'everything' };
const ETHEREUM: HaltScope = { kind: 'network', network: NetworkKey('ethereum') };
const SUI: HaltScope = { kind: 'network', network: NetworkKey('sui') };
const USDC: HaltScope = { kind: 'asset', asset: AssetId('ethereum:USDC') };

const POLICY: CreditingPolicy = {
  default: { confirmations: 6 },
  networks: { ethereum: { confirmations: 12 } },
  assets: { 'ethereum:USDC': { minimumAmount: Amount(5n) } },
};

test.for([
  [EVERYTHING, ['ethereum:ETH', 'ethereum:USDC', 'bitcoin:BTC']],
  [ETHEREUM, ['ethereum:ETH', 'ethereum:USDC']],
  [USDC, ['ethereum:USDC']],
] as const)('a halt of %o halts %o and nothing else', ([scope, halted]) => {
  const policy = withHalt(POLICY, scope, true);
  const stopped = ['ethereum:ETH', 'ethereum:USDC', 'bitcoin:BTC'].filter((asset) => {
    const network = NetworkKey(asset.split(':')[0] ?? '');
    return ruleFor(policy, { network, asset: AssetId(asset) }).halted;
  });
  expect(stopped).toEqual(halted);
  expect(haltsIn(policy)).toEqual([scope]);
  const lifted = withHalt(policy, scope, false);
  expect(samePolicy(lifted, POLICY)).toBe(true);
});

test('without its halts, a policy has every other rule', () => {
  const halted = [EVERYTHING, ETHEREUM, SUI, USDC].reduce(
    (policy, scope) => withHalt(policy, scope, true),
    POLICY,
  );
  expect(samePolicy(withoutHalts(halted), POLICY)).toBe(true);
});

test('scopes in words', () => {
  expect([EVERYTHING, ETHEREUM, USDC].map(scopeText)).toEqual([
    'everything',
    'network ethereum',
    'asset ethereum:USDC',
  ]);
});

test('switching off what has no rule adds none', () => {
  expect(withHalt(POLICY, SUI, false)).toEqual(POLICY);
  expect(withHalt(POLICY, SUI, true).networks['sui']).toEqual({ halted: true });
});

test('the first configuration of all is taken as it is', () => {
  const policy = withHalt(POLICY, ETHEREUM, true);
  expect(keepingHalts(policy, undefined)).toEqual({ policy, kept: [] });
});

const key = fc.constantFrom('ethereum', 'bitcoin', 'constructor', '__proto__');
const scope: fc.Arbitrary<HaltScope> = fc.oneof(
  fc.constant(EVERYTHING),
  key.map((one) => ({ kind: 'network', network: NetworkKey(one) }) as const),
  key.map((one) => ({ kind: 'asset', asset: AssetId(one) }) as const),
);

test('halts set in any order: exactly those that were last set are on', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(scope, fc.boolean())), (throws) => {
      const policy = throws.reduce((all, [one, on]) => withHalt(all, one, on), POLICY);
      const wanted = new Map(throws.map(([one, on]) => [scopeText(one), on]));
      for (const [one] of throws) {
        expect(isHalted(policy, one)).toBe(wanted.get(scopeText(one)));
      }
      const off = haltsIn(policy).reduce((all, one) => withHalt(all, one, false), policy);
      expect(samePolicy(off, POLICY)).toBe(true);
    }),
  );
});

const halted = true;
const NO_ETHEREUM: CreditingPolicy = {
  ...POLICY,
  networks: { ethereum: { confirmations: 12, halted } },
};
const NO_SUI: CreditingPolicy = { ...POLICY, networks: { ...POLICY.networks, sui: { halted } } };
const NOTHING: CreditingPolicy = {
  ...POLICY,
  default: { confirmations: 6, halted },
  assets: { 'ethereum:USDC': { minimumAmount: Amount(5n), halted } },
};

/** What the file said, what holds, what the file says now → what stays halted. */
const STARTS: [was: CreditingPolicy, holds: CreditingPolicy, kept: HaltScope[]][] = [
  [POLICY, POLICY, []],
  [POLICY, NO_ETHEREUM, [ETHEREUM]],
  [POLICY, NOTHING, [EVERYTHING, USDC]],
  // The file had halted it and does not any more: its own switch is the file's to lift.
  [NO_SUI, NO_SUI, []],
  // A person lifted what the file had halted.
  [NO_SUI, POLICY, []],
];

test.for(STARTS)(
  'a changed file keeps the halts of people, case %#',
  ([configured, policy, kept]) => {
    const now: CreditingPolicy = { ...POLICY, default: { confirmations: 7 } };
    const taken = keepingHalts(now, { configured, policy });
    expect(taken.kept).toEqual(kept);
    expect(haltsIn(taken.policy)).toEqual(kept);
    expect(taken.policy.default.confirmations).toBe(7);
  },
);

test('two policies are equal exactly when only their order differs', () => {
  const again: CreditingPolicy = {
    assets: { 'ethereum:USDC': { minimumAmount: Amount(5n) } },
    networks: { ethereum: { confirmations: 12 } },
    default: { confirmations: 6 },
  };
  expect(samePolicy(POLICY, again)).toBe(true);
  const others: CreditingPolicy[] = [
    { ...again, default: { confirmations: 7 } },
    { ...again, networks: {} },
    { ...again, networks: { ethereum: { confirmations: 12 }, bitcoin: {} } },
    { ...again, networks: { bitcoin: { confirmations: 12 } } },
    { ...again, assets: { 'ethereum:USDC': { minimumAmount: Amount(6n) } } },
    { ...again, assets: { 'ethereum:USDC': { minimumAmount: Amount(5n), halted: true } } },
  ];
  for (const other of others) expect(samePolicy(POLICY, other)).toBe(false);
});
