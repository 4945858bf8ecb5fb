import { expect, test } from 'vitest';
import { CANCELLATION_REASONS } from '../../../src/wire/notification.ts';
import type { VaultRequest } from '../../../src/simulator/world/world.ts';
import { record, Scene } from '../world/scene.ts';
import { OUTSIDE } from '../outside.ts';

const ETH = 10n ** 18n;
const HOUR_MS = 3_600_000;

function fundedScene(request: Partial<VaultRequest> = {}, funds = ETH) {
  const scene = new Scene({ autoMine: false });
  const vault = scene.vault(request);
  const address = scene.address(vault, 'ethereum');
  if (funds > 0n) scene.fund(address, 'ETH', funds);
  const order = {
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: 1000n,
  };
  return { scene, vault, address, order };
}

const SENT = ['outgoing requested', 'outgoing inited', 'outgoing signed', 'outgoing submitted'];

test('a quorum-gated order tells approval-pending, each step but the last, and never pending', () => {
  const { scene, order } = fundedScene({ quorum: 3, approvers: ['a', 'b', 'c', 'd'] });
  const { transactionId, status } = scene.order(order);
  expect(status).toBe('approval-pending');
  expect(scene.log[0]).toMatchObject({ type: 'approval-pending', quorum: 3, approvals: [] });
  expect(scene.log[0]?.['flowId']).toEqual(expect.any(String));
  expect(scene.told()).toEqual(['outgoing approval-pending']);
  for (const clientId of ['a', 'b']) record(scene.world.approve({ transactionId, clientId }));
  expect(scene.log[1]?.['approvals']).toMatchObject([{ clientId: 'a' }, { clientId: 'b' }]);
  expect(scene.told()).toEqual(['outgoing approved', 'outgoing approved']);
  expect(scene.world.approve({ transactionId, clientId: 'a' })).toMatchObject({ code: 'CFR-1' });
  expect(scene.world.approve({ transactionId, clientId: 'x' })).toMatchObject({ code: 'AU-1' });
  record(scene.world.approve({ transactionId, clientId: 'c' }));
  expect(scene.told('outgoing')).toEqual(SENT);
  expect(scene.world.approve({ transactionId, clientId: 'd' })).toMatchObject({ code: 'CFR-1' });
});

test('an order without quorum tells pending once, and no hash before submitted', () => {
  const { scene, order } = fundedScene();
  scene.order(order);
  const outgoing = scene.log.filter((each) => each.stream === 'outgoing');
  expect(outgoing.map((each) => 'blockchainHash' in each)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
  expect(outgoing[0]).toMatchObject({ type: 'pending', quorum: 0, approvals: [] });
  expect(outgoing[0]).not.toHaveProperty('flowId');
  expect(scene.told('outgoing')).toEqual(['outgoing pending', ...SENT]);
});

test('a rejection, a decline and an unanswered flow each end in their own cancellation', () => {
  const { scene, order } = fundedScene({ quorum: 1, approvers: ['a'] });
  const rejected = scene.order(order);
  record(scene.world.reject({ transactionId: rejected.transactionId, clientId: 'a' }));
  const declined = scene.order(order);
  record(scene.world.cancel(declined.transactionId));
  expect(scene.told()).toEqual([
    'outgoing approval-pending',
    'outgoing cancelled rejected_by_approver',
    'outgoing approval-pending',
    'outgoing cancelled declined_by_client',
  ]);
  expect(scene.world.cancel(declined.transactionId)).toMatchObject({ code: 'CFR-1' });
});

test('an order that nobody approves expires', async () => {
  const { scene, order } = fundedScene({ quorum: 1, approvers: ['a'] });
  const { transactionId } = scene.order(order);
  await scene.clock.advance(8 * 24 * HOUR_MS);
  expect(scene.told()).toEqual(['outgoing approval-pending', 'outgoing cancelled order_expired']);
  expect(scene.transaction(transactionId).reasonCode).toBe('order_expired');
});

test('a shortage warns once, keeps the status, and resumes after a top-up', async () => {
  const { scene, order, address } = fundedScene({}, 500n);
  const { transactionId, status } = scene.order(order);
  expect(status).toBe('inited');
  await scene.clock.advance(HOUR_MS);
  expect(scene.told()).toEqual([
    'outgoing pending',
    'outgoing requested',
    'outgoing inited',
    'outgoing warning insufficient_balance',
  ]);
  expect(scene.world.events(transactionId)?.at(-1)).toMatchObject({
    type: 'warning',
    reasonDetails: {
      shortfalls: [{ asset: 'ethereum:ETH', required: '21000000001000', available: '500' }],
    },
  });
  scene.pay(address, 'ETH', ETH);
  scene.log.length = 0;
  scene.mine('ethereum');
  expect(scene.told('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
  expect(scene.transaction(transactionId)).not.toHaveProperty('reasonCode');
});

test('a shortage that lasts for the retry window ends cancelled with its reason', async () => {
  const { scene, order } = fundedScene({}, 0n);
  const { transactionId } = scene.order(order);
  await scene.clock.advance(24 * HOUR_MS - 1);
  expect(scene.transaction(transactionId).status).toBe('inited');
  await scene.clock.advance(1);
  expect(scene.told().at(-1)).toBe('outgoing cancelled insufficient_balance');
});

test('a forced pause resumes at the next retry; only two reasons warn', async () => {
  const { scene, order } = fundedScene();
  scene.world.setTransactionFaults([
    { fault: 'pause', reasonCode: 'hosted_singner_unavailable', count: 1 },
  ]);
  scene.order(order);
  expect(scene.told('outgoing').at(-1)).toBe('outgoing warning hosted_singner_unavailable');
  await scene.clock.advance(60_000);
  expect(scene.told('outgoing')).toEqual(['outgoing signed', 'outgoing submitted']);
  scene.world.setTransactionFaults([{ fault: 'pause', reasonCode: 'managed_singner_unavailable' }]);
  scene.order(order);
  await scene.clock.advance(24 * HOUR_MS);
  expect(scene.told('outgoing')).toEqual([
    'outgoing pending',
    'outgoing requested',
    'outgoing inited',
    'outgoing cancelled managed_singner_unavailable',
  ]);
});

test.each(CANCELLATION_REASONS)('an order can end cancelled as %s', (reasonCode) => {
  const { scene, order } = fundedScene();
  scene.world.setTransactionFaults([{ fault: 'cancel', reasonCode, count: 1 }]);
  expect(scene.order(order)).toMatchObject({ status: 'cancelled', reasonCode });
  expect(scene.order(order).status).toBe('submitted');
});

test('a failure during processing carries no hash', () => {
  const { scene, order } = fundedScene();
  scene.world.setTransactionFaults([{ fault: 'processing', count: 1 }]);
  const failed = scene.order(order);
  expect(failed).toMatchObject({ status: 'failed', blockchainHash: null });
  expect(scene.log.at(-1)?.type).toBe('failed');
  expect(scene.log.at(-1)).not.toHaveProperty('blockchainHash');
});

test('a fault strikes only its vault', () => {
  const { scene, order } = fundedScene();
  scene.world.setTransactionFaults([{ fault: 'processing', vaultId: 'another' }]);
  expect(scene.order(order).status).toBe('submitted');
});

test('master approvers decide on the built bundle; a rejection is theirs by name', () => {
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
  expect(bundle.payloads.map(({ hdpath }) => hdpath)).toEqual(["m/44'/60'/0'/0/0"]);
  expect(bundle.payloads[0]?.payload).toMatch(/^[0-9a-f]{64}$/);
  record(scene.world.approve({ transactionId, clientId: 'm' }));
  record(scene.world.approve({ transactionId, clientId: 'n' }));
  expect(scene.told('outgoing')).toEqual([
    'outgoing approval-pending',
    'outgoing requested',
    'outgoing inited',
    'outgoing approved',
    'outgoing signed',
    'outgoing submitted',
  ]);
  const second = scene.order(order);
  record(scene.world.approve({ transactionId: second.transactionId, clientId: 'a' }));
  record(scene.world.reject({ transactionId: second.transactionId, clientId: 'n' }));
  expect(scene.told().at(-1)).toBe('outgoing cancelled rejected_by_master_approver');
});

test('the same orderId returns the same transaction, whatever else the request says', () => {
  const { scene, order } = fundedScene();
  const first = scene.world.orderTransaction({
    ...order,
    orderId: 'one',
    destinationAddress: OUTSIDE.ethereum,
  });
  const count = scene.log.length;
  const second = scene.world.orderTransaction({
    ...order,
    orderId: 'one',
    amount: 7n,
    destinationAddress: 'elsewhere',
  });
  expect(second).toEqual({ ...first, kind: 'existing' });
  expect(scene.log).toHaveLength(count);
});

test('an order that contradicts itself is refused with the code of the contradiction', () => {
  const { scene, order, vault, address } = fundedScene();
  const bitcoin = scene.address(vault, 'bitcoin');
  const other = scene.address(scene.vault(), 'ethereum');
  const second = scene.address(vault, 'ethereum', 'second');
  const refusal = (changes: object) =>
    scene.world.orderTransaction({
      ...order,
      orderId: 'refused',
      destinationAddress: OUTSIDE.ethereum,
      ...changes,
    });
  expect(refusal({ vaultId: 'none' })).toMatchObject({ code: 'NE-1' });
  expect(refusal({ network: 'none' })).toMatchObject({ code: 'BR-1001' });
  expect(refusal({ asset: 'ethereum:BTC' })).toMatchObject({ code: 'BR-1002' });
  expect(refusal({ amount: 0n })).toMatchObject({ code: 'BR-1' });
  expect(refusal({ memo: '7' })).toMatchObject({ code: 'BR-1' });
  expect(refusal({ addressId: bitcoin.addressId })).toMatchObject({ code: 'ADR-3002' });
  expect(refusal({ addressId: other.addressId })).toMatchObject({ code: 'TX-2002' });
  expect(refusal({ addressId: address.addressId, accountId: second.accountId })).toMatchObject({
    code: 'TX-2002',
  });
});
