import { expect, test } from 'vitest';
import type { Notification } from '../../../../src/wire/notification.ts';
import { covers } from '../coverage.ts';
import { TEXT } from '../matchers.ts';
import { setStage } from '../stage.ts';

const stage = setStage('chain-streams');

const ETH = '1000000000000000000';
const ENVELOPE = ['id', 'timestamp', 'stream', 'type', 'vaultId'];

/** Fields of each type beyond the envelope. */
function fieldsOf(notifications: readonly Notification[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const body of notifications) {
    found[body.type] = Object.keys(body)
      .filter((key) => !ENVELOPE.includes(key))
      .sort();
  }
  return found;
}

test(
  'a deposit is reported by mempool, then climbs through the published depths',
  covers('chain-streams/sequence/incoming', 'chain-streams/sequence/blockchain'),
  async () => {
    const address = await stage.address(await stage.vault(), 'ethereum');
    await stage.deposit(address, 'ETH', '700');
    expect(await stage.received()).toEqual([
      'blockchain mempool [700 ETH]',
      'incoming mempool [700 ETH]',
    ]);
    await stage.mine('ethereum');
    expect(await stage.received()).toEqual([
      'blockchain transaction [700 ETH]',
      'incoming confirmation 1 [700 ETH]',
      'blockchain confirmation 1',
    ]);
    await stage.mine('ethereum', 2);
    expect(await stage.received()).toEqual([
      'incoming confirmation 3 [700 ETH]',
      'blockchain confirmation 3',
    ]);
    await stage.mine('ethereum', 500);
    expect(await stage.received()).toEqual([
      'incoming confirmation 12 [700 ETH]',
      'blockchain confirmation 12',
    ]);
  },
);

test('every network reports its published depths, and mempool only where it exposes one', async () => {
  const received: Record<string, string[]> = {};
  const vault = await stage.vault();
  const networks = (await stage.api('GET', '/networks')).rows;
  for (const { key, nativeAsset } of networks) {
    const address = await stage.address(vault, String(key));
    await stage.deposit(address, String(nativeAsset), '900000');
    await stage.mine(String(key), 100);
    received[String(key)] = (await stage.notifications('incoming')).map((body) =>
      body.type === 'mempool' ? 'mempool' : String(body['confirmations']),
    );
  }
  expect(received).toEqual({
    bitcoin: ['mempool', '1', '3', '6'],
    litecoin: ['mempool', '1', '6', '12'],
    ethereum: ['mempool', '1', '3', '12'],
    polygon: ['mempool', '1', '16', '64'],
    tron: ['1', '19'],
    ripple: ['1'],
    stellar: ['1'],
    neo: ['mempool', '1', '6'],
    sui: ['1'],
  });
  for (const { key, confirmations, mempool } of networks) {
    const depths = (confirmations as number[]).map(String);
    expect(received[String(key)]).toEqual(mempool === true ? ['mempool', ...depths] : depths);
  }
});

test(
  'a rollback comes after confirmations of the same hash, which then climbs again from 1',
  covers(
    'chain-streams/sequence/rollback-after-confirmation',
    'chain-streams/blockchain/rollback',
    'chain-streams/incoming/rollback',
  ),
  async () => {
    const address = await stage.address(await stage.vault(), 'ethereum');
    const hash = await stage.deposit(address, 'ETH', '7');
    await stage.mine('ethereum', 3);
    await stage.forget();
    await stage.reorg('ethereum', 3);
    const rollbacks = await stage.notifications();
    expect(rollbacks).toMatchObject([
      { stream: 'incoming', type: 'rollback', blockchainHash: hash },
      { stream: 'blockchain', type: 'rollback', blockchainHash: hash },
    ]);
    await stage.mine('ethereum', 3);
    const again = await stage.notifications();
    expect(again.map((body) => body['blockchainHash'])).toEqual(again.map(() => hash));
    expect(
      again.map((body) => `${body.stream} ${body.type} ${String(body['confirmations'])}`),
    ).toEqual([
      'blockchain transaction 1',
      'incoming confirmation 1',
      'blockchain confirmation 1',
      'incoming confirmation 3',
      'blockchain confirmation 3',
    ]);
  },
);

test('a double-spent deposit is rolled back from the mempool and never confirms', async () => {
  const address = await stage.address(await stage.vault(), 'bitcoin');
  const hash = await stage.deposit(address, 'BTC', '5000');
  await stage.forget();
  await stage.reorg('bitcoin', 0, [hash]);
  expect(await stage.received()).toEqual(['incoming rollback [5000 BTC]', 'blockchain rollback']);
  await stage.mine('bitcoin', 20);
  expect(await stage.received()).toEqual([]);
});

test(
  'the blockchain stream reports every transaction of a vault address, the platform’s and others’',
  covers(
    'chain-streams/blockchain/every-transaction',
    'chain-streams/blockchain/field/transactionId',
  ),
  async () => {
    const vault = await stage.vault();
    const address = await stage.address(vault, 'ethereum');
    await stage.fund(address, 'ETH', ETH);
    const order = await stage.order(vault, { asset: 'ethereum:ETH' });
    const deposit = await stage.deposit(address, 'ETH', '44');
    const debit = await stage.sim('POST', '/sim/external-debits', {
      network: 'ethereum',
      addressId: address.addressId,
      asset: 'ethereum:ETH',
      amount: '55',
      destinationAddress: 'thief',
    });
    await stage.mine('ethereum');
    const received = (await stage.notifications('blockchain')).filter(
      ({ type }) => type === 'transaction',
    );
    expect(received.map((body) => [body['blockchainHash'], body['transactionId']])).toEqual([
      [order['blockchainHash'], order['transactionId']],
      [deposit, undefined],
      [debit['blockchainHash'], undefined],
    ]);
  },
);

test(
  'each blockchain type carries its fields: balance changes only on transaction and mempool',
  covers(
    'chain-streams/blockchain/transaction',
    'chain-streams/blockchain/mempool',
    'chain-streams/blockchain/confirmation',
    'chain-streams/blockchain/field/vaultId',
    'chain-streams/blockchain/field/network',
    'chain-streams/blockchain/field/blockchainHash',
    'chain-streams/blockchain/field/confirmations',
    'chain-streams/blockchain/field/balanceChanges-metadata',
  ),
  async () => {
    const vault = await stage.vault();
    const address = await stage.address(vault, 'ethereum');
    const hash = await stage.deposit(address, 'ETH', '700');
    await stage.mine('ethereum');
    await stage.reorg('ethereum', 1);
    const received = await stage.notifications('blockchain');
    const chain = ['blockchainHash', 'network'];
    expect(fieldsOf(received)).toEqual({
      mempool: ['balanceChanges', 'blockchainHash', 'confirmations', 'metadata', 'network'],
      transaction: ['balanceChanges', 'blockchainHash', 'confirmations', 'metadata', 'network'],
      confirmation: ['blockchainHash', 'confirmations', 'network'],
      rollback: chain,
    });
    const { vaultId } = vault;
    for (const body of received) {
      expect(body).toMatchObject({ vaultId, network: 'ethereum', blockchainHash: hash });
    }
    expect(received.map((body) => body['confirmations'])).toEqual([0, 1, 1, undefined]);
  },
);

test(
  'each incoming type carries the deposit: its ids, position, count and aggregated changes',
  covers(
    'chain-streams/incoming/mempool',
    'chain-streams/incoming/confirmation',
    'chain-streams/incoming/field/vaultId',
    'chain-streams/incoming/field/accountId',
    'chain-streams/incoming/field/addressId',
    'chain-streams/incoming/field/network',
    'chain-streams/incoming/field/blockchainHash',
    'chain-streams/incoming/field/transactionId',
    'chain-streams/incoming/field/orderId',
    'chain-streams/incoming/field/confirmations',
    'chain-streams/incoming/field/balanceChanges',
    'chain-streams/incoming/field/metadata',
    'chain-streams/incoming/field/reference',
  ),
  async () => {
    const vault = await stage.vault();
    const address = await stage.address(vault, 'bitcoin');
    const { addressId, accountId } = address;
    // Two outputs of one transaction to one address are one deposit.
    const output = { addressId, asset: 'bitcoin:BTC' };
    const outputs = [
      { ...output, amount: '3000' },
      { ...output, amount: '4000' },
    ];
    const made = await stage.sim('POST', '/sim/deposits', { network: 'bitcoin', outputs });
    await stage.mine('bitcoin', 3);
    await stage.reorg('bitcoin', 3);
    const received = await stage.notifications('incoming');
    const common = [
      'accountId',
      'addressId',
      'balanceChanges',
      'blockchainHash',
      'metadata',
      'network',
      'orderId',
      'transactionId',
    ];
    const counted = [...common, 'confirmations'].sort();
    // `reference` is optional: no simulated chain has one.
    expect(fieldsOf(received)).toEqual({
      mempool: counted,
      confirmation: counted,
      rollback: common,
    });
    expect(received.map((body) => [body.type, body['confirmations']])).toEqual([
      ['mempool', 0],
      ['confirmation', 1],
      ['confirmation', 3],
      ['rollback', undefined],
    ]);
    const [listed] = (await stage.api('GET', '/transactions?filter[type]=incoming')).rows;
    for (const body of received) {
      expect(body).toMatchObject({
        vaultId: vault.vaultId,
        accountId,
        addressId,
        network: 'bitcoin',
        blockchainHash: made['blockchainHash'],
        transactionId: listed?.['transactionId'],
        orderId: listed?.['orderId'],
        balanceChanges: [
          {
            asset: 'bitcoin:BTC',
            amount: '7000',
          },
        ],
      });
      expect(body['orderId']).toEqual(TEXT);
    }
  },
);

test(
  'an incoming names its memo, registered or not',
  covers('chain-streams/incoming/field/memo'),
  async () => {
    const address = await stage.address(await stage.vault(), 'ripple');
    await stage.api('POST', '/memos', { addressId: address.addressId, memo: '11' });
    await stage.deposit(address, 'XRP', '5', '11');
    await stage.deposit(address, 'XRP', '6', '99');
    await stage.deposit(address, 'XRP', '7');
    await stage.mine('ripple');
    const received = await stage.notifications('incoming');
    expect(received.map((body) => body['memo'])).toEqual(['11', '99', undefined]);
  },
);
