import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '../../../../src/wire/transaction.ts';
import { pageOf } from '../../page-of.ts';
import { startCaller } from '../../core-caller.ts';
import type { Answer, Json } from '../../call.ts';
import type { Caller } from '../../core-caller.ts';

let caller: Caller;
const OUTSIDE = '0x000000000000000000000000000000000000dEaD';

beforeAll(async () => {
  caller = await startCaller();
});
afterAll(() => caller.stop());

async function fundedVault(options: Json): Promise<{ vaultId: string; addressId: string }> {
  const vaultId = await caller.vault(options);
  const { addressId } = await caller.address(await caller.account(vaultId), 'ethereum');
  const deposit = { network: 'ethereum', addressId, asset: 'ethereum:ETH' };
  await caller.sim('POST', '/sim/deposits', { ...deposit, amount: '9000000000000000000' });
  await caller.sim('POST', '/sim/blocks', { network: 'ethereum', count: 1 });
  return { vaultId, addressId };
}

let orders = 0;
function order(vaultId: string, addressId: string): Promise<Answer> {
  orders += 1;
  return caller.api('POST', '/transactions', {
    orderId: `order-${orders}`,
    vaultId,
    addressId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: '1000000000000000000',
    destinationAddress: OUTSIDE,
  });
}

const idOf = (answer: Answer): string => transaction.parse(answer.body).transactionId;
const outcome = (answer: Answer): unknown[] => [answer.status, answer.body['errorCode']];

describe('approvals', () => {
  test('are given by approvers only, once each, and carry the order on at the quorum', async () => {
    const [ana, bob, eve] = [
      await caller.client([]),
      await caller.client([]),
      await caller.client([]),
    ];
    const approvers = [ana.clientId, bob.clientId];
    const { vaultId, addressId } = await fundedVault({ quorum: 2, approvers });
    const id = idOf(await order(vaultId, addressId));
    const path = `/transactions/${id}/approvals`;
    const approve = (token: string) => caller.api('POST', path, { decision: 'approve' }, { token });
    expect(outcome(await approve(eve.token))).toEqual([403, 'AU-1']);
    expect((await approve(ana.token)).body['status']).toBe('approval-pending');
    expect(outcome(await approve(ana.token))).toEqual([409, 'CFR-1']);
    expect((await approve(bob.token)).body['status']).toBe('submitted');
    const listed = await caller.api('GET', `${path}?filter[clientId]=${bob.clientId}`);
    expect(listed.body['data']).toMatchObject([{ clientId: bob.clientId, decision: 'approve' }]);
    const maybe = await caller.api('POST', path, { decision: 'maybe' });
    expect(outcome(maybe)).toEqual([400, 'BR-2']);
    const unknown = await caller.api('POST', '/transactions/nope/approvals', {
      decision: 'approve',
    });
    expect(outcome(unknown)).toEqual([404, 'NE-1']);
  });

  test('refused end the order, with the reason on its list row and events', async () => {
    const ana = await caller.client([]);
    const { vaultId, addressId } = await fundedVault({ quorum: 1, approvers: [ana.clientId] });
    const id = idOf(await order(vaultId, addressId));
    const body = { decision: 'reject' };
    await caller.api('POST', `/transactions/${id}/approvals`, body, { token: ana.token });
    const list = await caller.api(
      'GET',
      `/transactions?filter[vaultId]=${vaultId}&filter[status]=cancelled`,
    );
    expect(pageOf(transaction).parse(list.body).data).toMatchObject([
      { transactionId: id, reasonCode: 'rejected_by_approver' },
    ]);
    const events = await caller.api('GET', `/transactions/${id}/events?sort=timestamp:desc`);
    expect(events.body['data']).toContainEqual(
      expect.objectContaining({ type: 'cancelled', reasonCode: 'rejected_by_approver' }),
    );
  });
});

describe('cancelling', () => {
  test('declines a waiting order and conflicts once submitted', async () => {
    const ana = await caller.client([]);
    const vault = await fundedVault({ quorum: 1, approvers: [ana.clientId] });
    const id = idOf(await order(vault.vaultId, vault.addressId));
    const cancelled = await caller.api('POST', `/transactions/${id}/cancel`);
    expect(cancelled.body).toMatchObject({
      status: 'cancelled',
      reasonCode: 'declined_by_client',
    });
    const free = await fundedVault({});
    const sent = idOf(await order(free.vaultId, free.addressId));
    expect(outcome(await caller.api('POST', `/transactions/${sent}/cancel`))).toEqual([
      409,
      'CFR-1',
    ]);
  });
});

describe('signing', () => {
  test('waits for signatures of an external signer and refuses wrong ones', async () => {
    const { vaultId, addressId } = await fundedVault({ externalSigner: true });
    const row = await order(vaultId, addressId);
    expect(row.body['status']).toBe('to-sign');
    const [payload] = transaction.parse(row.body).signingPayloads ?? [];
    const path = `/transactions/${idOf(row)}/signatures`;
    const signature = { payload: payload?.payload, signature: '00'.repeat(64), publicKey: '02' };
    const wrong = await caller.api('POST', path, { signatures: [signature] });
    expect(outcome(wrong)).toEqual([422, 'UE-1']);
    const shape = await caller.api('POST', path, { signatures: [{ payload: 'not hex' }] });
    expect(outcome(shape)).toEqual([400, 'BR-2']);
  });

  test('bundle is shown for master-approval vaults only', async () => {
    const ana = await caller.client([]);
    const master = await fundedVault({ masterApproval: { approvers: [ana.clientId] } });
    const id = idOf(await order(master.vaultId, master.addressId));
    const bundle = await caller.api('GET', `/transactions/${id}/master-approval-payload`);
    expect(bundle.body).toMatchObject({ transactionId: id, complete: false });
    const plain = await fundedVault({});
    const other = idOf(await order(plain.vaultId, plain.addressId));
    const refused = await caller.api('GET', `/transactions/${other}/master-approval-payload`);
    expect(outcome(refused)).toEqual([409, 'CFR-1']);
  });
});

describe('the chain view of an address', () => {
  test('shows deposits and withdrawals of the address with their changes', async () => {
    const { vaultId, addressId } = await fundedVault({});
    await order(vaultId, addressId);
    await caller.sim('POST', '/sim/blocks', { network: 'ethereum', count: 1 });
    const path = `/addresses/${addressId}/blockchain-transactions`;
    const list = await caller.api('GET', `${path}?filter[status]=confirmed&sort=blockHeight:asc`);
    expect(list.body['data']).toMatchObject([
      { confirmations: 2, balanceChanges: [{ amount: '9000000000000000000' }] },
      { confirmations: 1 },
    ]);
    const unknown = await caller.api('GET', '/addresses/nope/blockchain-transactions');
    expect(outcome(unknown)).toEqual([404, 'NE-1']);
  });
});
