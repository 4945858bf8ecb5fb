import { expect, test } from 'vitest';
import { Scene } from '../world/scene.ts';

// One input and two outputs are 141 virtual bytes at 5 satoshis.
const FEE = 705n;

function fundedScene(source: 'address' | 'account' | 'vault' = 'address') {
  const scene = new Scene();
  const vault = scene.vault({ source });
  const address = scene.address(vault, 'bitcoin');
  scene.fund(address, 'BTC', 100_000_000n);
  const bitcoin = { vaultId: vault.vaultId, network: 'bitcoin', asset: 'bitcoin:BTC' };
  return { scene, vault, address, bitcoin };
}

test('change to the source merges into the debit on mined, and is a separate entry on-chain', () => {
  const { scene, bitcoin } = fundedScene();
  scene.order({ ...bitcoin, amount: 60_000_000n });
  scene.log.length = 0;
  scene.mine('bitcoin');
  expect(scene.received()).toEqual([
    `outgoing mined [-60000000 BTC, -${FEE} BTC fee]`,
    `blockchain transaction [-${100_000_000n - FEE} BTC, ${40_000_000n - FEE} BTC change, -${FEE} BTC fee]`,
    'blockchain confirmation 1',
  ]);
});

test('change to another address of the vault arrives as an incoming tagged change', () => {
  const { scene, vault, bitcoin } = fundedScene();
  const other = scene.address(vault, 'bitcoin');
  scene.order({ ...bitcoin, amount: 60_000_000n, changeAddressId: other.addressId });
  scene.log.length = 0;
  scene.mine('bitcoin');
  expect(scene.received()).toEqual([
    `outgoing mined [-${100_000_000n - FEE} BTC, -${FEE} BTC fee]`,
    `blockchain transaction [-${100_000_000n - FEE} BTC, ${40_000_000n - FEE} BTC change, -${FEE} BTC fee]`,
    `incoming confirmation 1 [${40_000_000n - FEE} BTC change]`,
    'blockchain confirmation 1',
  ]);
});

test.each([
  ['address', ['addressId', 'accountId'], []],
  ['account', ['accountId'], ['address']],
  ['vault', [], ['address', 'account']],
] as const)('entries of a vault at %s level', (source, _kept, missing) => {
  const { scene, vault, bitcoin } = fundedScene(source);
  const second = scene.address(vault, 'bitcoin', source === 'vault' ? 'other' : 'main');
  scene.fund(second, 'BTC', 50_000_000n);
  const amount = source === 'address' ? 70_000_000n : 120_000_000n;
  scene.order({ ...bitcoin, amount });
  scene.mine('bitcoin');
  const mined = scene.log.find((notification) => notification.type === 'mined');
  const entries = (mined?.['balanceChanges'] ?? []) as Record<string, unknown>[];
  expect(entries).toHaveLength(2);
  expect(entries[0]?.['amount']).toBe(`-${amount}`);
  for (const entry of entries) for (const field of missing) expect(entry).not.toHaveProperty(field);
});

test('a replacement that is mined ends its original as replaced', () => {
  const { scene, bitcoin } = fundedScene();
  const original = scene.order({ ...bitcoin, amount: 1_000_000n });
  scene.order({
    ...bitcoin,
    amount: 1_000_000n,
    replacesTransactionId: original.transactionId,
  });
  scene.log.length = 0;
  scene.mine('bitcoin');
  expect(scene.received('outgoing')).toEqual([
    `outgoing mined [-1000000 BTC, -${2n * FEE} BTC fee]`,
    'outgoing replaced',
  ]);
  expect(scene.transaction(original.transactionId)).toMatchObject({
    status: 'replaced',
    blockchainHash: original.blockchainHash,
  });
  const late = scene.order({
    ...bitcoin,
    amount: 1_000_000n,
    replacesTransactionId: original.transactionId,
  });
  expect(late).toMatchObject({ status: 'cancelled', reasonCode: 'replacement_status_invalid' });
});

test('a dropped deposit drops the withdrawal that spends it', () => {
  const { scene, bitcoin } = fundedScene();
  const [deposit] = scene.world.transactions({ type: 'incoming' }).data;
  const order = scene.order({ ...bitcoin, amount: 1_000_000n });
  scene.mine('bitcoin');
  scene.log.length = 0;
  scene.reorg('bitcoin', 71, [deposit?.blockchainHash ?? '']);
  expect(scene.received('outgoing')).toEqual(['outgoing rolledback']);
  expect(scene.transaction(order.transactionId).status).toBe('rolledback');
  expect(scene.world.truthBalances()).toEqual([]);
});

test('a thief and a withdrawal spend the same output: only one is mined', () => {
  const { scene, address, bitcoin } = fundedScene();
  const order = scene.order({ ...bitcoin, amount: 1_000_000n });
  const debit = scene.world.externalDebit({
    network: 'bitcoin',
    addressId: address.addressId,
    asset: 'bitcoin:BTC',
    amount: 2_000_000n,
    destinationAddress: 'thief',
  });
  expect(debit.kind).toBe('done');
  scene.log.length = 0;
  scene.mine('bitcoin');
  expect(scene.received()).toContain('blockchain rollback');
  expect(scene.transaction(order.transactionId).status).toBe('mined');
});

test('outputs held by a waiting transaction pause the next order silently', () => {
  const { scene, bitcoin } = fundedScene();
  scene.order({ ...bitcoin, amount: 1_000_000n });
  scene.log.length = 0;
  const order = scene.order({ ...bitcoin, amount: 2_000_000n });
  expect(scene.received()).toEqual(['outgoing pending', 'outgoing requested']);
  expect(order.status).toBe('requested');
  scene.mine('bitcoin');
  expect(scene.transaction(order.transactionId).status).toBe('submitted');
});
