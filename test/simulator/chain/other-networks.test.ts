import { expect, test } from 'vitest';
import { record, Scene } from '../world/scene.ts';

test.each([
  // The network exposes no mempool, so no notification comes before the block.
  ['tron', 'USDT', 'TRX', ['-5 USDT contract', '-345000 TRX fee', '-6427000 TRX fee']],
  ['polygon', 'USDC', 'POL', ['-5 USDC erc20', '-1950000000000000 POL fee']],
  ['neo', 'NEO', 'GAS', ['-5 NEO', '-997780 GAS fee', '-122752 GAS fee', '37000 GAS mint']],
  ['sui', 'SUI', 'SUI', ['-5 SUI', '-750000 SUI fee', '-1976000 SUI fee', '978120 SUI rebate']],
  ['stellar', 'USDC', 'XLM', ['-5 USDC', '-100 XLM fee']],
])(
  '%s: the chain reports every entry, mined one per kind',
  (network, symbol, feeSymbol, entries) => {
    const scene = new Scene();
    const vault = scene.vault();
    const address = scene.address(vault, network);
    scene.fund(address, feeSymbol, 10n ** 18n);
    scene.fund(address, symbol, 10n ** 18n);
    scene.order({
      vaultId: vault.vaultId,
      network,
      asset: `${network}:${symbol}`,
      amount: 5n,
    });
    scene.log.length = 0;
    scene.mine(network);
    const fees = entries.filter((entry) => entry.endsWith(' fee'));
    const total = fees.reduce((sum, entry) => sum + BigInt(entry.split(' ')[0] ?? ''), 0n);
    const mined = entries
      .filter((entry) => !entry.endsWith(' fee'))
      .toSpliced(1, 0, `${total} ${feeSymbol} fee`);
    expect(scene.received()).toEqual([
      `outgoing mined [${mined.join(', ')}]`,
      `blockchain transaction [${entries.join(', ')}]`,
      'blockchain confirmation 1',
    ]);
  },
);

test('a mempool that is not exposed reports nothing, not even its drops', () => {
  const scene = new Scene();
  const address = scene.address(scene.vault(), 'tron');
  const hash = scene.pay(address, 'TRX', 5n);
  scene.reorg('tron', 0, [hash]);
  expect(scene.received()).toEqual([]);
  expect(scene.world.transactions({}).total).toBe(0);
});

test('a registered memo attributes the credit; another memo does not', () => {
  const scene = new Scene();
  const address = scene.address(scene.vault(), 'ripple');
  record(scene.world.createMemo({ addressId: address.addressId, memo: '77', name: 'ann' }));
  scene.pay(address, 'XRP', 5n, '77');
  scene.pay(address, 'XRP', 6n, '78');
  scene.mine('ripple');
  expect(scene.log.filter((each) => each.stream === 'incoming')).toMatchObject([
    { memo: '77', balanceChanges: [{ memoInfo: { memo: '77', name: 'ann' } }] },
    { memo: '78' },
  ]);
  expect(scene.received('incoming')).toEqual([
    'incoming confirmation 1 [5 XRP memo 77]',
    'incoming confirmation 1 [6 XRP]',
  ]);
  expect(scene.world.truthBalances().map(({ memo, amount }) => [memo, amount])).toEqual([
    [null, 6n],
    ['77', 5n],
  ]);
});

test('an address that pays itself with a memo debits itself and credits the sub-account', () => {
  const scene = new Scene();
  const vault = scene.vault();
  const address = scene.address(vault, 'stellar');
  scene.fund(address, 'XLM', 1000n);
  record(scene.world.createMemo({ addressId: address.addressId, memo: 'ann' }));
  scene.order({
    vaultId: vault.vaultId,
    network: 'stellar',
    asset: 'stellar:XLM',
    amount: 10n,
    destinationAddress: address.networkAddress,
    memo: 'ann',
  });
  scene.log.length = 0;
  scene.mine('stellar');
  expect(scene.received()).toEqual([
    'outgoing mined [-10 XLM, -100 XLM fee]',
    'blockchain transaction [-10 XLM, 10 XLM, -100 XLM fee]',
    'incoming confirmation 1 [10 XLM memo ann]',
    'blockchain confirmation 1',
  ]);
  expect(scene.world.truthBalances().map(({ memo, amount }) => [memo, amount])).toEqual([
    [null, 890n],
    ['ann', 10n],
  ]);
});

test('a partial payment credits what was delivered, not what it claims', () => {
  const scene = new Scene();
  const address = scene.address(scene.vault(), 'ripple');
  record(
    scene.world.deposit({
      network: 'ripple',
      outputs: [
        {
          addressId: address.addressId,
          asset: 'ripple:XRP',
          amount: 3n,
          claimedAmount: 3_000_000n,
        },
      ],
    }),
  );
  scene.mine('ripple');
  expect(scene.log[0]?.['metadata']).toEqual({
    partialPayment: true,
    amount: '3000000',
    deliveredAmount: '3',
  });
  expect(scene.received('incoming')).toEqual(['incoming confirmation 1 [3 XRP]']);
});

test('a partial payment is reported whichever output makes it, and only one output may', () => {
  const scene = new Scene();
  const vault = scene.vault();
  const [first, second] = [scene.address(vault, 'ripple'), scene.address(vault, 'ripple')];
  const plain = { addressId: first.addressId, asset: 'ripple:XRP', amount: 5n };
  const partial = { ...plain, addressId: second.addressId, amount: 3n, claimedAmount: 3_000_000n };
  const { blockchainHash } = record(
    scene.world.deposit({ network: 'ripple', outputs: [plain, partial] }),
  );
  scene.mine('ripple');
  for (const { metadata } of scene.world.transactions({ blockchainHash }).data) {
    expect(metadata).toEqual({ partialPayment: true, amount: '3000000', deliveredAmount: '3' });
  }
  const twice = { network: 'ripple', outputs: [{ ...plain, claimedAmount: 9n }, partial] };
  expect(scene.world.deposit(twice)).toMatchObject({ kind: 'refused', code: 'BR-1' });
});

test('one hash that pays several addresses and memos is as many deposits', () => {
  const scene = new Scene();
  const vault = scene.vault();
  const [first, second] = [scene.address(vault, 'ripple'), scene.address(vault, 'ripple')];
  const pay = (addressId: string, memo: string, amount: bigint) => ({
    addressId,
    memo,
    amount,
    asset: 'ripple:XRP',
  });
  record(
    scene.world.deposit({
      network: 'ripple',
      outputs: [
        pay(first.addressId, '1', 1n),
        pay(first.addressId, '2', 2n),
        pay(first.addressId, '1', 4n),
        pay(second.addressId, '1', 8n),
      ],
    }),
  );
  scene.mine('ripple');
  expect(scene.received()).toEqual([
    'blockchain transaction [1 XRP, 2 XRP, 4 XRP, 8 XRP]',
    'incoming confirmation 1 [5 XRP]',
    'incoming confirmation 1 [2 XRP]',
    'incoming confirmation 1 [8 XRP]',
    'blockchain confirmation 1',
  ]);
});

test('an external debit is reported by the blockchain stream alone, without a transactionId', () => {
  const scene = new Scene();
  const address = scene.address(scene.vault(), 'ethereum');
  scene.fund(address, 'USDC', 100n);
  record(
    scene.world.externalDebit({
      network: 'ethereum',
      addressId: address.addressId,
      asset: 'ethereum:USDC',
      amount: 40n,
      destinationAddress: 'thief',
    }),
  );
  scene.mine('ethereum');
  expect(scene.log.some((each) => 'transactionId' in each)).toBe(false);
  expect(scene.received()).toEqual([
    'blockchain mempool [-40 USDC erc20]',
    'blockchain transaction [-40 USDC erc20]',
    'blockchain confirmation 1',
  ]);
});
