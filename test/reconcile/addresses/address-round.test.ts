import { expect, test, vi } from 'vitest';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { ETH, GRACE_MS, Stage, type DepositAddress, type Webhook } from '../stage.ts';

const FUNDS = '900000000000000000';
const OUTSIDE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const all = (): boolean => true;
const chain = ({ stream }: Webhook): boolean => stream === 'blockchain';

/** A stage whose sweep also goes round the addresses, with one that holds credited funds. */
async function rotating(): Promise<{ stage: Stage; depositAddress: DepositAddress; sweep: Sweep }> {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, FUNDS, 3);
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  await stage.run(sweep);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  return { stage, depositAddress, sweep };
}

/** Longer than a round takes at least, and than the grace. */
async function later(stage: Stage, sweep: Sweep, runs = 1): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    await stage.caller.advance(GRACE_MS + 60_000);
    await stage.run(sweep);
  }
}

async function debit(
  stage: Stage,
  depositAddress: DepositAddress,
  amount: string,
): Promise<string> {
  const { blockchainHash } = await stage.caller.sim('POST', '/sim/external-debits', {
    network: 'ethereum',
    addressId: depositAddress.addressId,
    asset: ETH,
    amount,
    destinationAddress: OUTSIDE,
  });
  await stage.mine(3);
  return String(blockchainHash);
}

test('the round passes a vault whose addresses the API does not list', async () => {
  const { stage, depositAddress } = await rotating();
  const webhookUrl = await stage.webhookUrl();
  const vaults = ['0-gone', depositAddress.vaultId];
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults } });
  const ask = stage.client.addresses.bind(stage.client);
  vi.spyOn(stage.client, 'addresses').mockImplementation((query, options) =>
    query.vaultId === '0-gone' ? Promise.resolve({ kind: 'not-found' }) : ask(query, options),
  );
  stage.loses = all;
  const hash = await debit(stage, depositAddress, '1000');
  await later(stage, sweep, 2);
  expect(stage.open.openBreak('unexplained_movement').blockchain_hash).toBe(hash);
});

test('the rotation finds an external debit without webhooks: critical, with its sign', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  stage.loses = all;
  const hash = await debit(stage, depositAddress, '1000');
  await later(stage, sweep);
  expect(stage.open.openBreaks()).toEqual(['unexplained_movement']);
  expect(stage.open.openBreak('unexplained_movement')).toMatchObject({
    severity: 'critical',
    vault_id: depositAddress.vaultId,
    blockchain_hash: hash,
    asset: ETH,
    expected: '-1000',
    actual: '0',
  });
  await later(stage, sweep, 3);
  expect(stage.open.openBreaks()).toEqual(['unexplained_movement']);
});

test('a clock that was a year ahead and set right stops no round', async () => {
  const { stage, depositAddress } = await rotating();
  const webhookUrl = await stage.webhookUrl();
  let aheadMs = 365 * 86_400_000;
  const sweep = stage.newSweep({
    subscription: { webhookUrl, vaults: 'all' },
    now: () => stage.now + aheadMs,
  });
  expect(await stage.run(sweep)).toMatchObject({ addresses: { checked: 1 } });
  aheadMs = 0;
  stage.loses = all;
  const hash = await debit(stage, depositAddress, '1000');
  await later(stage, sweep);
  expect(stage.open.openBreak('unexplained_movement').blockchain_hash).toBe(hash);
});

test('within the grace it is not reported yet, and it is looked at again soon after', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  await later(stage, sweep);
  await stage.caller.advance(500_000);
  stage.loses = all;
  await debit(stage, depositAddress, '1000');
  await stage.caller.advance(150_000);
  const first = await stage.run(sweep);
  expect(first.addresses).toMatchObject({ checked: 1, outcomes: { skipped: { in_grace: 1 } } });
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.caller.advance(GRACE_MS - 120_000);
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual(['unexplained_movement']);
});

test('the movement is in the chain view once, whether or not the webhook comes after all', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  stage.loses = all;
  await debit(stage, depositAddress, '1000');
  await later(stage, sweep);
  const [name] = Object.keys(stage.open.positions('chain'));
  const expected = { [name ?? '']: String(BigInt(FUNDS) - 1000n) };
  expect(stage.open.positions('chain')).toEqual(expected);
  await stage.deliverLost();
  await later(stage, sweep);
  expect(stage.open.positions('chain')).toEqual(expected);
  expect(stage.open.openBreaks()).toEqual(['unexplained_movement']);
});

test('resolved by an operator, the books follow the chain and it is not opened again', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  stage.loses = all;
  await debit(stage, depositAddress, '1000');
  await later(stage, sweep);
  const { id } = stage.open.openBreak('unexplained_movement');
  await stage.open.decide({ kind: 'resolve', breakId: id, reason: 'a stolen key' });
  await later(stage, sweep, 3);
  expect(stage.open.openBreaks()).toEqual([]);
  expect(stage.open.positions()).toEqual(stage.open.positions('chain'));
});

test('a debit that a reorganisation takes away is taken out of the chain view again', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  const before = stage.open.positions('chain');
  stage.loses = all;
  const hash = await debit(stage, depositAddress, '1000');
  await later(stage, sweep);
  await stage.reorg(3, [hash]);
  await later(stage, sweep, 3);
  expect(stage.open.positions('chain')).toEqual(before);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('an external deposit without webhooks is credited, and is in both views', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  stage.loses = all;
  const hash = await stage.paid(depositAddress, 700, 3);
  await later(stage, sweep, 6);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.positions()).toEqual(stage.open.positions('chain'));
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.deliverLost();
  await later(stage, sweep, 2);
  expect(stage.open.positions()).toEqual(stage.open.positions('chain'));
  expect(stage.open.openBreaks()).toEqual([]);
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`, 'credit 700']);
});

test('a deposit that the sweep has passed by for good is found at its address', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  const first = stage.newSweep();
  stage.loses = all;
  const hash = await stage.paid(depositAddress, 700, 3);
  // Two days of other traffic, swept by somebody who repairs nothing, push the watermark past it.
  for (let day = 0; day < 4; day += 1) {
    stage.loses = ({ blockchainHash }) => blockchainHash === hash;
    await stage.caller.advance(43_200_000);
    await stage.paid(await stage.depositAddress(), 5, 1);
    await stage.run(first);
  }
  expect(await stage.deposits(hash)).toEqual([]);
  await later(stage, sweep, 8);
  expect(await stage.depositState(hash)).toBe('credited');
  expect(stage.open.positions()).toEqual(stage.open.positions('chain'));
  expect(stage.open.openBreaks()).toEqual([]);
});

test('lost `blockchain` webhooks are made good where the books explain the movement', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  stage.loses = chain;
  await stage.paid(depositAddress, 700, 3);
  await stage.order(depositAddress, OUTSIDE, '1000');
  await stage.mine(3);
  await later(stage, sweep, 4);
  expect(stage.open.positions()).toEqual(stage.open.positions('chain'));
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a rollback without webhooks is a mismatch of the chain view, healed when it arrives', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  const hash = await debit(stage, depositAddress, '1000');
  await later(stage, sweep);
  stage.loses = ({ type }) => type === 'rollback';
  await stage.reorg(3, [hash]);
  await later(stage, sweep, 3);
  expect(stage.open.openBreaks()).toEqual(['status_mismatch', 'unexplained_movement']);
  await stage.deliverLost();
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a `transaction` that states another amount than the address’s list is a mismatch', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  stage.loses = chain;
  const hash = await debit(stage, depositAddress, '1000');
  const webhook = stage.lost.find(({ type }) => type === 'transaction');
  if (webhook === undefined) throw new Error('no transaction was told');
  const forged = (webhook['balanceChanges'] as { amount: string }[]).map((change) => ({
    ...change,
    amount: '-900',
  }));
  await stage.deliver({ ...webhook, balanceChanges: forged });
  await later(stage, sweep);
  const found = stage.open.openBreak('amount_mismatch');
  expect(found).toMatchObject({ blockchain_hash: hash, expected: '-1000', actual: '-900' });
  await stage.deliver({ ...webhook, id: 'the truth', confirmations: 2 });
  await stage.run(sweep);
  expect(stage.open.openBreaks().filter((type) => type === 'amount_mismatch')).toEqual([]);
});

test('balance changes that are omitted for a moment are asked for again', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  stage.loses = all;
  await debit(stage, depositAddress, '1000');
  const operation = 'listAddressTransactions';
  await stage.faults({ fault: 'omit-balance-changes', operation });
  await stage.caller.advance(GRACE_MS + 60_000);
  const run = await stage.run(sweep);
  expect(run.skipped).toMatchObject({ balance_changes_pending: 2 });
  expect(stage.open.openBreaks()).toEqual([]);
  await stage.faults();
  await stage.caller.advance(60_000);
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual(['unexplained_movement']);
});

test('an API that fails is skipped, never matched, and the address has its turn again', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  stage.loses = all;
  await debit(stage, depositAddress, '1000');
  const operation = 'listAddressTransactions';
  await stage.faults({ fault: 'error', errorCode: 'GE-1', operation });
  await stage.caller.advance(GRACE_MS + 60_000);
  const run = await stage.run(sweep);
  expect(run.addresses).toMatchObject({
    checked: 1,
    outcomes: { matched: 0, broken: 0, skipped: { api_unavailable: 1 } },
  });
  await stage.faults();
  await stage.caller.advance(120_000);
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual(['unexplained_movement']);
});

test('an address that just changed is compared in the next run, before its turn', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  await later(stage, sweep);
  await stage.caller.advance(1_000);
  expect((await stage.run(sweep)).addresses).toBeNull();
  await stage.paid(depositAddress, 5, 1);
  expect((await stage.run(sweep)).addresses).toMatchObject({ checked: 1 });
});

test('addresses of which more changed than a run reads are compared in the next runs', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  const addresses = [depositAddress];
  for (let more = 0; more < 4; more += 1) addresses.push(await stage.depositAddress());
  await later(stage, sweep, 3);
  const asking = vi.spyOn(stage.client, 'addressTransactions');
  const asked = (): string[] => asking.mock.calls.map(([query]) => query.addressId);
  for (const address of addresses) await stage.paid(address, 5, 1);
  await stage.run(sweep);
  expect(asked().length).toBeLessThan(addresses.length);
  for (let runs = 0; runs < 4; runs += 1) {
    await stage.caller.advance(1_000);
    await stage.run(sweep);
  }
  expect(asked().toSorted()).toEqual(addresses.map(({ addressId }) => addressId).toSorted());
});

test('a round visits every address once, across restarts', async () => {
  const { stage, depositAddress } = await rotating();
  const known = new Set([depositAddress.addressId]);
  for (let more = 0; more < 6; more += 1) known.add((await stage.depositAddress()).addressId);
  const asking = vi.spyOn(stage.client, 'addressTransactions');
  const asked = (): string[] => asking.mock.calls.map(([query]) => query.addressId);
  const subscription = { webhookUrl: await stage.webhookUrl(), vaults: 'all' } as const;
  for (let runs = 0; asked().length < known.size; runs += 1) {
    expect(runs).toBeLessThan(known.size);
    await stage.caller.advance(60_000);
    await stage.run(stage.newSweep({ subscription }));
  }
  expect(asked().toSorted()).toEqual([...known].toSorted());
});

test('an address that only our ledger knows is asked for, and unknown to the API', async () => {
  const { stage, depositAddress, sweep } = await rotating();
  await stage.deliver({
    id: 'forged',
    timestamp: 1,
    stream: 'blockchain',
    type: 'transaction',
    vaultId: depositAddress.vaultId,
    network: 'ethereum',
    blockchainHash: '0xf0f0',
    balanceChanges: [
      { asset: ETH, amount: '7', tags: [], address: { id: 'nowhere' }, account: { id: 'none' } },
    ],
  });
  await stage.caller.advance(GRACE_MS + 60_000);
  const run = await stage.run(sweep);
  expect(run.addresses?.outcomes.skipped).toMatchObject({ unknown_address: 1 });
});

test('quiet checks leave nothing in the journal but the runs that count them', async () => {
  const { stage, sweep } = await rotating();
  await later(stage, sweep);
  const head = stage.open.journalLength();
  await later(stage, sweep, 4);
  expect(stage.factsSince(head)).toEqual(Array(4).fill('custody-record'));
  const [run] = (await stage.reads.reconciliations({ page: 0, pageSize: 1 })).items;
  expect(run?.addresses).toMatchObject({ checked: 1, outcomes: { matched: 1, broken: 0 } });
});
