import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { TransactionId } from '../../../src/domain/ids.ts';
import { balanceChange, received } from '../../store/evidence.ts';
import { ETH, forgedConfirmation, Stage, THREE_DEEP, type DepositAddress } from '../stage.ts';

let issued = 0;

/** A forged confirmation under an id of its own. */
function forged(depositAddress: DepositAddress, more: object): object {
  issued += 1;
  return forgedConfirmation(depositAddress, { id: `forged-${issued}`, ...more });
}

/** A stage with one true deposit of 700 units, credited, and its webhooks. */
async function truth() {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  const [deposit] = await stage.deposits(hash);
  const transactionId = deposit?.transactionId;
  if (typeof transactionId !== 'string') throw new Error('no deposit');
  return { stage, depositAddress, hash, transactionId };
}

/**
 * Runs until the forged deposit must have been asked for, also singly. A position that the hash did
 * not pay is off the chain view too; that is another break, and not looked at here.
 */
async function verdictOn(stage: Stage): Promise<{ found: string; feed: string[] }> {
  await stage.run();
  const at = ({ type, severity }: { type: string; severity: string }): string =>
    `${severity} ${type}`;
  const found = at(stage.open.openBreak('unknown_to_custody'));
  await stage.caller.advance(3_600_000);
  await stage.run();
  await stage.run();
  const later = at(stage.open.openBreak('unknown_to_custody'));
  return {
    found: found === later ? found : `${found}, then ${later}`,
    feed: stage.open.feedLines(),
  };
}

const REFUSED = { found: 'critical unknown_to_custody', feed: ['credit 700'] };

test('a false on-chain address in the first webhook gives way to the API’s, also in the feed', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  const { accountId, addressId, networkAddress } = depositAddress;
  stage.loses = ({ stream }) => stream === 'incoming';
  const hash = await stage.pay(depositAddress, 700);
  const address = { id: addressId, networkAddress: '0xf0f0f0' };
  const balanceChanges = [
    { asset: ETH, amount: '700', tags: [], address, account: { id: accountId } },
  ];
  await stage.deliver(forged(depositAddress, { blockchainHash: hash, balanceChanges }));
  await stage.mine(3);
  await stage.deliverLost();
  const at = async (one: string): Promise<unknown[]> => {
    const { items } = await stage.reads.deposits(
      { networkAddress: one },
      { page: 0, pageSize: 10 },
    );
    return items.map(({ state }) => state);
  };
  expect([await at('0xf0f0f0'), await at(networkAddress)]).toEqual([['verifying'], []]);
  await stage.run();
  expect([await at('0xf0f0f0'), await at(networkAddress)]).toEqual([[], ['credited']]);
  const [credit] = await stage.reads.credits(0, 10);
  expect(credit?.item.deposit).toMatchObject({ networkAddress, reportedAddress: '0xf0f0f0' });
  expect(stage.open.openBreaks()).toEqual([]);
});

test('a held deposit that an earlier version verified takes the on-chain address before its credit', async () => {
  const assets = { [ETH]: { oneApprovalAbove: Amount(500n) } };
  const stage = await Stage.start({ policy: { ...THREE_DEEP, assets } });
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  const [deposit] = await stage.deposits(hash);
  if (deposit === undefined) throw new Error('no deposit');
  const { depositId, vaultId, accountId, addressId, blockchainHash } = deposit;
  const older = received({
    transactionId: deposit.transactionId ?? TransactionId(''),
    vaultId,
    accountId,
    addressId,
    blockchainHash,
    confirmations: 3,
    changes: [balanceChange(700n, { accountId, addressId })],
  });
  await stage.open.record({ kind: 'deposit', depositId, transaction: older, graceMs: 0 });
  const verified = await stage.deposits(hash);
  expect(verified).toMatchObject([{ verifiedAt: stage.open.at, networkAddress: null }]);
  await stage.run();
  const { networkAddress } = depositAddress;
  expect(await stage.deposits(hash)).toMatchObject([{ state: 'held', networkAddress }]);
  const journal = stage.open.journalLength();
  await stage.run();
  expect(stage.factsSince(journal).filter((kind) => kind === 'custody-record')).toHaveLength(1);
});

test('a transactionId that the API does not know', async () => {
  const { stage, depositAddress } = await truth();
  await stage.deliver(forged(depositAddress, { transactionId: 'nobody' }));
  expect(await verdictOn(stage)).toEqual(REFUSED);
  expect(stage.open.openBreak('unknown_to_custody')).toMatchObject({
    expected: '0',
    actual: '700',
  });
});

test('a transactionId that cannot be part of a path is not asked for, and not credited', async () => {
  const { stage, depositAddress } = await truth();
  await stage.deliver(forged(depositAddress, { transactionId: '..' }));
  const run = await stage.run();
  expect(run.skipped).toMatchObject({ api_unavailable: 1 });
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('the true transactionId under another hash', async () => {
  const { stage, depositAddress, transactionId } = await truth();
  await stage.deliver(forged(depositAddress, { transactionId }));
  expect(await verdictOn(stage)).toEqual(REFUSED);
});

test('the true transactionId and hash at another address', async () => {
  const { stage, depositAddress, hash, transactionId } = await truth();
  const other = await stage.caller.address(depositAddress.accountId, 'ethereum');
  const more = { transactionId, blockchainHash: hash, addressId: other.addressId };
  await stage.deliver(forged(depositAddress, more));
  expect(await verdictOn(stage)).toEqual(REFUSED);
});

test('the true transactionId and hash in another vault', async () => {
  const { stage, hash, transactionId } = await truth();
  const other = await stage.depositAddress();
  await stage.deliver(forged(other, { transactionId, blockchainHash: hash }));
  expect(await verdictOn(stage)).toEqual(REFUSED);
});

test('the true transactionId and hash with a memo that it does not have', async () => {
  const { stage, depositAddress, hash, transactionId } = await truth();
  const memoInfo = { id: 'm7', memo: '7', name: 'seven', data: {} };
  const balanceChanges = [{ asset: ETH, amount: '700', tags: [], memoInfo }];
  const more = { transactionId, blockchainHash: hash, memo: '7', balanceChanges };
  await stage.deliver(forged(depositAddress, more));
  expect(await verdictOn(stage)).toEqual(REFUSED);
});

test('the true transactionId, hash and position in another asset', async () => {
  const { stage, depositAddress, hash, transactionId } = await truth();
  const balanceChanges = [{ asset: 'ethereum:USDC', amount: '700', tags: [] }];
  await stage.deliver(
    forged(depositAddress, { transactionId, blockchainHash: hash, balanceChanges }),
  );
  await stage.run();
  expect(stage.open.openBreaks()).toContain('unknown_to_custody');
  expect(stage.open.openBreak('unknown_to_custody').asset).toBe('ethereum:USDC');
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('another amount of a deposit without an earlier webhook', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  stage.loses = () => true;
  const hash = await stage.paid(depositAddress, 700, 3);
  const webhook = stage.lost.find((one) => one.stream === 'incoming' && one.confirmations === 3);
  const balanceChanges = [{ asset: ETH, amount: '70000', tags: [] }];
  await stage.deliver({ ...webhook, id: 'forged', balanceChanges });
  await stage.run();
  expect(await stage.depositState(hash)).toBe('verifying');
  expect(stage.open.openBreak('amount_mismatch')).toMatchObject({
    severity: 'critical',
    expected: '700',
    actual: '70000',
    asset: ETH,
  });
  expect(stage.open.feedLines()).toEqual([]);
});

test('no transactionId at all, under a hash that the API does not know', async () => {
  const { stage, depositAddress } = await truth();
  await stage.deliver(forged(depositAddress, {}));
  expect(await verdictOn(stage)).toEqual(REFUSED);
});

test('no transactionId, under a true hash at an address that it did not pay', async () => {
  const { stage, depositAddress, hash } = await truth();
  const other = await stage.caller.address(depositAddress.accountId, 'ethereum');
  await stage.deliver(forged(depositAddress, { blockchainHash: hash, addressId: other.addressId }));
  expect(await verdictOn(stage)).toEqual(REFUSED);
});

test('no transactionId, under a true hash in a vault that it did not pay', async () => {
  const { stage, hash } = await truth();
  const other = await stage.depositAddress();
  await stage.deliver(forged(other, { blockchainHash: hash }));
  expect(await verdictOn(stage)).toEqual(REFUSED);
});

test('no transactionId, under a true hash of another network', async () => {
  const { stage, depositAddress, hash } = await truth();
  await stage.deliver(forged(depositAddress, { blockchainHash: hash, network: 'polygon' }));
  expect(await verdictOn(stage)).toEqual(REFUSED);
});

test('no transactionId but otherwise true is credited once, under the id of the API', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  stage.loses = () => true;
  const hash = await stage.paid(depositAddress, 700, 3);
  const webhook = stage.lost.find((one) => one.stream === 'incoming' && one.confirmations === 3);
  const { transactionId, ...rest } = webhook ?? { transactionId: undefined };
  await stage.deliver({ ...rest, id: 'no-id' });
  await stage.run();
  expect(await stage.depositState(hash)).toBe('credited');
  const [deposit] = await stage.deposits(hash);
  expect(deposit?.transactionId).toBe(transactionId);
  await stage.deliverLost();
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('the id of a withdrawal', async () => {
  const stage = await Stage.start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, '900000000000000000', 3);
  const outside = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
  const transactionId = await stage.order(depositAddress, outside, '1000');
  await stage.mine(3);
  await stage.run();
  const feed = stage.open.feedLines();
  await stage.deliver(forged(depositAddress, { transactionId }));
  await stage.run();
  expect(stage.open.openBreaks()).toEqual(['unknown_to_custody']);
  expect(stage.open.feedLines()).toEqual(feed);
});
