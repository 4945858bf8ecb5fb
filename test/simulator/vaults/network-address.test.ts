import { expect, test } from 'vitest';
import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { loadNetworks } from '../../../src/simulator/world/network-config.ts';
import {
  defaultPath,
  neoAddress,
  networkAddressAt,
} from '../../../src/simulator/vaults/network-address.ts';
import { deriveSlip10 } from '../../../src/simulator/vaults/slip10.ts';
import { unhardened } from '../../../src/simulator/vaults/hd-path.ts';

// The seed of the mnemonic "abandon … about" with an empty passphrase.
const SEED = hex.decode(
  '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
);

function rulesOf(key: string) {
  const network = loadNetworks().find((candidate) => candidate.key === key);
  if (network === undefined) throw new Error(key);
  return network.address;
}

test.each([
  ['bitcoin', "m/84'/0'/0'/0/0", 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
  ['bitcoin', "m/84'/0'/0'/0/1", 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g'],
  ['litecoin', "m/84'/2'/0'/0/0", 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh'],
  ['ethereum', "m/44'/60'/0'/0/0", '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'],
  ['polygon', "m/44'/60'/0'/0/0", '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'],
  ['tron', "m/44'/195'/0'/0/0", 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH'],
  ['ripple', "m/44'/144'/0'/0/0", 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3'],
  ['stellar', "m/44'/148'/0'", 'GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX'],
])('%s at %s is the published test address', (network, path, address) => {
  expect(networkAddressAt(rulesOf(network), { kind: 'seed', seed: SEED }, path)).toBe(address);
});

test('a Neo N3 address is the hash of its single-signature script', () => {
  const publicKey = hex.decode(
    '02028a99826edc0c97d18e22b6932373d908d323aa7f92656a77ec26e8861699ef',
  );
  expect(neoAddress(publicKey)).toBe('NPTmAHDxo6Pkyic8Nvu3kwyXoYJCvcCB6i');
});

// Test vector 1 of SLIP-0010.
const VECTOR_SEED = hex.decode('000102030405060708090a0b0c0d0e0f');

test.each([
  ['ed25519', "m/0'", '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3'],
  [
    'ed25519',
    "m/0'/1'/2'/2'/1000000000'",
    '8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793',
  ],
  ['nist256p1', "m/0'", '6939694369114c67917a182c59ddb8cafc3004e63ca5d3b84403ba8613debc0c'],
  ['nist256p1', "m/0'/1", '284e9d38d07d21e4e281b645089a94f4cf5a5a81369acf151a1c3a57f18b2129'],
] as const)('SLIP-0010 %s at %s', (curve, path, key) => {
  expect(hex.encode(deriveSlip10(curve, VECTOR_SEED, path))).toBe(key);
});

test('the public half of a key derives the same addresses as the whole key', () => {
  const root = HDKey.fromMasterSeed(SEED);
  for (const network of ['bitcoin', 'ethereum', 'tron', 'ripple', 'sui']) {
    const rules = rulesOf(network);
    const path = unhardened(defaultPath(rules, { accountIndex: 2, addressIndex: 5 }));
    expect(networkAddressAt(rules, { kind: 'public', xpub: root.publicExtendedKey }, path)).toBe(
      networkAddressAt(rules, { kind: 'seed', seed: SEED }, path),
    );
  }
});
