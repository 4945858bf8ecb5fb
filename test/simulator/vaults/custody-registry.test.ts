import { expect, test } from 'vitest';
import { record, Scene } from '../world/scene.ts';

function opened() {
  const scene = new Scene();
  const vault = scene.vault();
  const account = (name: string) =>
    record(scene.world.createAccount({ vaultId: vault.vaultId, name }));
  return { scene, world: scene.world, vault, account };
}

test('an account is idempotent on its name within the vault', () => {
  const { scene, world, vault, account } = opened();
  const first = account('main');
  expect(world.createAccount({ vaultId: vault.vaultId, name: 'main' })).toEqual({
    kind: 'existing',
    record: first,
  });
  const elsewhere = world.createAccount({ vaultId: scene.vault().vaultId, name: 'main' });
  expect(elsewhere.kind).toBe('created');
  expect(world.createAccount({ vaultId: 'none', name: 'main' })).toMatchObject({ code: 'NE-1' });
});

test('an address is idempotent on its HD path, and another account cannot take it', () => {
  const { world, account } = opened();
  const [one, two] = [account('one'), account('two')];
  const request = { accountId: one.accountId, network: 'ethereum', hdpath: "m/44'/60'/7'/0/0" };
  const first = record(world.createAddress(request));
  expect(world.createAddress(request)).toEqual({ kind: 'existing', record: first });
  expect(world.createAddress({ ...request, accountId: two.accountId })).toMatchObject({
    code: 'ADR-3001',
  });
  expect(world.createAddress({ ...request, network: 'polygon' })).toMatchObject({
    kind: 'created',
    record: { networkAddress: first.networkAddress },
  });
});

test('a call without a path gives the next address and skips paths in use', () => {
  const { world, account } = opened();
  account('first');
  const { accountId } = account('second');
  record(world.createAddress({ accountId, network: 'bitcoin', hdpath: "m/84'/0'/1'/0/1" }));
  const paths = [1, 2].map(
    () => record(world.createAddress({ accountId, network: 'bitcoin' })).hdpath,
  );
  expect(paths).toEqual(["m/84'/0'/1'/0/2", "m/84'/0'/1'/0/3"]);
});

test.each([
  ['ethereum', 'm'],
  ['ethereum', '44/60'],
  ['ethereum', "m/044'/60'"],
  ['ethereum', 'm/2147483648'],
  ['stellar', "m/44'/148'/0"],
])('%s refuses the path %s', (network, hdpath) => {
  const { world, account } = opened();
  const { accountId } = account('main');
  expect(world.createAddress({ accountId, network, hdpath })).toMatchObject({ code: 'BR-1' });
});

test('a memo is idempotent on address and memo; other content conflicts', () => {
  const { scene, world, vault } = opened();
  const { addressId } = scene.address(vault, 'ripple');
  const first = record(world.createMemo({ addressId, memo: '7', name: 'ann' }));
  expect(world.createMemo({ addressId, memo: '7', name: 'ann' })).toEqual({
    kind: 'existing',
    record: first,
  });
  expect(world.createMemo({ addressId, memo: '7', name: 'bob' })).toMatchObject({
    code: 'MEM-4001',
  });
  const ethereum = scene.address(vault, 'ethereum');
  expect(world.createMemo({ addressId: ethereum.addressId, memo: '7' })).toMatchObject({
    code: 'BR-1',
  });
});

test('the same data of a memo in another order is the same content', () => {
  const { scene, world, vault } = opened();
  const { addressId } = scene.address(vault, 'ripple');
  const first = record(world.createMemo({ addressId, memo: '7', data: { tier: 1, of: ['a'] } }));
  expect(world.createMemo({ addressId, memo: '7', data: { of: ['a'], tier: 1 } })).toEqual({
    kind: 'existing',
    record: first,
  });
  expect(world.createMemo({ addressId, memo: '7', data: { of: ['b'], tier: 1 } })).toMatchObject({
    code: 'MEM-4001',
  });
});

test('a quorum without enough approvers is refused', () => {
  const { world } = opened();
  expect(world.createVault({ name: 'vault', quorum: 2, approvers: ['a', 'a'] })).toMatchObject({
    code: 'BR-1',
  });
});

test('lists are scoped and in order of creation', () => {
  const { scene, world, vault } = opened();
  const first = scene.address(vault, 'bitcoin', 'one');
  const second = scene.address(vault, 'ethereum', 'two');
  const other = scene.address(scene.vault(), 'ethereum');
  const ids = (scope: Parameters<typeof world.addresses>[0]) =>
    world.addresses(scope).map((address) => address.addressId);
  expect(ids({})).toEqual([first, second, other].map((address) => address.addressId));
  expect(ids({ vaultId: vault.vaultId })).toEqual([first.addressId, second.addressId]);
  expect(ids({ vaultId: vault.vaultId, network: 'ethereum' })).toEqual([second.addressId]);
  expect(ids({ network: 'ethereum', networkAddress: second.networkAddress.toUpperCase() })).toEqual(
    [second.addressId],
  );
});
