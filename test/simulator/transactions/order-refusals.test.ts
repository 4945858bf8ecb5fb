import { expect, test } from 'vitest';
import type { VaultRequest } from '../../../src/simulator/world/vault.ts';
import { record, Scene } from '../world/scene.ts';
import { OUTSIDE } from '../outside-addresses.ts';

function fundedScene(request: Partial<VaultRequest> = {}) {
  const scene = new Scene({ autoMine: false });
  const vault = scene.vault(request);
  scene.fund(scene.address(vault, 'ethereum'), 'ETH', 10n ** 18n);
  const order = {
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 1000n,
  };
  return { scene, vault, order };
}

test('an approver decides once; other clients, and all after the quorum, are refused', () => {
  const { scene, order } = fundedScene({ quorum: 2, approvers: ['a', 'b', 'c'] });
  const { transactionId } = scene.order(order);
  const approve = (clientId: string) => scene.world.approve({ transactionId, clientId });
  record(approve('a'));
  expect(approve('a')).toMatchObject({ code: 'CFR-1' });
  expect(approve('x')).toMatchObject({ code: 'AU-1' });
  record(approve('b'));
  expect(approve('c')).toMatchObject({ code: 'CFR-1' });
});

test('only master approvers decide on the bundle, which is shown once it is built', () => {
  const { scene, order } = fundedScene({
    quorum: 1,
    approvers: ['a'],
    masterApproval: { approvers: ['m', 'n'] },
  });
  const { transactionId } = scene.order(order);
  expect(scene.world.masterApprovalPayload(transactionId)).toMatchObject({ code: 'CFR-1' });
  record(scene.world.approve({ transactionId, clientId: 'a' }));
  expect(scene.world.approve({ transactionId, clientId: 'a' })).toMatchObject({ code: 'AU-1' });
  const bundle = record(scene.world.masterApprovalPayload(transactionId));
  expect(bundle).toMatchObject({ complete: false, approvals: [{ clientId: 'a' }] });
});

test('a fault strikes only its vault', () => {
  const { scene, order } = fundedScene();
  scene.world.setTransactionFaults([{ fault: 'processing', vaultId: 'another' }]);
  expect(scene.order(order).status).toBe('submitted');
});

test('an order with the source of another vault, or a memo that no payment carries, is refused', () => {
  const { scene, order } = fundedScene();
  const { addressId } = scene.address(scene.vault(), 'ethereum');
  const ordered = (changes: object) =>
    scene.world.orderTransaction({
      ...order,
      orderId: 'refused',
      destinationAddress: OUTSIDE.ethereum,
      ...changes,
    });
  expect(ordered({ addressId })).toMatchObject({ code: 'TX-2002' });
  expect(ordered({ memo: '7' })).toMatchObject({ code: 'BR-1' });
});
