import { expect, test } from 'vitest';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import {
  depthDrift,
  depthReach,
  suppressedDepths,
} from '../../../src/domain/policy/published-depth.ts';
import { NetworkKey } from '../../../src/domain/ids.ts';

const REACHES: [required: number, published: number[], override: number | null, is: string][] = [
  [12, [1, 3, 12], null, 'published'],
  [1, [1, 3, 12], 1, 'published'],
  [6, [1, 3, 12], null, 'late, at 12'],
  [2, [1, 3, 12], 3, 'late, at 3'],
  [2, [12, 3, 1, 20], null, 'late, at 3'],
  [20, [1, 3, 12], null, 'never, 12 is the deepest'],
  [12, [1, 3, 12], 3, 'never, 3 is the deepest'],
  [6, [1, 3, 12], 3, 'never, 3 is the deepest'],
  [1, [], null, 'never, none is told'],
  [3, [3, 12], 1, 'never, none is told'],
  [0, [1, 3, 12], null, 'published'],
];

test.for(REACHES)(
  'policy %s of published %j under override %s: %s',
  ([required, published, override, is]) => {
    const reach = depthReach(required, { published, override });
    const shown = {
      published: () => 'published',
      late: () => `late, at ${reach.kind === 'late' ? reach.reachedAt : ''}`,
      never: () =>
        reach.kind === 'never' && reach.deepest !== null
          ? `never, ${reach.deepest} is the deepest`
          : 'never, none is told',
    }[reach.kind];
    expect(shown()).toBe(is);
  },
);

const POLICY: CreditingPolicy = {
  default: { confirmations: 6 },
  networks: { ethereum: { confirmations: 12 } },
  assets: { 'ethereum:USDC': { confirmations: 40 }, 'ethereum:ETH': { halted: true } },
};

const DRIFTS: [network: string, published: number[], says: string][] = [
  [
    'ethereum',
    [1, 3, 12],
    'a depth of 40 for ethereum:USDC, and the network publishes none beyond 12',
  ],
  ['ethereum', [1, 3], 'a depth of 12 for ethereum, 40 for ethereum:USDC'],
  ['ripple', [1], 'a depth of 6 for ripple'],
  ['ripple', [], 'publishes none at all'],
];

test.for(DRIFTS)(
  'webhooks of %s, published at %o, will never show it all',
  ([network, published, says]) => {
    const about = { network: NetworkKey(network), published, inUse: true };
    expect(depthDrift(POLICY, about)).toContain(says);
  },
);

const SHOWN: [network: string, published: number[], inUse: boolean][] = [
  ['ethereum', [12, 40], true],
  // Between two published depths: the deeper one shows it, only later.
  ['bitcoin', [1, 12], true],
  // Neither named nor used: nobody's concern.
  ['ripple', [1], false],
];

test.for(SHOWN)(
  '%s, published at %o and in use: %s, is no drift',
  ([network, published, inUse]) => {
    expect(depthDrift(POLICY, { network: NetworkKey(network), published, inUse })).toBeNull();
  },
);

test('a network that the policy names matters though nothing of it arrived', () => {
  const about = { network: NetworkKey('ethereum'), published: [1], inUse: false };
  expect(depthDrift(POLICY, about)).not.toBeNull();
});

test('a network that the policy names by one of its assets matters too', () => {
  const policy = { ...POLICY, networks: {}, assets: { 'bitcoin:BTC': {}, 'ripple:XRP': {} } };
  const about = { network: NetworkKey('ripple'), published: [1], inUse: false };
  expect(depthDrift(policy, about)).not.toBeNull();
  expect(depthDrift(policy, { ...about, network: NetworkKey('tron') })).toBeNull();
});

test('an override below what the policy wants suppresses it, for assets with a depth of their own too', () => {
  expect(suppressedDepths(POLICY, { ethereum: 12, bitcoin: 6, ripple: 1 })).toEqual([
    'ethereum is delivered only to depth 12, and the policy wants 40 for ethereum:USDC (set it with --confirmations)',
    'ripple is delivered only to depth 1, and the policy wants 6 for ripple (set it with --confirmations)',
  ]);
  expect(suppressedDepths(POLICY, { ethereum: 1 })).toEqual([
    'ethereum is delivered only to depth 1, and the policy wants 12 for ethereum, 40 for ethereum:USDC (set it with --confirmations)',
  ]);
});
