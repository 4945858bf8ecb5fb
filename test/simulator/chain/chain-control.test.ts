import { expect, test } from 'vitest';
import { record, Scene } from '../world/scene.ts';

test('a double-spent deposit is rolled back from the mempool and never confirms', () => {
  const scene = new Scene();
  const address = scene.address(scene.vault(), 'bitcoin');
  const hash = scene.pay(address, 'BTC', 5_000n);
  scene.log.length = 0;
  scene.reorg('bitcoin', 0, [hash]);
  expect(scene.received()).toEqual(['incoming rollback [5000 BTC]', 'blockchain rollback']);
  scene.mine('bitcoin', 10);
  expect(scene.received()).toEqual([]);
  expect(scene.world.addressTransactions(address.addressId)).toMatchObject([
    { blockchainHash: hash, status: 'rolledback', confirmations: 0, blockHeight: null },
  ]);
});

test('a transaction below a shallow reorg repeats none of its confirmations', () => {
  const scene = new Scene();
  const address = scene.address(scene.vault(), 'ethereum');
  scene.pay(address, 'ETH', 5n);
  scene.mine('ethereum', 4);
  scene.log.length = 0;
  scene.reorg('ethereum', 2);
  scene.mine('ethereum', 9);
  expect(scene.received()).toEqual([]);
  scene.mine('ethereum');
  expect(scene.received()).toEqual([
    'incoming confirmation 12 [5 ETH]',
    'blockchain confirmation 12',
  ]);
});

test('a mined-again transaction can be rolled back again', () => {
  const scene = new Scene();
  const address = scene.address(scene.vault(), 'ripple');
  scene.pay(address, 'XRP', 5n);
  for (let round = 0; round < 3; round += 1) {
    scene.mine('ripple');
    expect(scene.received('incoming')).toEqual(['incoming confirmation 1 [5 XRP]']);
    scene.reorg('ripple', 1);
    expect(scene.received('incoming')).toEqual(['incoming rollback [5 XRP]']);
  }
});

test('automatic blocks come at the block time and keep their phase under manual ones', async () => {
  const scene = new Scene({ autoMine: true });
  const address = scene.address(scene.vault(), 'ethereum');
  scene.pay(address, 'ETH', 5n);
  await scene.clock.advance(11_999);
  expect(scene.received('incoming')).toEqual(['incoming mempool [5 ETH]']);
  await scene.clock.advance(1);
  expect(scene.received('incoming')).toEqual(['incoming confirmation 1 [5 ETH]']);
  scene.mine('ethereum');
  await scene.clock.advance(12_000);
  expect(scene.received('incoming')).toEqual(['incoming confirmation 3 [5 ETH]']);
});

test('time alone moves no chain when automatic blocks are off', async () => {
  const scene = new Scene({ autoMine: false });
  const before = scene.world.chains();
  await scene.clock.advance(86_400_000);
  expect(scene.world.chains()).toEqual(before);
});

test('impossible requests are refused with their codes', () => {
  const scene = new Scene();
  const { world } = scene;
  const vault = scene.vault();
  const { addressId } = scene.address(vault, 'ethereum');
  const pay = (network: string, output: object) =>
    world.deposit({ network, outputs: [{ asset: 'ethereum:ETH', amount: 1n, ...output }] });
  expect(pay('none', { addressId })).toMatchObject({ code: 'BR-1001' });
  expect(pay('ethereum', { addressId, asset: 'ethereum:X' })).toMatchObject({ code: 'BR-1002' });
  expect(pay('ethereum', { addressId, amount: 0n })).toMatchObject({ code: 'BR-1' });
  expect(pay('ethereum', { addressId, memo: '1' })).toMatchObject({ code: 'BR-1' });
  expect(pay('ethereum', { addressId: 'none' })).toMatchObject({ code: 'NE-1' });
  expect(pay('ethereum', { networkAddress: 'outside' })).toMatchObject({ code: 'NE-1' });
  expect(pay('ethereum', {})).toMatchObject({ code: 'BR-1' });
  expect(pay('polygon', { addressId, asset: 'polygon:POL' })).toMatchObject({ code: 'ADR-3002' });
  expect(world.mineBlocks('none', 1)).toMatchObject({ code: 'BR-1001' });
  expect(world.mineBlocks('ethereum', 0)).toMatchObject({ code: 'BR-1' });
  expect(world.reorg({ network: 'ethereum', depth: -1 })).toMatchObject({ code: 'BR-1' });
  expect(world.reorg({ network: 'ethereum', depth: 1, drop: ['none'] })).toMatchObject({
    code: 'NE-1',
  });
  expect(
    world.externalDebit({
      network: 'ethereum',
      addressId,
      asset: 'ethereum:ETH',
      amount: 1n,
      destinationAddress: 'thief',
    }),
  ).toMatchObject({ code: 'UE-1' });
});

test('transactions are listed by filter, sorted and cut', () => {
  const scene = new Scene();
  const vault = scene.vault();
  const address = scene.address(vault, 'ethereum');
  scene.fund(address, 'ETH', 10n ** 18n);
  const order = scene.order({
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 5n,
  });
  const [deposit] = scene.world.transactions({ type: 'incoming' }).data;
  const ids = (query: Parameters<typeof scene.world.transactions>[0]) =>
    scene.world.transactions(query).data.map((each) => each.transactionId);
  expect(ids({})).toEqual([deposit?.transactionId, order.transactionId]);
  expect(ids({ sort: { field: 'createdAt', order: 'desc' }, limit: 1 })).toEqual([
    order.transactionId,
  ]);
  expect(ids({ offset: 1 })).toEqual([order.transactionId]);
  expect(ids({ status: 'confirmed' })).toEqual([deposit?.transactionId]);
  expect(ids({ blockchainHash: order.blockchainHash ?? '' })).toEqual([order.transactionId]);
  expect(ids({ search: 'order-' })).toEqual([order.transactionId]);
  expect(scene.world.transactions({ limit: 0 })).toEqual({ data: [], total: 2 });
  expect(record({ kind: 'done', record: scene.transaction(order.transactionId) })).toMatchObject({
    type: 'outgoing',
    asset: 'ethereum:ETH',
    amount: '5',
  });
});
