import { expect, test } from 'vitest';
import { record } from '../world/scene.ts';
import { signer } from './signer.ts';

test.each(['compact', 'der'] as const)('a %s signature by the right key submits', (format) => {
  const { scene, vault, sign } = signer();
  const address = scene.address(vault, 'ethereum');
  scene.fund(address, 'ETH', 10n ** 18n);
  const order = scene.order({
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 5n,
  });
  expect(scene.received()).toEqual([
    'outgoing pending',
    'outgoing requested',
    'outgoing inited',
    'outgoing to-sign',
  ]);
  expect(order).toMatchObject({ status: 'to-sign', blockchainHash: null });
  const { transactionId, signingPayloads } = order;
  const signatures = (signingPayloads ?? []).map((payload) => sign(payload, format));
  record(scene.world.submitSignatures({ transactionId, signatures }));
  expect(scene.received('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
  scene.mine('ethereum');
  expect(scene.transaction(transactionId).status).toBe('mined');
});

test('every input wants its own signature, by its own key, over its own digest', () => {
  const { scene, sign } = signer();
  const creation = scene.world.vaults()[0];
  if (creation === undefined) throw new Error('no vault');
  const address = scene.address(creation, 'bitcoin');
  scene.fund(address, 'BTC', 50_000n);
  scene.fund(address, 'BTC', 60_000n);
  const order = scene.order({
    vaultId: creation.vaultId,
    network: 'bitcoin',
    asset: 'bitcoin:BTC',
    amount: 100_000n,
  });
  const { transactionId } = order;
  const payloads = order.signingPayloads ?? [];
  expect(new Set(payloads.map((each) => each.payload)).size).toBe(2);
  const [first, second] = payloads.map((payload) => sign(payload));
  if (first === undefined || second === undefined) throw new Error('two inputs');
  const wrong = sign({ payload: second.payload, hdpath: 'm/1' });
  for (const signatures of [
    [],
    [first],
    [first, wrong],
    [first, { ...second, signature: first.signature }],
    [first, { ...second, signature: 'zz' }],
    // A wrong signature beside the right ones: the signer has read another bundle.
    [first, second, wrong],
    [first, second, sign({ payload: 'ab'.repeat(32), hdpath: 'm/1' })],
  ]) {
    expect(scene.world.submitSignatures({ transactionId, signatures })).toMatchObject({
      code: 'UE-1',
    });
  }
  expect(scene.transaction(transactionId).status).toBe('to-sign');
  record(scene.world.submitSignatures({ transactionId, signatures: [second, first] }));
  expect(scene.transaction(transactionId).status).toBe('submitted');
  expect(
    scene.world.submitSignatures({ transactionId, signatures: [first, second] }),
  ).toMatchObject({ code: 'CFR-1' });
});

test('funds of an unsigned transaction are reserved, and freed by a decline', () => {
  const { scene, vault } = signer();
  const address = scene.address(vault, 'bitcoin');
  scene.fund(address, 'BTC', 50_000n);
  const request = {
    vaultId: vault.vaultId,
    network: 'bitcoin',
    asset: 'bitcoin:BTC',
    amount: 20_000n,
  };
  const first = scene.order(request);
  const second = scene.order(request);
  expect([first.status, second.status]).toEqual(['to-sign', 'requested']);
  record(scene.world.cancel(first.transactionId));
  scene.mine('bitcoin');
  expect(scene.transaction(second.transactionId).status).toBe('to-sign');
});

test('the core keeps no private half of an external signer', () => {
  const { scene, vault } = signer();
  const keys = scene.state.table<object>('vaultKeys').get(vault.vaultId);
  expect(Object.keys(keys ?? {})).toEqual(['kind', 'xpub']);
  expect(JSON.stringify(keys)).toContain('xpub');
});

test('a network whose keys are not secp256k1 is refused to an external signer', () => {
  const { scene, vault } = signer();
  const account = record(scene.world.createAccount({ vaultId: vault.vaultId, name: 'main' }));
  expect(
    scene.world.createAddress({ accountId: account.accountId, network: 'stellar' }),
  ).toMatchObject({ code: 'UE-1' });
});
