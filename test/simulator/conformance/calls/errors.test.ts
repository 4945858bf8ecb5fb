import { expect, test } from 'vitest';
import { textOf } from '../../call.ts';
import type { Answer, Json } from '../../call.ts';
import { covers } from '../coverage.ts';
import { refusalOf } from '../error-body.ts';
import type { RowId } from '../rows.ts';
import { ALL_STREAMS, setStage } from '../stage.ts';
import type { Address, Client, Vault } from '../stage.ts';
import { OUTSIDE, outsideOn } from '../../outside-addresses.ts';

const stage = setStage('errors');

interface Scene {
  readonly client: Client;
  readonly vault: Vault;
  readonly ethereum: Address;
  readonly bitcoin: Address;
  readonly ripple: Address;
}

async function scene(): Promise<Scene> {
  const vault = await stage.vault();
  return {
    client: await stage.client(),
    vault,
    ethereum: await stage.address(vault, 'ethereum'),
    bitcoin: await stage.address(vault, 'bitcoin', 'other'),
    ripple: await stage.address(vault, 'ripple'),
  };
}

const order = ({ client, vault }: Scene, changes: Json): Promise<Answer> =>
  client.call('POST', '/transactions', {
    orderId: 'one',
    vaultId: vault.vaultId,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: '1000',
    destinationAddress: OUTSIDE.ethereum,
    ...changes,
  });

const TRANSACTIONS = 'POST /api/v1/transactions';

/**
 * A call that leads to each code of the table. `endpoint` is the expected value in the error body.
 */
const WAYS: {
  status: number;
  code: string;
  row: RowId;
  way: string;
  call: (scene: Scene) => Promise<Answer>;
  endpoint: string;
}[] = [
  {
    status: 400,
    code: 'BR-1',
    row: 'errors/400 BR-1',
    way: 'a page size over the maximum',
    call: ({ client }) => client.call('GET', '/vaults?pageSize=1001'),
    endpoint: 'GET /api/v1/vaults',
  },
  {
    status: 400,
    code: 'BR-1',
    row: 'errors/400 BR-1',
    way: 'a body that is not JSON',
    call: ({ client: { token } }) =>
      stage.anyone('POST', '/transactions', { token, text: '{"orderId":' }),
    endpoint: TRANSACTIONS,
  },
  {
    status: 400,
    code: 'BR-2',
    row: 'errors/400 BR-2',
    way: 'a body that misses fields',
    call: ({ client }) => client.call('POST', '/transactions', { orderId: 'one' }),
    endpoint: TRANSACTIONS,
  },
  ...['1.5', '-1', '0', '1e18', '', '0x10', 1000].map((amount) => ({
    status: 400,
    code: 'BR-2',
    row: 'errors/400 BR-2' as const,
    way: `the amount ${JSON.stringify(amount)}`,
    call: (given: Scene) => order(given, { amount }),
    endpoint: TRANSACTIONS,
  })),
  {
    status: 400,
    code: 'BR-1001',
    row: 'errors/400 BR-1001',
    way: 'a network that is none',
    call: (given) => order(given, { network: 'dogecoin' }),
    endpoint: TRANSACTIONS,
  },
  {
    status: 400,
    code: 'BR-1002',
    row: 'errors/400 BR-1002',
    way: 'an asset of another network',
    call: (given) => order(given, { asset: 'bitcoin:BTC' }),
    endpoint: TRANSACTIONS,
  },
  {
    status: 401,
    code: 'AU-1',
    row: 'errors/401 AU-1',
    way: 'no credentials',
    call: () => stage.anyone('GET', '/networks'),
    endpoint: 'GET /api/v1/networks',
  },
  {
    status: 401,
    code: 'AU-1',
    row: 'errors/401 AU-1',
    way: 'credentials that fail',
    call: () => stage.anyone('GET', '/networks', { token: 'access_nothing' }),
    endpoint: 'GET /api/v1/networks',
  },
  {
    status: 404,
    code: 'NE-1',
    row: 'errors/404 NE-1',
    way: 'a transaction that is none',
    call: ({ client }) => client.call('GET', '/transactions/nothing?relations[]=events'),
    endpoint: 'GET /api/v1/transactions/nothing',
  },
  {
    status: 404,
    code: 'NE-1',
    row: 'errors/404 NE-1',
    way: 'a path that is none',
    call: ({ client }) => client.call('POST', '/nothing/at/all', {}),
    endpoint: 'POST /api/v1/nothing/at/all',
  },
  {
    status: 409,
    code: 'ADR-3001',
    row: 'errors/409 ADR-3001',
    way: 'an HD path that another account holds',
    call: ({ client, ethereum, bitcoin }) =>
      client.call('POST', '/addresses', {
        accountId: bitcoin.accountId,
        network: 'ethereum',
        hdpath: ethereum.hdpath,
      }),
    endpoint: 'POST /api/v1/addresses',
  },
  {
    status: 409,
    code: 'ADR-3002',
    row: 'errors/409 ADR-3002',
    way: 'a source address of another network',
    call: (given) => order(given, { addressId: given.bitcoin.addressId }),
    endpoint: TRANSACTIONS,
  },
  {
    status: 409,
    code: 'TX-2002',
    row: 'errors/409 TX-2002',
    way: 'a source address that contradicts its account',
    call: (given) =>
      order(given, {
        addressId: given.ethereum.addressId,
        accountId: given.bitcoin.accountId,
      }),
    endpoint: TRANSACTIONS,
  },
];

for (const { status, code, row, way, call, endpoint } of WAYS) {
  test(`${status} ${code}: ${way}`, covers(row), async () => {
    expect(refusalOf(await call(await scene()))).toBe(`${status} ${code} ${endpoint}`);
  });
}

/**
 * Destinations that no payment on the network can reach: invalid ones and those of other networks.
 */
const DESTINATIONS: readonly [network: string, asset: string, destination: string, code: string][] =
  [
    ['bitcoin', 'BTC', 'banana', '400 BR-1'],
    ['bitcoin', 'BTC', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp', '400 BR-1'],
    ['bitcoin', 'BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', '400 BR-1'],
    ['bitcoin', 'BTC', OUTSIDE.litecoin, '409 ADR-3002'],
    ['litecoin', 'LTC', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '409 ADR-3002'],
    ['ethereum', 'ETH', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', '409 ADR-3002'],
    ['ethereum', 'ETH', '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046', '400 BR-1'],
    ['polygon', 'POL', '0xabc', '400 BR-1'],
    ['tron', 'TRX', '0xzz', '400 BR-1'],
    ['tron', 'TRX', OUTSIDE.ethereum, '409 ADR-3002'],
    ['tron', 'TRX', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', '400 BR-1'],
    ['ripple', 'XRP', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi', '400 BR-1'],
    ['stellar', 'XLM', OUTSIDE.stellar.toLowerCase(), '400 BR-1'],
    ['neo', 'GAS', OUTSIDE.tron, '409 ADR-3002'],
    ['sui', 'SUI', '0x5a', '400 BR-1'],
    ['sui', 'SUI', OUTSIDE.ethereum, '409 ADR-3002'],
  ];

for (const [network, asset, destinationAddress, refusal] of DESTINATIONS) {
  test(`${refusal}: ${destinationAddress} as a destination on ${network}`, async () => {
    const request = { network, asset: `${network}:${asset}`, destinationAddress };
    expect(refusalOf(await order(await scene(), request))).toBe(`${refusal} ${TRANSACTIONS}`);
  });
}

test('on every network an order to an address of it is taken', async () => {
  const given = await scene();
  for (const network of (await given.client.call('GET', '/networks')).rows) {
    const key = textOf(network, 'key');
    const asset = textOf(network, 'nativeAsset');
    const request = { orderId: key, network: key, asset, destinationAddress: outsideOn(key) };
    expect([key, (await order(given, request)).status]).toEqual([key, 201]);
  }
});

const HASH_MEMO = 'ab'.repeat(32);
/** Valid and invalid memos by network. A memo has one spelling, or it could have two records. */
const MEMOS = [
  ['ripple', 'XRP', ['0', '7', '4294967295'], ['abc', '4294967296', '-1', '1.5', '007', ' 7']],
  [
    'stellar',
    'XLM',
    ['ann', 'é'.repeat(14), '18446744073709551615', HASH_MEMO],
    ['x'.repeat(29), 'é'.repeat(15), `${HASH_MEMO}0`, HASH_MEMO.toUpperCase()],
  ],
] as const;

for (const [network, symbol, carried, refused] of MEMOS) {
  test(`400 BR-1: a memo that no payment on ${network} can carry`, async () => {
    const given = await scene();
    const { addressId } = await stage.address(given.vault, network);
    const pay = (memo: string): Promise<Answer> => {
      const request = { network, asset: `${network}:${symbol}`, memo, orderId: `to ${memo}` };
      return order(given, { ...request, destinationAddress: outsideOn(network) });
    };
    const register = (memo: string) => given.client.call('POST', '/memos', { addressId, memo });
    for (const memo of refused) {
      expect([memo, refusalOf(await pay(memo))]).toEqual([memo, `400 BR-1 ${TRANSACTIONS}`]);
      const registered = refusalOf(await register(memo));
      expect([memo, registered]).toEqual([memo, '400 BR-1 POST /api/v1/memos']);
    }
    for (const memo of carried) {
      expect([memo, (await pay(memo)).status]).toEqual([memo, 201]);
      expect([memo, (await register(memo)).status]).toEqual([memo, 201]);
    }
  });
}

test('403 AU-1: insufficient privileges', covers('errors/403 AU-1'), async () => {
  const { vault } = await scene();
  const reader = await stage.client(['Vault:read']);
  const path = `/subscriptions/${vault.vaultId}`;
  const request = { webhookUrl: stage.receiver.url, streams: ALL_STREAMS };
  const answer = await reader.call('POST', path, request);
  expect(refusalOf(answer)).toBe(`403 AU-1 POST /api/v1${path}`);
});

test('409 CFR-1: a submitted transaction is declined', covers('errors/409 CFR-1'), async () => {
  const { client, vault, ethereum } = await scene();
  await stage.fund(ethereum, 'ETH', '1000000000000000000');
  const { transactionId } = await stage.order(vault, { asset: 'ethereum:ETH' });
  const path = `/transactions/${String(transactionId)}/cancel`;
  expect(refusalOf(await client.call('POST', path))).toBe(`409 CFR-1 POST /api/v1${path}`);
});

test('409 MEM-4001: the same memo with other content', covers('errors/409 MEM-4001'), async () => {
  const { client, ripple } = await scene();
  const memo = { addressId: ripple.addressId, memo: '77', name: 'first' };
  expect((await client.call('POST', '/memos', memo)).status).toBe(201);
  const answer = await client.call('POST', '/memos', { ...memo, name: 'second' });
  expect(refusalOf(answer)).toBe('409 MEM-4001 POST /api/v1/memos');
});

test('422 UE-1: signatures that sign nothing', covers('errors/422 UE-1'), async () => {
  const vault = await stage.vault({ externalSigner: true });
  await stage.fund(await stage.address(vault, 'ethereum'), 'ETH', '1000000000000000000');
  const { transactionId } = await stage.order(vault, { asset: 'ethereum:ETH' });
  const path = `/transactions/${String(transactionId)}/signatures`;
  const junk = { payload: '00'.repeat(32), signature: '00'.repeat(64), publicKey: '02' };
  const client = await stage.client();
  const answer = await client.call('POST', path, { signatures: [junk] });
  expect(refusalOf(answer)).toBe(`422 UE-1 POST /api/v1${path}`);
});

test('429 RL-1: more than a hundred in a minute', covers('errors/429 RL-1'), async () => {
  const { call } = await stage.client();
  for (let count = 0; count < 100; count += 1) await call('GET', '/networks?pageSize=1');
  const answer = await call('GET', '/networks?pageSize=1');
  expect(refusalOf(answer)).toBe('429 RL-1 GET /api/v1/networks');
});

test(
  'an error body holds its five fields, the time in ISO 8601 and the endpoint without the query',
  covers(
    'errors/body/statusCode',
    'errors/body/errorCode',
    'errors/body/errorMessage',
    'errors/body/timestamp',
    'errors/body/endpoint',
  ),
  async () => {
    await stage.advance(1_234_567);
    const { call } = await stage.client();
    const answer = await call('GET', '/addresses/none/memos?pageSize=5');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.body).toEqual({
      statusCode: 404,
      errorCode: 'NE-1',
      errorMessage: 'Address none not found',
      timestamp: new Date(await stage.now()).toISOString(),
      endpoint: 'GET /api/v1/addresses/none/memos',
    });
  },
);
