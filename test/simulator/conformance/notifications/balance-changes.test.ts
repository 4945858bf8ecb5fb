import { expect, test } from 'vitest';
import type { Json } from '../../call.ts';
import { CHAIN_MODELS } from './chain-models.ts';
import { covers } from '../coverage.ts';
import { setStage } from '../stage.ts';
import type { Address, Vault } from '../stage.ts';
import { changesOf, entryLine, entryList } from '../notification-line.ts';
import { fundedVault } from './funded-vault.ts';
import { entriesOf, minedOrder, sumOf } from './mined-order.ts';

const stage = setStage('balance-changes');

const source = (network: string, funds: Record<string, string>, settings: Json = {}) =>
  fundedVault(stage, { network, funds }, settings);

const send = (vault: Vault, order: Json & { asset: string }) => minedOrder(stage, vault, order);

for (const { name, rows, network, funds, order, chain, mined } of CHAIN_MODELS) {
  test(`the entries of ${name}`, covers(...rows), async () => {
    const { vault } = await source(network, funds);
    const received = await send(vault, order);
    expect(entriesOf(received, 'blockchain', 'transaction').map(entryLine)).toEqual(chain);
    expect(entriesOf(received, 'outgoing', 'mined').map(entryLine)).toEqual(mined);
    expect(received.filter(({ stream }) => stream === 'incoming')).toEqual([]);
    expect(sumOf(received, 'outgoing mined')).toEqual(sumOf(received, 'blockchain transaction'));
    for (const entry of entriesOf(received, 'outgoing', 'mined')) {
      expect(entry.amount).toMatch(/^-?[0-9]+$/);
    }
  });
}

test(
  'utxo: change to another address of the vault is an incoming tagged change, not part of mined',
  covers('balance-changes/conservation-5', 'balance-changes/tag/change'),
  async () => {
    const { vault } = await source('bitcoin', { BTC: '100000000' });
    const other = await stage.address(vault, 'bitcoin', 'change');
    const { addressId } = other;
    const received = await send(vault, {
      asset: 'bitcoin:BTC',
      amount: '60000000',
      changeAddressId: addressId,
    });
    expect(entriesOf(received, 'outgoing', 'mined').map(entryLine)).toEqual([
      '-99999295 BTC',
      '-705 BTC fee',
    ]);
    const [change] = entriesOf(received, 'incoming', 'confirmation');
    expect(change).toMatchObject({ amount: '39999295', tags: ['change'] });
    expect(change?.address).toMatchObject({ id: addressId });
    expect(entriesOf(received, 'blockchain', 'transaction').map(entryLine)).toEqual([
      '-99999295 BTC',
      '39999295 BTC change',
      '-705 BTC fee',
    ]);
  },
);

test(
  'a transfer between own vaults is a debit of one and an incoming of the other',
  covers('balance-changes/conservation-2', 'balance-changes/conservation-3'),
  async () => {
    const sender = await source('ethereum', { ETH: '1000000000000000000' });
    const receiver = await source('ethereum', {});
    const received = await send(sender.vault, {
      asset: 'ethereum:ETH',
      amount: '400',
      destinationAddress: receiver.address.networkAddress,
    });
    const of = (vault: Vault) => received.filter(({ vaultId }) => vaultId === vault.vaultId);
    const sent = entriesOf(of(sender.vault), 'outgoing', 'mined');
    expect(sent.map(entryLine)).toEqual(['-400 ETH', '-21000000000000 ETH fee']);
    const arrived = entriesOf(of(receiver.vault), 'incoming', 'confirmation');
    expect(arrived.map(entryLine)).toEqual(['400 ETH']);
    const ledger = sumOf(received, 'outgoing mined', 'incoming confirmation');
    expect(ledger).toEqual({ 'ethereum:ETH': '-21000000000000' });
    expect(ledger).toEqual(sumOf(received, 'blockchain transaction'));
  },
);

test('a transfer within one vault is a debit on mined and an incoming of the same vault', async () => {
  const { vault } = await source('ethereum', { ETH: '1000000000000000000' }, { source: 'vault' });
  const inside = await stage.address(vault, 'ethereum', 'hot');
  const received = await send(vault, {
    asset: 'ethereum:ETH',
    amount: '400',
    destinationAddress: inside.networkAddress,
  });
  const mined = entriesOf(received, 'outgoing', 'mined');
  expect(mined.map(entryLine)).toEqual(['-400 ETH', '-21000000000000 ETH fee']);
  expect(entriesOf(received, 'incoming', 'confirmation').map(entryLine)).toEqual(['400 ETH']);
});

test(
  'a memo self-transfer: the debit on mined, the credit an incoming that names the sub-account',
  covers('balance-changes/conservation-4', 'balance-changes/entry/memoInfo'),
  async () => {
    const { vault, address } = await source('ripple', { XRP: '50000000' });
    const { addressId, networkAddress } = address;
    const memo = { addressId, memo: '77', name: 'customer 77', data: { tier: 'gold' } };
    const { id } = (await stage.api('POST', '/memos', memo)).body;
    const order = { asset: 'ripple:XRP', amount: '5', destinationAddress: networkAddress };
    const received = await send(vault, { ...order, addressId, memo: '77' });
    const mined = entriesOf(received, 'outgoing', 'mined');
    expect(mined.map(entryLine)).toEqual(['-5 XRP', '-12 XRP fee']);
    const [credit, ...more] = entriesOf(received, 'incoming', 'confirmation');
    expect(more).toEqual([]);
    expect(credit).toMatchObject({ asset: 'ripple:XRP', amount: '5' });
    expect(credit?.address).toMatchObject({ id: addressId, memo: '77' });
    expect(credit?.memoInfo).toEqual({
      id,
      memo: '77',
      name: 'customer 77',
      data: { tier: 'gold' },
    });
    expect(sumOf(received, 'outgoing mined', 'incoming confirmation')).toEqual({
      'ripple:XRP': '-12',
    });
    // This memo is not registered.
    const stranger = await send(vault, { ...order, addressId, memo: '78' });
    expect(entriesOf(stranger, 'incoming', 'confirmation')[0]).not.toHaveProperty('memoInfo');
  },
);

test(
  'an entry is complete: asset, amount, its formatted twin, tags, address and account',
  covers(
    'balance-changes/entry/asset',
    'balance-changes/entry/amount',
    'balance-changes/entry/amountFormatted',
    'balance-changes/entry/tags',
    'balance-changes/entry/address',
    'balance-changes/entry/account',
  ),
  async () => {
    const vault = await stage.vault();
    const { vaultId } = vault;
    const { accountId } = (
      await stage.api('POST', '/accounts', { vaultId, name: 'main', data: { book: 7 } })
    ).body;
    const address: Address = await stage.address(vault, 'ethereum', 'main', {
      name: 'desk',
      data: { team: 'a' },
    });
    await stage.fund(address, 'ETH', '1000000000000000000');
    const { addressId } = address;
    const order = { asset: 'ethereum:ETH', amount: '120000000000000000', addressId };
    const paid = await send(vault, order);
    const position = {
      address: {
        id: addressId,
        networkAddress: address.networkAddress,
        network: 'evm',
        hdpath: "m/44'/60'/0'/0/0",
        name: 'desk',
        data: { team: 'a' },
      },
      account: { id: accountId, name: 'main', data: { book: 7 } },
    };
    const ether = { name: 'ETH', decimals: 18, type: 'native' };
    expect(entriesOf(paid, 'outgoing', 'mined')).toEqual([
      {
        asset: 'ethereum:ETH',
        amount: '-120000000000000000',
        amountFormatted: { asset: ether, value: '-0.120000000000000000' },
        tags: [],
        ...position,
      },
      {
        asset: 'ethereum:ETH',
        amount: '-21000000000000',
        amountFormatted: { asset: ether, value: '-0.000021000000000000' },
        tags: ['fee'],
        ...position,
      },
    ]);
  },
);

test(
  'an unrecognised asset has no formatted amount; sixty digits keep every one',
  covers('balance-changes/entry/amountFormatted'),
  async () => {
    const { address } = await source('ethereum', {});
    const contract = '0xdac17f958d2ee523a2206206994597c13d831ec7';
    const amount = `9${'0123456789'.repeat(6)}`;
    await stage.deposit(address, contract, amount);
    const [entry] = entriesOf(await stage.notifications(), 'incoming', 'mempool');
    expect(entry).toMatchObject({ asset: `ethereum:${contract}`, amount, tags: ['erc20'] });
    expect(entry).not.toHaveProperty('amountFormatted');
  },
);

test(
  'an incoming combines per address and asset; each address and asset of a hash is reported',
  covers('balance-changes/aggregation/incoming'),
  async () => {
    const { vault, address } = await source('ethereum', {});
    const second = await stage.address(vault, 'ethereum');
    const pay = (to: Address, asset: string, amount: string) => ({
      addressId: to.addressId,
      asset: `ethereum:${asset}`,
      amount,
    });
    await stage.sim('POST', '/sim/deposits', {
      network: 'ethereum',
      outputs: [
        pay(address, 'ETH', '1'),
        pay(address, 'ETH', '2'),
        pay(address, 'USDC', '4'),
        pay(second, 'ETH', '8'),
      ],
    });
    await stage.mine('ethereum');
    const received = await stage.notifications();
    const incoming = received.filter(
      ({ stream, type }) => stream === 'incoming' && type === 'confirmation',
    );
    expect(incoming.map((each) => [each.addressId, changesOf(each).map(entryLine)])).toEqual([
      [address.addressId, ['3 ETH', '4 USDC erc20']],
      [second.addressId, ['8 ETH']],
    ]);
    expect(entriesOf(received, 'blockchain', 'transaction').map(entryLine)).toEqual([
      '1 ETH',
      '2 ETH',
      '4 USDC erc20',
      '8 ETH',
    ]);
  },
);

test('entries name the family of their address’s network, address records the network', async () => {
  for (const [network, asset, family] of [
    ['ethereum', 'ETH', 'evm'],
    ['polygon', 'POL', 'evm'],
    ['bitcoin', 'BTC', 'bitcoin'],
  ] as const) {
    const vault = await stage.vault();
    const address = await stage.address(vault, network);
    await stage.deposit(address, asset, '70000');
    await stage.mine(network);
    const received = await stage.notifications();
    for (const stream of ['incoming', 'blockchain']) {
      const changes = received
        .filter((each) => each.stream === stream && 'balanceChanges' in each)
        .flatMap(changesOf);
      expect(changes.length).toBeGreaterThan(0);
      for (const change of changes) expect(change.address?.network).toBe(family);
    }
    const read = await stage.api('GET', `/addresses/${address.addressId}`);
    expect(read.body['network']).toBe(network);
  }
});

test(
  'the address list shows a just-mined transaction at once and agrees with mined by sum',
  covers('balance-changes/conservation-6'),
  async () => {
    const { vault, address } = await source('bitcoin', { BTC: '100000000' });
    const received = await send(vault, { asset: 'bitcoin:BTC', amount: '60000000' });
    const path = `/addresses/${address.addressId}/blockchain-transactions`;
    const rows = async () => (await stage.api('GET', path)).rows;
    const [, spent] = await rows();
    expect(spent).toMatchObject({ status: 'confirmed', confirmations: 1 });
    const entries = entryList.parse(spent?.['balanceChanges']);
    const sum = entries.reduce((total, { amount }) => total + BigInt(amount), 0n);
    expect({ 'bitcoin:BTC': sum.toString() }).toEqual(sumOf(received, 'outgoing mined'));
    await stage.faults({ api: [{ fault: 'omit-balance-changes' }] });
    const [, brief] = await rows();
    expect(brief).toMatchObject({ blockchainHash: spent?.['blockchainHash'], status: 'confirmed' });
    expect(brief).not.toHaveProperty('balanceChanges');
    await stage.faults({});
    expect((await rows())[1]).toEqual(spent);
  },
);
