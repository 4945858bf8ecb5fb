import { expect, test } from 'vitest';
import { Scene } from '../world/scene.ts';

const ETH = 10n ** 18n;

test('a deposit climbs through the published depths', () => {
  const scene = new Scene();
  const address = scene.address(scene.vault(), 'ethereum');
  scene.pay(address, 'ETH', 700n);
  expect(scene.received()).toEqual(['blockchain mempool [700 ETH]', 'incoming mempool [700 ETH]']);
  scene.mine('ethereum');
  expect(scene.received()).toEqual([
    'blockchain transaction [700 ETH]',
    'incoming confirmation 1 [700 ETH]',
    'blockchain confirmation 1',
  ]);
  scene.mine('ethereum', 2);
  expect(scene.received()).toEqual([
    'incoming confirmation 3 [700 ETH]',
    'blockchain confirmation 3',
  ]);
  scene.mine('ethereum', 100);
  expect(scene.received()).toEqual([
    'incoming confirmation 12 [700 ETH]',
    'blockchain confirmation 12',
  ]);
});

test('a token withdrawal reports every step once, and the fee apart', () => {
  const scene = new Scene();
  const vault = scene.vault();
  const address = scene.address(vault, 'ethereum');
  scene.fund(address, 'ETH', ETH);
  scene.fund(address, 'USDC', 5_000_000n);
  scene.order({
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:USDC',
    amount: 2_000_000n,
  });
  const entries = '[-2000000 USDC erc20, -65000000000000 ETH fee]';
  expect(scene.received()).toEqual([
    'outgoing pending',
    'outgoing requested',
    'outgoing inited',
    'outgoing signed',
    'outgoing submitted',
    `blockchain mempool ${entries}`,
  ]);
  scene.mine('ethereum', 12);
  expect(scene.received()).toEqual([
    `outgoing mined ${entries}`,
    `blockchain transaction ${entries}`,
    'blockchain confirmation 1',
    'blockchain confirmation 3',
    'blockchain confirmation 12',
  ]);
});

test('a transfer between own vaults debits one and arrives as incoming in the other', () => {
  const scene = new Scene();
  const [sender, receiver] = [scene.vault(), scene.vault()];
  const from = scene.address(sender, 'ethereum');
  const to = scene.address(receiver, 'ethereum');
  scene.fund(from, 'ETH', ETH);
  const { transactionId } = scene.order({
    vaultId: sender.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 400n,
    destinationAddress: to.networkAddress.toLowerCase(),
  });
  scene.log.length = 0;
  scene.mine('ethereum');
  const sides = (vaultId: string) =>
    scene.log.filter((notification) => notification.vaultId === vaultId);
  expect(sides(receiver.vaultId).map((each) => each['transactionId'] === transactionId)).toEqual([
    true,
    false,
    true,
  ]);
  expect(scene.received()).toEqual([
    'outgoing mined [-400 ETH, -21000000000000 ETH fee]',
    'blockchain transaction [-400 ETH, -21000000000000 ETH fee]',
    'blockchain transaction [400 ETH]',
    'incoming confirmation 1 [400 ETH]',
    'blockchain confirmation 1',
    'blockchain confirmation 1',
  ]);
});

test('a reverted transaction fails, pays its fee, and its announced payment is rolled back', () => {
  const scene = new Scene();
  const [sender, receiver] = [scene.vault(), scene.vault()];
  const from = scene.address(sender, 'ethereum');
  const to = scene.address(receiver, 'ethereum');
  scene.fund(from, 'ETH', ETH);
  scene.world.setTransactionFaults([{ fault: 'revert', count: 1 }]);
  scene.order({
    vaultId: sender.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 400n,
    destinationAddress: to.networkAddress,
  });
  scene.log.length = 0;
  scene.mine('ethereum', 3);
  expect(scene.received()).toEqual([
    'outgoing failed',
    'blockchain transaction [-21000000000000 ETH fee]',
    'blockchain rollback',
    'incoming rollback [400 ETH]',
    'blockchain confirmation 1',
    'blockchain confirmation 3',
  ]);
  expect(scene.world.truthBalances().map((row) => row.amount)).toEqual([ETH - 21_000_000_000_000n]);
});

test('a reorg restarts the hash’s confirmations at 1; a mined withdrawal stays mined', () => {
  const scene = new Scene();
  const vault = scene.vault();
  const address = scene.address(vault, 'ethereum');
  scene.fund(address, 'ETH', ETH);
  scene.pay(address, 'ETH', 7n);
  const order = scene.order({
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 5n,
  });
  scene.mine('ethereum', 3);
  scene.log.length = 0;
  scene.reorg('ethereum', 3);
  expect(scene.received()).toEqual([
    'blockchain rollback',
    'incoming rollback [7 ETH]',
    'blockchain rollback',
  ]);
  scene.mine('ethereum', 12);
  expect(scene.received('outgoing')).toEqual([]);
  expect(scene.transaction(order.transactionId)).toMatchObject({
    status: 'mined',
    confirmations: 12,
  });
});

test('a transaction dropped by a reorg does not return, and its withdrawal is rolledback', () => {
  const scene = new Scene();
  const vault = scene.vault();
  const address = scene.address(vault, 'ethereum');
  scene.fund(address, 'ETH', ETH);
  const hash = scene.pay(address, 'ETH', 7n);
  const order = scene.order({
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 5n,
  });
  scene.mine('ethereum');
  scene.log.length = 0;
  scene.reorg('ethereum', 1, [hash, order.blockchainHash ?? '']);
  expect(scene.received()).toEqual([
    'blockchain rollback',
    'incoming rollback [7 ETH]',
    'blockchain rollback',
    'outgoing rolledback',
  ]);
  scene.mine('ethereum', 20);
  expect(scene.received()).toEqual([]);
  expect(scene.transaction(order.transactionId).status).toBe('rolledback');
  expect(scene.world.truthBalances().map((row) => row.amount)).toEqual([ETH]);
});

test('a submitted withdrawal that the mempool drops is rolledback', () => {
  const scene = new Scene();
  const vault = scene.vault();
  const address = scene.address(vault, 'ethereum');
  scene.fund(address, 'ETH', ETH);
  const order = scene.order({
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 5n,
  });
  scene.log.length = 0;
  scene.reorg('ethereum', 0, [order.blockchainHash ?? '']);
  expect(scene.received()).toEqual(['blockchain rollback', 'outgoing rolledback']);
});

test('an unrecognised token arrives without a formatted amount', () => {
  const scene = new Scene();
  const address = scene.address(scene.vault(), 'ethereum');
  scene.pay(address, '0xdac17f958d2ee523a2206206994597c13d831ec7', 9n);
  const [first] = scene.log;
  const [entry] = (first?.['balanceChanges'] ?? []) as Record<string, unknown>[];
  expect(entry).toMatchObject({ amount: '9', tags: ['erc20'] });
  expect(entry).not.toHaveProperty('amountFormatted');
});
