import { expect, test } from 'vitest';
import { ReadRefused } from '../../src/store/reads.ts';
import { AT_ADDRESS, change, onChain, Service } from '../store/webhook.ts';
import { apiUnderTest } from './api-under-test.ts';

test('balances are decimal strings at positions, in pages', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  const large = '123456789012345678901234567890123456789012345678901234567890';
  await api.open.deliver(
    service.confirmed(1, { balanceChanges: [change(large)] }),
    service.incoming('mempool', { blockchainHash: '0xb2', vaultId: 'v2' }),
  );
  const position = { accountId: 'acc-1', addressId: 'adr-1', memo: null, asset: 'ethereum:ETH' };
  expect((await api.get('/v1/balances')).body).toEqual({
    data: [
      { vaultId: 'v1', ...position, amount: large, pending: '0' },
      { vaultId: 'v2', ...position, amount: '0', pending: '100' },
    ],
    pagination: { page: 0, pageSize: 100, total: 2 },
  });
  const { body } = await api.get('/v1/balances?page=1&pageSize=1&memo=');
  expect(body).toEqual({
    data: [{ vaultId: 'v2', ...position, amount: '0', pending: '100' }],
    pagination: { page: 1, pageSize: 1, total: 2 },
  });
  expect(await api.list('/v1/balances?vaultId=v3')).toEqual([]);
});

test('the chain view holds what its own stream reported, and `asOf` gives earlier balances', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  await api.open.deliver(service.confirmed(1));
  const before = new Date(api.open.at).toISOString();
  await api.open.deliver(
    service.chain('transaction', { balanceChanges: [change('-3', AT_ADDRESS)] }),
    service.confirmed(1, { blockchainHash: '0xb2' }),
  );
  const amounts = async (path: string) => (await api.list(path)).map(({ amount }) => amount);
  expect(await amounts('/v1/balances?view=chain')).toEqual(['-3']);
  expect(await amounts('/v1/balances?view=books')).toEqual(['200']);
  expect(await amounts(`/v1/balances?asOf=${before}`)).toEqual(['100']);
  const elsewhere = encodeURIComponent(before.replace('Z', '+00:00'));
  expect(await amounts(`/v1/balances?asOf=${elsewhere}`)).toEqual(['100']);
});

test('deposits are listed by their address on the chain, in any spelling of it', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  const at = (blockchainHash: string, networkAddress: string) =>
    service.confirmed(1, {
      blockchainHash,
      balanceChanges: [change('100', onChain(networkAddress))],
    });
  await api.open.deliver(at('0xb1', '0xAbCd'), at('0xb2', '0xAbCd'), at('0xb3', '0xef'));
  const listed = async (query: string) =>
    (await api.list(`/v1/deposits?${query}`)).map(({ blockchainHash }) => blockchainHash);
  expect(await listed('networkAddress=0xABCD')).toEqual(['0xb2', '0xb1']);
  expect(await listed('networkAddress=0xABCD&state=confirming&pageSize=1&page=1')).toEqual([
    '0xb1',
  ]);
  expect(await listed('networkAddress=0xabcd&state=settled')).toEqual([]);
  expect(await listed('networkAddress=0xef&blockchainHash=0xb1')).toEqual([]);
  expect(await listed('networkAddress=0xe')).toEqual([]);
  const { body } = await api.get('/v1/deposits?networkAddress=0xabcd&pageSize=1');
  expect(body).toMatchObject({
    data: [{ networkAddress: null, reportedAddress: '0xAbCd' }],
    pagination: { page: 0, pageSize: 1, total: 2 },
  });
});

test('a withdrawal is shown with what it posted', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().outgoing('mined'));
  const at = new Date(api.open.at).toISOString();
  const position = { accountId: 'acc-1', addressId: 'adr-1', memo: null };
  expect(await api.list('/v1/withdrawals?status=mined')).toEqual([
    {
      transactionId: 'wd-tx',
      orderId: 'order-1',
      status: 'mined',
      reasonCode: null,
      vaultId: 'v1',
      accountId: null,
      addressId: null,
      destinationAddress: '0xdead',
      memo: null,
      network: 'ethereum',
      blockchainHash: '0xa1',
      posted: [
        { asset: 'ethereum:ETH', amount: '-30', kind: 'transfer', ...position },
        { asset: 'ethereum:ETH', amount: '-2', kind: 'fee', ...position },
      ],
      custody: 'unasked',
      firstSeenAt: at,
      updatedAt: at,
    },
  ]);
  expect(await api.list('/v1/withdrawals?status=failed')).toEqual([]);
});

test('a movement is shown with its difference and every line behind it', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  await api.open.deliver(
    service.confirmed(1, { balanceChanges: [change('70')] }),
    service.chain('transaction'),
  );
  const [movement] = await api.list('/v1/movements?blockchainHash=0xa1');
  expect(movement).toMatchObject({
    vaultId: 'v1',
    network: 'ethereum',
    blockchainHash: '0xa1',
    asset: 'ethereum:ETH',
    books: '70',
    chain: '100',
    difference: '-30',
    agreement: 'differs',
  });
  expect(movement?.['entries']).toMatchObject([
    {
      view: 'books',
      cause: 'incoming',
      reverses: null,
      lines: [
        { kind: 'position', addressId: 'adr-1', amount: '70', changeKind: 'transfer' },
        { kind: 'world', addressId: null, amount: '-70', changeKind: 'transfer' },
      ],
    },
    { view: 'chain', cause: 'chain' },
  ]);
  expect((await api.get('/v1/movements')).status).toBe(400);
});

test('notifications are shown with how they were taken', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().confirmed(3), { id: 'strange', stream: 'weather' });
  const at = new Date(api.open.at).toISOString();
  const [strange, known] = await api.list('/v1/notifications');
  expect(strange).toEqual({
    id: 'strange',
    status: 'quarantined',
    journalSeq: 3,
    stream: null,
    type: null,
    vaultId: null,
    network: null,
    blockchainHash: null,
    transactionId: null,
    confirmations: null,
    receivedAt: at,
  });
  expect(known).toMatchObject({ id: 'ntf-1', stream: 'incoming', confirmations: 3 });
  expect(await api.list('/v1/notifications?status=accepted&blockchainHash=0xa1')).toEqual([known]);
});

const REFUSED: [path: string, detail: string][] = [
  ['/v1/deposits?stat=held', 'query: not known here: stat.'],
  ['/v1/deposits?state=lost', 'query: state: '],
  ['/v1/deposits?page=-1', 'query: page: must be a whole number from 0 to 1000000000.'],
  ['/v1/deposits?page=1e3', 'query: page: must be a whole number'],
  ['/v1/deposits?page=', 'query: page: must be a whole number'],
  ['/v1/deposits?pageSize=0', 'query: pageSize: must be a whole number from 1 to 1000.'],
  ['/v1/deposits?pageSize=1001', 'query: pageSize: must be a whole number from 1 to 1000.'],
  ['/v1/deposits?vaultId=', 'query: vaultId: must not be empty: give a value, or leave it out.'],
  ['/v1/deposits?asset=', 'query: not known here: asset.'],
  ['/v1/balances?asset=', 'query: asset: must not be empty: give a value, or leave it out.'],
  [
    '/v1/deposits?vaultId=v1&vaultId=v2',
    'query: vaultId: must be one text, not a list: give it once.',
  ],
  ['/v1/deposits/dep_1?full=true', 'query: not known here: full.'],
  ['/v1/balances?view=sums', 'query: view: '],
  ['/v1/balances?asOf=yesterday', 'query: asOf: must be a time with its zone'],
  ['/v1/balances?asOf=2025-11-20T00:00:00', 'query: asOf: must be a time with its zone'],
  ['/v1/breaks?type=boredom', 'query: type: must be one of '],
  ['/v1/breaks?state=opn', 'state: must be one of open, investigating, resolved, unresolved.'],
  ['/v1/movements', 'query: blockchainHash: is missing.'],
  ['/v1/quarantine?state=kept', 'query: not known here: state.'],
  ['/v1/credits?wait=61', 'query: wait: must be a whole number from 0 to 60.'],
  ['/v1/credits?after=-1', 'query: after: must be a whole number'],
  ['/v1/credits?limit=1001', 'query: limit: must be a whole number from 1 to 1000.'],
];

test.for(REFUSED)('%s is refused: %s', async ([path, detail]) => {
  const api = await apiUnderTest();
  const { status, body } = await api.get(path);
  expect(status).toBe(400);
  expect(body['type']).toBe('urn:counterfoil:problem:invalid-request');
  expect(body['detail']).toContain(detail);
});

test.for<[path: string, taken: string]>([
  ['/v1/deposits?stat=held', 'state, vaultId, blockchainHash, networkAddress, page, pageSize'],
  ['/v1/credits?since=3', 'after, afterCreditId, limit, wait'],
  ['/v1/reports/daily/2025-11-20/movements?day=1', 'vaultId, asset, figure, page, pageSize'],
  ['/v1/quarantine?state=kept', 'page, pageSize'],
  ['/v1/deposits/dep_1?full=true', 'no parameters'],
])('an unknown parameter in %s is answered with those that the call takes', async (one) => {
  const [path, taken] = one;
  const api = await apiUnderTest();
  const { status, body } = await api.get(path);
  expect(status).toBe(400);
  expect(body['detail']).toContain(`. This call takes ${taken}. See /docs`);
});

test('an unknown parameter is named, however many others are missing', async () => {
  const { body } = await (await apiUnderTest()).get('/v1/statements?vault=v1&start=2025-11-20');
  expect(body['detail']).toContain('query: not known here: vault, start; vaultId: is missing; ');
});

test('another mistake in a query names no parameters', async () => {
  const { body } = await (await apiUnderTest()).get('/v1/deposits?page=-1');
  expect(body['detail']).toBe(
    'query: page: must be a whole number from 0 to 1000000000. See /docs for what this call takes.',
  );
});

test('a list that is not read now is 503 with Retry-After, and says why', async () => {
  const api = await apiUnderTest();
  const why = 'too many lists are being read: try again later';
  Object.assign(api.reads, { notifications: () => Promise.reject(new ReadRefused(why)) });
  const { status, body, headers } = await api.get('/v1/notifications?vaultId=v1');
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  const detail = 'Too many lists are being read: try again later.';
  expect(body).toMatchObject({ type: 'urn:counterfoil:problem:unavailable', detail });
});
