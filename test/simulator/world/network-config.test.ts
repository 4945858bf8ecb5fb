import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AssetCatalogue, formatAmount } from '../../../src/simulator/world/asset-catalogue.ts';
import { loadNetworks, parseNetworks } from '../../../src/simulator/world/network-config.ts';

const file = () =>
  JSON.parse(readFileSync(new URL('../../../config/networks.json', import.meta.url), 'utf8')) as {
    networks: Record<string, unknown>[];
  };

test('the configuration has the nine networks of the interface', () => {
  expect(loadNetworks().map((network) => network.key)).toEqual([
    'bitcoin',
    'litecoin',
    'ethereum',
    'polygon',
    'tron',
    'ripple',
    'stellar',
    'neo',
    'sui',
  ]);
});

test.each([
  [{ confirmations: [3, 1] }, 'confirmations'],
  [{ feeAsset: 'XXX' }, 'feeAsset'],
  [{ model: 'account' }, 'kind'],
  [{ surprise: 1 }, 'surprise'],
])('a network with %j is refused at its path', (change, path) => {
  const content = file();
  content.networks[0] = { ...content.networks[0], ...change };
  expect(() => parseNetworks(content)).toThrow(path);
});

test('an asset exists on its own network, by symbol or by contract', () => {
  const catalogue = new AssetCatalogue(loadNetworks());
  const exists = (network: string, asset: string) => {
    const config = catalogue.network(network);
    return config !== undefined && catalogue.asset(config, asset) !== undefined;
  };
  expect(exists('ethereum', 'ethereum:USDC')).toBe(true);
  expect(exists('polygon', 'ethereum:USDC')).toBe(false);
  expect(exists('ethereum', 'ethereum:FOO')).toBe(false);
  expect(exists('ethereum', `ethereum:0x${'ab'.repeat(20)}`)).toBe(true);
  expect(exists('bitcoin', `bitcoin:0x${'ab'.repeat(20)}`)).toBe(false);
});

test.each([
  [-1n, 8, '-0.00000001'],
  [123456n, 2, '1234.56'],
  [-5n, 0, '-5'],
  [0n, 3, '0.000'],
  [10n ** 77n, 18, `${'1'.padEnd(60, '0')}.${'0'.repeat(18)}`],
])('%s with %i decimals is %s', (amount, decimals, text) => {
  expect(formatAmount(amount, decimals)).toBe(text);
});
