import { expect, test } from 'vitest';
import type { Transaction } from '../../../src/wire/transaction.ts';
import { Scene } from '../world/scene.ts';
import { Senders } from './senders.ts';

const ETH = 10n ** 18n;
const DAY_MS = 24 * 3_600_000;

function nonceOf(transaction: Transaction): unknown {
  return transaction.metadata?.['nonce'];
}

function hashOf(transaction: Transaction): string {
  return transaction.blockchainHash ?? '';
}

test.each(['ethereum', 'polygon'])(
  'on %s, each address numbers its own transactions from 0, of any kind',
  (network) => {
    const senders = new Senders({ network });
    const { scene, addresses } = senders;
    scene.log.length = 0;
    expect(nonceOf(senders.send())).toBe(0);
    expect(nonceOf(senders.send({ asset: `${network}:USDC` }))).toBe(1);
    expect(nonceOf(senders.send({}, addresses[1]))).toBe(0);
    const debit = senders.debit();
    const received = scene.log.find(({ blockchainHash }) => blockchainHash === debit);
    expect(received?.['metadata']).toEqual({ nonce: 2 });
    scene.mine(network);
    expect(nonceOf(senders.send())).toBe(3);
    expect(senders.mempool()).toHaveLength(1);
  },
);

test('the nonce is shown from submitted onward and replaces a field of the client of that name', () => {
  const senders = new Senders();
  senders.send({ metadata: { nonce: 'mine', note: 'kept' } });
  senders.scene.mine('ethereum');
  const received = senders.scene.log
    .filter(({ stream }) => stream === 'outgoing')
    .map(({ type, metadata }) => [type, (metadata as Record<string, unknown>)['nonce']]);
  expect(received).toEqual([
    ['pending', 'mine'],
    ['requested', 'mine'],
    ['inited', 'mine'],
    ['signed', 'mine'],
    ['submitted', 0],
    ['mined', 0],
  ]);
  const onChain = senders.scene.log.filter(({ stream }) => stream === 'blockchain');
  expect(onChain.map(({ type }) => type)).toEqual(['mempool', 'transaction', 'confirmation']);
  expect(onChain[1]?.['metadata']).toMatchObject({ nonce: 0, note: 'kept' });
});

test.each(['bitcoin', 'tron', 'ripple', 'stellar', 'neo', 'sui'])(
  'on %s there are no nonces',
  (network) => {
    const scene = new Scene();
    const vault = scene.vault();
    const address = scene.address(vault, network);
    const assets = scene.world.networks().find(({ key }) => key === network)?.assets ?? [];
    for (const { asset } of assets) scene.fund(address, asset.slice(network.length + 1), ETH);
    const asset = assets[0]?.asset ?? '';
    const order = scene.order({ vaultId: vault.vaultId, network, asset, amount: 100_000n });
    expect(order.status).toBe('submitted');
    expect(order.metadata).not.toHaveProperty('nonce');
  },
);

test('a replacement has its original’s nonce; whichever is mined makes the other replaced', () => {
  const senders = new Senders();
  const { scene } = senders;
  const [first, second] = [senders.send(), senders.send()];
  const bid = senders.send({ replacesTransactionId: first.transactionId });
  const bidOnBid = senders.send({ replacesTransactionId: bid.transactionId });
  const rivalBid = senders.send({ replacesTransactionId: first.transactionId });
  expect([first, second, bid, bidOnBid, rivalBid].map(nonceOf)).toEqual([0, 1, 0, 0, 0]);
  scene.mine('ethereum');
  expect([first, second, bid, bidOnBid, rivalBid].map((each) => senders.status(each))).toEqual([
    'replaced',
    'mined',
    'replaced',
    'mined',
    'replaced',
  ]);
  expect(nonceOf(senders.send())).toBe(2);
});

test('an original that is mined makes its replacement replaced', () => {
  const senders = new Senders();
  const { scene, addresses } = senders;
  const deposit = scene.pay(addresses[0], 'ETH', ETH);
  scene.mine('ethereum');
  const original = senders.send();
  const bid = senders.send({
    amount: 2n * ETH - 10n ** 15n,
    replacesTransactionId: original.transactionId,
  });
  expect(bid.status).toBe('submitted');
  // The funds of the replacement disappear.
  scene.reorg('ethereum', 1, [deposit]);
  scene.mine('ethereum');
  expect([original, bid].map((each) => senders.status(each))).toEqual(['mined', 'replaced']);
  expect(nonceOf(senders.send())).toBe(1);
});

test('only the sender of a transaction can replace it', () => {
  const senders = new Senders();
  const { addresses } = senders;
  const original = senders.send();
  const { transactionId, vaultId } = { ...original };
  const replacement = { replacesTransactionId: transactionId };
  expect(senders.send(replacement, addresses[1])).toMatchObject({
    status: 'cancelled',
    reasonCode: 'invalid_order',
  });
  const ofVault = senders.scene.order({
    vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 5n,
    ...replacement,
  });
  expect([ofVault.status, nonceOf(ofVault)]).toEqual(['submitted', 0]);
});

test('transactions behind a gap wait; the sender’s next transaction fills the gap', () => {
  const senders = new Senders();
  const { scene, addresses } = senders;
  const sent = [senders.send(), senders.send(), senders.send()];
  const [lost] = sent;
  if (lost === undefined) throw new Error('nothing sent');
  scene.reorg('ethereum', 0, [hashOf(lost)]);
  scene.log.length = 0;
  scene.mine('ethereum', 20);
  expect(scene.received()).toEqual([]);
  expect(sent.map((each) => senders.status(each))).toEqual([
    'rolledback',
    'submitted',
    'submitted',
  ]);
  const other = senders.send({}, addresses[1]);
  const filler = senders.send();
  expect([nonceOf(other), nonceOf(filler)]).toEqual([0, 0]);
  scene.log.length = 0;
  scene.mine('ethereum');
  const mined = scene.log
    .filter(({ stream, type }) => stream === 'outgoing' && type === 'mined')
    .map(({ transactionId }) => transactionId);
  // In order of broadcast, but each nonce after the one below it.
  const order = [other, filler, ...sent.slice(1)].map(({ transactionId }) => transactionId);
  expect(mined).toEqual(order);
  expect(nonceOf(senders.send())).toBe(3);
});

test('a paused order that is tried again fills a gap, too', () => {
  const senders = new Senders();
  const { scene, addresses } = senders;
  const lost = senders.send();
  const pending = senders.send({ amount: ETH / 2n });
  const paused = senders.send({ amount: ETH });
  expect(paused.status).toBe('inited');
  scene.reorg('ethereum', 0, [hashOf(lost)]);
  scene.pay(addresses[0], 'ETH', ETH);
  scene.mine('ethereum');
  expect(nonceOf(scene.transaction(paused.transactionId))).toBe(0);
  scene.mine('ethereum');
  expect([pending, paused].map((each) => senders.status(each))).toEqual(['mined', 'mined']);
});

test('a transaction that reverts has used its nonce', () => {
  const senders = new Senders();
  const { scene } = senders;
  scene.world.setTransactionFaults([{ fault: 'revert', count: 1 }]);
  const [reverted, next] = [senders.send(), senders.send()];
  scene.mine('ethereum');
  expect([reverted, next].map((each) => senders.status(each))).toEqual(['failed', 'mined']);
  expect([reverted, next, senders.send()].map(nonceOf)).toEqual([0, 1, 2]);
});

test('an order that ends before it is broadcast takes no nonce', () => {
  const senders = new Senders();
  const { scene } = senders;
  scene.world.setTransactionFaults([
    { fault: 'processing', count: 1 },
    { fault: 'cancel', reasonCode: 'order_expired', count: 1 },
  ]);
  const [failed, cancelled] = [senders.send(), senders.send()];
  expect([failed, cancelled].map(({ status }) => status)).toEqual(['failed', 'cancelled']);
  expect([failed, cancelled, senders.send()].map(nonceOf)).toEqual([undefined, undefined, 0]);
});

test('a transaction without funds is dropped and leaves a gap', () => {
  const senders = new Senders();
  const { scene, addresses } = senders;
  const deposit = scene.pay(addresses[0], 'ETH', ETH);
  scene.mine('ethereum');
  const [large, small] = [senders.send({ amount: ETH }), senders.send()];
  scene.reorg('ethereum', 1, [deposit]);
  scene.mine('ethereum');
  expect([large, small].map((each) => senders.status(each))).toEqual(['rolledback', 'submitted']);
  expect(senders.mempool()).toEqual([hashOf(small)]);
  expect(nonceOf(senders.send())).toBe(0);
});

test('a reorg that drops a nonce sends the later ones back to wait; they stay mined and come again', () => {
  const senders = new Senders();
  const { scene } = senders;
  const receiver = scene.address(scene.vault(), 'ethereum');
  const lost = senders.send();
  const inside = senders.send({ destinationAddress: receiver.networkAddress });
  scene.mine('ethereum');
  scene.log.length = 0;
  scene.reorg('ethereum', 1, [hashOf(lost)]);
  expect(scene.received()).toEqual([
    'incoming rollback [1000 ETH]',
    'blockchain rollback',
    'blockchain rollback',
    'blockchain rollback',
    'outgoing rolledback',
  ]);
  scene.mine('ethereum', 30);
  expect(scene.received()).toEqual([]);
  expect(scene.transaction(inside.transactionId)).toMatchObject({
    status: 'mined',
    confirmations: 0,
  });
  const filler = senders.send();
  expect(nonceOf(filler)).toBe(0);
  scene.log.length = 0;
  scene.mine('ethereum');
  expect(scene.received()).toEqual([
    'outgoing mined [-1000 ETH, -21000000000000 ETH fee]',
    'blockchain transaction [-1000 ETH, -21000000000000 ETH fee]',
    'blockchain confirmation 1',
    'blockchain transaction [-1000 ETH, -21000000000000 ETH fee]',
    'blockchain transaction [1000 ETH]',
    'incoming confirmation 1 [1000 ETH]',
    'blockchain confirmation 1',
    'blockchain confirmation 1',
  ]);
  expect(scene.transaction(inside.transactionId)).toMatchObject({
    status: 'mined',
    confirmations: 1,
  });
});

test('weeks behind a gap take no time to run, and end with the transaction that fills it', async () => {
  const senders = new Senders({ network: 'polygon', autoMine: true });
  const { scene } = senders;
  const [lost, pending] = [senders.send(), senders.send()];
  scene.reorg('polygon', 0, [hashOf(lost)]);
  await scene.clock.advance(60 * DAY_MS);
  expect(senders.status(pending)).toBe('submitted');
  const filler = senders.send();
  await scene.clock.advance(2000);
  expect([filler, pending].map((each) => senders.status(each))).toEqual(['mined', 'mined']);
});

test('a world restored during a gap continues exactly like the first one', async () => {
  const senders = new Senders({ autoMine: true });
  const { scene } = senders;
  const lost = [senders.send(), senders.send(), senders.send(), senders.send()];
  await scene.clock.advance(12_000);
  scene.reorg(
    'ethereum',
    1,
    [0, 2].map((index) => hashOf(lost[index] ?? senders.send())),
  );
  senders.send();
  const snapshot = scene.state.snapshot();
  const nowMs = scene.clock.now();
  let orders = 0;
  const future = async (): Promise<string> => {
    scene.log.length = 0;
    for (let count = 0; count < 3; count += 1) {
      senders.send({ orderId: `after ${(orders += 1) % 3}` });
      await scene.clock.advance(DAY_MS);
    }
    return JSON.stringify([scene.log, scene.world.transactions({}), scene.world.chains()]);
  };
  const first = await future();
  scene.world.stop();
  scene.clock.reset(nowMs);
  scene.state.restore(snapshot);
  scene.world.resume();
  expect(await future()).toBe(first);
  expect(senders.mempool()).toEqual([]);
});
