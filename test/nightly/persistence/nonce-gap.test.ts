import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCore } from '../../../src/simulator/core.ts';
import type { RunningCore } from '../../../src/simulator/core.ts';
import { CoreProcess, RemoteCore } from '../../simulator/core-process.ts';
import { OUTSIDE } from '../../simulator/outside-addresses.ts';

const SEED = 6;

let killed: CoreProcess;
let untouched: RunningCore;
let twin: RemoteCore;

beforeEach(async () => {
  killed = await CoreProcess.startOnFile('--seed', String(SEED), '--clock', 'virtual', '--no-mine');
  untouched = await startCore({ port: 0, seed: SEED, clock: 'virtual', autoMine: false });
  twin = new RemoteCore(untouched);
});

afterEach(async () => {
  await killed.remove();
  await untouched.stop();
});

const mine = (core: RemoteCore) =>
  core.sim('POST', '/sim/blocks', { network: 'ethereum', count: 1 });

/** A vault with ether; sends from it under the given order id. */
async function makeSender(core: RemoteCore): Promise<(orderId: string) => Promise<unknown>> {
  const { vaultId } = await core.sim('POST', '/sim/vaults', { name: 'hot' });
  const { accountId } = await core.made('/accounts', { vaultId, name: 'main' });
  const address = await core.made('/addresses', { accountId, network: 'ethereum' });
  await core.sim('POST', '/sim/deposits', {
    network: 'ethereum',
    addressId: address['addressId'],
    asset: 'ethereum:ETH',
    amount: String(10n ** 18n),
  });
  await mine(core);
  return async (orderId) => {
    const order = await core.made('/transactions', {
      orderId,
      vaultId,
      network: 'ethereum',
      asset: 'ethereum:ETH',
      amount: '1000',
      destinationAddress: OUTSIDE.ethereum,
    });
    return order['blockchainHash'];
  };
}

async function transactions(core: RemoteCore): Promise<unknown> {
  const { body } = await core.api('GET', '/transactions?filter[type]=outgoing');
  const rows = body['data'] as { orderId: string; status: string; metadata: object }[];
  return rows.map(({ orderId, status, metadata }) => ({
    orderId,
    status,
    nonce: (metadata as { nonce?: number }).nonce,
  }));
}

test('a core that is killed during a nonce gap continues like one that was not', async () => {
  const played: unknown[] = [];
  for (const core of [killed, twin]) {
    const restart = async (): Promise<void> => {
      if (core === killed) await killed.killAndStartAgain();
    };
    const send = await makeSender(core);
    const mined = [await send('mined 0'), await send('mined 1')];
    await mine(core);
    const pending = [await send('lost 2'), await send('waiting 3')];
    await restart();
    const drop = [mined[0], pending[0]];
    await core.sim('POST', '/sim/reorgs', { network: 'ethereum', depth: 1, drop });
    await restart();
    await mine(core);
    const amid = await transactions(core);
    await send('filler 0');
    await restart();
    await mine(core);
    await send('filler 2');
    await mine(core);
    const after = await transactions(core);
    played.push([amid, after, await core.sim('GET', '/sim/truth/transactions')]);
    expect(amid).toEqual([
      { orderId: 'mined 0', status: 'rolledback', nonce: 0 },
      { orderId: 'mined 1', status: 'mined', nonce: 1 },
      { orderId: 'lost 2', status: 'rolledback', nonce: 2 },
      { orderId: 'waiting 3', status: 'submitted', nonce: 3 },
    ]);
    expect(after).toEqual([
      { orderId: 'mined 0', status: 'rolledback', nonce: 0 },
      { orderId: 'mined 1', status: 'mined', nonce: 1 },
      { orderId: 'lost 2', status: 'rolledback', nonce: 2 },
      { orderId: 'waiting 3', status: 'mined', nonce: 3 },
      { orderId: 'filler 0', status: 'mined', nonce: 0 },
      { orderId: 'filler 2', status: 'mined', nonce: 2 },
    ]);
  }
  expect(played[0]).toEqual(played[1]);
});
