import { expect, test } from 'vitest';
import { isNetworkAddress } from '../../../src/simulator/vaults/address-check.ts';
import { loadNetworks } from '../../../src/simulator/world/network-config.ts';
import { OUTSIDE } from '../outside-addresses.ts';
import { Scene } from '../world/scene.ts';

const NETWORKS = loadNetworks();

/** Networks on which the text is an address. */
function networksOf(text: string): string[] {
  return NETWORKS.filter(({ address }) => isNetworkAddress(address, text)).map(({ key }) => key);
}

const EVM = ['ethereum', 'polygon'];

test.each([
  // BIP-173 and BIP-350, and the two older kinds.
  ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', ['bitcoin']],
  ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', ['bitcoin']],
  ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', ['bitcoin']],
  ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', ['bitcoin']],
  ['LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1', ['litecoin']],
  // EIP-55, with and without its checksum.
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', EVM],
  ['0xd8da6bf26964af9d7eed9e03e53415d37aa96045', EVM],
  ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', ['tron']],
  ['rrrrrrrrrrrrrrrrrrrrrhoLvTp', ['ripple']],
  ['GDRXE2BQUC3AZNPVFSCEZ76NJ3WWL25FYFK6RGZGIEKWE4SOOHSUJUJ6', ['stellar']],
  ['NKuyBkoGdZZSLyPbJEetheRhMjeznFZszf', ['neo']],
])('%s is an address of %j', (text, networks) => {
  expect(networksOf(text)).toEqual(networks);
});

test.each([
  ['banana'],
  [''],
  ['0xzz'],
  ['0x'],
  ['d8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
  // One character differs from an address.
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046'],
  ['0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
  ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp'],
  ['bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'],
  ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u'],
  ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi'],
  ['GDRXE2BQUC3AZNPVFSCEZ76NJ3WWL25FYFK6RGZGIEKWE4SOOHSUJUJ7'],
  ['NKuyBkoGdZZSLyPbJEetheRhMjeznFZszg'],
  ['0x5a5a'],
  // Addresses of test networks, and a secret key.
  ['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
  ['2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'],
  ['SBFGFF27Y64ZUGFAIG5AMJGQODZZKV2YQKAVUUN4HNE24XZXD2OEUVUP'],
  ['x'.repeat(256)],
])('%s is no address of any network', (text) => {
  expect(networksOf(text)).toEqual([]);
});

test('every address that the core makes, or that tests pay, is one of its network', () => {
  const scene = new Scene();
  const vault = scene.vault();
  for (const { key } of NETWORKS) {
    expect(networksOf(scene.address(vault, key).networkAddress)).toContain(key);
  }
  for (const [network, address] of Object.entries(OUTSIDE)) {
    expect(networksOf(address)).toContain(network);
  }
});
