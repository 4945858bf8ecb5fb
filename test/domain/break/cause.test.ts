import { expect, test } from 'vitest';
import { finding, opened, type Break, type BreakType } from '../../../src/domain/break/break.ts';
import { causesOf, groupsByCause } from '../../../src/domain/break/cause.ts';
import { BlockchainHash, BreakId, NetworkKey, VaultId } from '../../../src/domain/ids.ts';

let issued = 0;

/** A break of a type in a vault and of a hash; null for none. */
function broken(type: BreakType, vault: string | null, hash: string | null): Break {
  issued += 1;
  const subject = {
    vaultId: vault === null ? null : VaultId(vault),
    network: hash === null ? null : NetworkKey('ethereum'),
    blockchainHash: hash === null ? null : BlockchainHash(hash),
  };
  const found = finding(type, { key: `key-${issued}`, detail: 'x', subject });
  return opened(found, BreakId(`brk_${issued}`), 0).after;
}

/** `3 conservation v1 -`: the size of each group, and its cause. */
function groupsOf(breaks: readonly Break[], limit = 10): string[] {
  return groupsByCause(breaks, limit).map(
    ({ cause, breaks: { length } }) =>
      `${length} ${cause.type ?? '-'} ${cause.vaultId ?? '-'} ${cause.blockchainHash ?? '-'}`,
  );
}

const three = (type: BreakType, vault: string | null): Break[] =>
  ['0x1', '0x2', '0x3'].map((hash) => broken(type, vault, vault === null ? null : hash));

test.for<[string, Break[], string[]]>([
  ['nothing', [], []],
  ['single breaks', [broken('conservation', 'v1', '0x1'), broken('malformed', null, null)], []],
  ['a type in a vault', three('conservation', 'v1'), ['3 conservation v1 -']],
  [
    'a type in two vaults',
    [...three('conservation', 'v1'), ...three('conservation', 'v2')].slice(0, 5),
    ['3 conservation v1 -', '2 - - 0x1', '2 - - 0x2', '2 conservation v2 -'],
  ],
  [
    'types of one hash',
    [broken('amount_changed', 'v1', '0x9'), broken('status_mismatch', 'v1', '0x9')],
    ['2 - - 0x9'],
  ],
  ['bodies, by their type', three('malformed', null), ['3 malformed - -']],
  [
    'a network without vault or hash has no cause in common',
    [broken('subscription_drift', null, null), broken('subscription_drift', null, null)],
    [],
  ],
])('groups of %s', ([, breaks, groups]) => {
  expect(groupsOf(breaks)).toEqual(groups);
});

test('a hash whose breaks are all in a larger group is not repeated', () => {
  const twice = [broken('conservation', 'v1', '0x1'), broken('conservation', 'v1', '0x1')];
  expect(groupsOf([...twice, broken('conservation', 'v1', '0x2')])).toEqual([
    '3 conservation v1 -',
  ]);
});

test('the limit keeps the largest groups', () => {
  const breaks = [broken('malformed', null, null), broken('malformed', null, null)];
  expect(groupsOf([...breaks, ...three('conservation', 'v1')], 1)).toEqual(['3 conservation v1 -']);
});

test('the narrowest cause comes first', () => {
  expect(causesOf(broken('conservation', 'v1', '0x1'))).toEqual([
    { blockchainHash: '0x1', type: null, vaultId: null },
    { blockchainHash: null, type: 'conservation', vaultId: 'v1' },
  ]);
});
