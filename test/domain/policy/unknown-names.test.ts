import { expect, test } from 'vitest';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { unknownExemptionNames, unknownNames } from '../../../src/domain/policy/unknown-names.ts';

const PUBLISHED = ['bitcoin', 'ethereum', 'polygon'];
const ASSETS = ['ethereum:ETH', 'ethereum:USDC', 'bitcoin:BTC'];

function policyNaming(names: { networks?: string[]; assets?: string[] }): CreditingPolicy {
  const rules = (keys: string[] = []) => Object.fromEntries(keys.map((key) => [key, {}]));
  return {
    default: { confirmations: 6 },
    networks: rules(names.networks),
    assets: rules(names.assets),
  };
}

const NETWORKS: [name: string, published: string[] | null, warnings: string[]][] = [
  ['ethereum', PUBLISHED, []],
  ['polygon', PUBLISHED, []],
  [
    'etherum',
    PUBLISHED,
    ['networks.etherum: no network "etherum" is known; there are bitcoin, ethereum, polygon'],
  ],
  [
    'Ethereum',
    PUBLISHED,
    ['networks.Ethereum: no network "Ethereum" is known; there are bitcoin, ethereum, polygon'],
  ],
  // Without the API's list only what arrived is known.
  ['ethereum', null, []],
  [
    'polygon',
    null,
    [
      'networks.polygon: nothing has arrived from a network "polygon" yet; there are ethereum, bitcoin',
    ],
  ],
];

test.for(NETWORKS)('network %s beside %o', ([name, published, warnings]) => {
  const found = unknownNames(policyNaming({ networks: [name] }), { published, assets: ASSETS });
  expect(found).toEqual(warnings);
});

const OF_ASSETS: [name: string, warnings: string[]][] = [
  ['ethereum:USDC', []],
  [
    'ethereum:USCD',
    [
      'assets["ethereum:USCD"]: this asset has never arrived here: check its spelling, unless it is new',
    ],
  ],
  [
    'etherum:USDC',
    ['assets["etherum:USDC"]: no network "etherum" is known; there are bitcoin, ethereum, polygon'],
  ],
  // Nothing arrived on its network yet: nothing to compare with.
  ['polygon:POL', []],
  // A symbol alone is no asset, whatever has arrived.
  ['usdc', ['assets["usdc"]: an asset is named by its network and symbol: is it ethereum:USDC?']],
  ['eth', ['assets["eth"]: an asset is named by its network and symbol: is it ethereum:ETH?']],
  ['DOGE', ['assets["DOGE"]: an asset is named by its network and symbol, like ethereum:USDC']],
];

test.for(OF_ASSETS)('asset %s', ([name, warnings]) => {
  const known = { published: PUBLISHED, assets: ASSETS };
  const found = unknownNames(policyNaming({ assets: [name] }), known);
  expect(found).toEqual(warnings);
});

test('a symbol of several networks is asked about with all of them, and one that arrived alone is known', () => {
  const assets = ['ethereum:USDC', 'polygon:USDC', 'GOLD'];
  const policy = policyNaming({ assets: ['USDC', 'GOLD'] });
  expect(unknownNames(policy, { published: null, assets })).toEqual([
    'assets["USDC"]: an asset is named by its network and symbol: is it ethereum:USDC or polygon:USDC?',
  ]);
});

const IN_RULES: [names: { network?: string; asset?: string }, warnings: string[]][] = [
  [{}, []],
  [{ network: 'ethereum', asset: 'ethereum:USDC' }, []],
  [
    { network: 'etherum' },
    [
      'network "etherum" of the rule "old wallet": no network "etherum" is known; there are bitcoin, ethereum, polygon',
    ],
  ],
  [
    { asset: 'btc' },
    [
      'asset "btc" of the rule "old wallet": an asset is named by its network and symbol: is it bitcoin:BTC?',
    ],
  ],
  [
    { network: 'dogecoin', asset: 'ethereum:USCD' },
    [
      'network "dogecoin" of the rule "old wallet": no network "dogecoin" is known; there are bitcoin, ethereum, polygon',
      'asset "ethereum:USCD" of the rule "old wallet": this asset has never arrived here: check its spelling, unless it is new',
    ],
  ],
];

test.for(IN_RULES)('an exemption rule about %o', ([names, warnings]) => {
  const rule = { rule: 'old wallet', until: 0, reason: 'ticket 1', owner: 'finance', ...names };
  const known = { published: PUBLISHED, assets: ASSETS };
  expect(unknownExemptionNames([rule], known)).toEqual(warnings);
});

test('without known names no name is reported', () => {
  const policy = policyNaming({ networks: ['x'], assets: ['x:Y'] });
  expect(unknownNames(policy, { published: null, assets: [] })).toEqual([]);
});
