import { z } from 'zod';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';
import { startReceiver } from '../webhook-receiver.ts';
import type { WebhookReceiver } from '../webhook-receiver.ts';

/** A core in which each page of the inspector has something to show. */
export interface Scene {
  readonly caller: Caller;
  readonly receiver: WebhookReceiver;
  readonly vaultId: string;
  readonly addressId: string;
  readonly networkAddress: string;
  /** A deposit in a block. */
  readonly hash: string;
  /** An outgoing transaction that waits for an approval. */
  readonly transactionId: string;
  /** Of the approver. */
  readonly clientId: string;
  /** A delivered notification. */
  readonly notificationId: string;
  /** A notification whose receiver refuses it. */
  readonly pendingId: string;
  stop(): Promise<void>;
}

const PAID = '500000';
const listed = z.object({ data: z.array(z.object({ id: z.string() })) });

/** A vault whose receiver answers 503; returns the id of its first pending notification. */
async function refuse(caller: Caller, receiver: WebhookReceiver): Promise<string> {
  const vaultId = await caller.vault({ name: 'treasury' });
  const { addressId } = await caller.address(await caller.account(vaultId), 'ethereum');
  const webhookUrl = `${receiver.url}/refused`;
  await caller.api('POST', `/subscriptions/${vaultId}`, { webhookUrl, streams: ['incoming'] });
  receiver.reply = ({ path }) => (path === '/refused' ? 503 : 200);
  const deposit = { network: 'ethereum', addressId, asset: 'ethereum:ETH', amount: '25000000000' };
  await caller.sim('POST', '/sim/deposits', deposit);
  await caller.advance(60_000);
  const { data } = listed.parse(await caller.sim('GET', '/sim/notifications?status=pending'));
  return data[0]?.id ?? 'none waits';
}

export async function startScene(): Promise<Scene> {
  const receiver = await startReceiver();
  const caller = await startCaller();
  const { clientId } = caller;
  const vaultId = await caller.vault({ name: 'customers', quorum: 1, approvers: [clientId] });
  const account = await caller.account(vaultId);
  const { addressId, networkAddress } = await caller.address(account, 'bitcoin');
  await caller.api('POST', `/subscriptions/${vaultId}`, {
    webhookUrl: receiver.url,
    streams: ['outgoing', 'blockchain', 'incoming'],
  });
  const deposit = { network: 'bitcoin', addressId, asset: 'bitcoin:BTC', amount: PAID };
  const { blockchainHash } = await caller.sim('POST', '/sim/deposits', deposit);
  await caller.sim('POST', '/sim/blocks', { network: 'bitcoin', count: 2 });
  const ordered = await caller.api('POST', '/transactions', {
    orderId: 'payout-1',
    vaultId,
    network: 'bitcoin',
    asset: 'bitcoin:BTC',
    amount: '1000',
    destinationAddress: networkAddress,
  });
  await caller.sim('PUT', '/sim/faults', { api: [{ fault: 'stale', operation: 'listVaults' }] });
  const user = { name: 'Ana', type: 'user', email: 'ana@example.com', permissions: [] };
  await caller.sim('POST', '/sim/clients', user);
  await caller.api('POST', '/auth/login-code/request', { email: 'ana@example.com' });
  await caller.sim('POST', '/sim/snapshot');
  const pendingId = await refuse(caller, receiver);
  const { data } = listed.parse(await caller.sim('GET', '/sim/notifications?status=delivered'));
  return {
    caller,
    receiver,
    vaultId,
    addressId,
    networkAddress,
    hash: String(blockchainHash),
    transactionId: String(ordered.body['transactionId']),
    clientId,
    pendingId,
    notificationId: data[0]?.id ?? 'none was delivered',
    stop: async () => {
      await caller.stop();
      await receiver.close();
    },
  };
}
