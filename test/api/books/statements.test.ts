import { expect, test } from 'vitest';
import { change, decimals, MINED, Service } from '../../store/webhook.ts';
import { apiUnderTest } from '../api-under-test.ts';

const POSITION = 'vaultId=v1&accountId=acc-1&addressId=adr-1&asset=ethereum%3AETH';

function iso(at: number): string {
  return new Date(at).toISOString();
}

test('a statement has opening, lines with the balance after each, and closing', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  const large = '123456789012345678901234567890';
  await api.open.deliver(
    service.confirmed(1, { balanceChanges: [change(large, decimals(18))] }),
    service.outgoing('mined', { blockchainHash: '0xb2', balanceChanges: MINED }),
  );
  const to = iso(api.open.at + 1);
  const from = iso(api.open.at);
  const { status, body } = await api.get(`/v1/statements?${POSITION}&from=${from}&to=${to}`);
  expect(status).toBe(200);
  const line = {
    entryId: 3_000_000,
    journalSeq: 3,
    postedAt: from,
    cause: 'mined',
    source: 'webhook',
    network: 'ethereum',
    blockchainHash: '0xb2',
    transactionId: 'wd-tx',
    notificationId: 'ntf-2',
    reverses: null,
  };
  expect(body).toEqual({
    view: 'books',
    vaultId: 'v1',
    accountId: 'acc-1',
    addressId: 'adr-1',
    memo: null,
    asset: 'ethereum:ETH',
    decimals: 18,
    from,
    to,
    opening: large,
    closing: '123456789012345678901234567858',
    throughJournalSeq: 3,
    asOf: 3,
    data: [
      {
        ...line,
        line: 0,
        changeKind: 'transfer',
        amount: '-30',
        balance: '123456789012345678901234567860',
      },
      {
        ...line,
        line: 2,
        changeKind: 'fee',
        amount: '-2',
        balance: '123456789012345678901234567858',
      },
    ],
    pagination: { page: 0, pageSize: 100, total: 2 },
  });
  const day = { from: iso(0), to };
  const page = `/v1/statements?${POSITION}&from=${day.from}&to=${day.to}&page=1&pageSize=2`;
  expect((await api.get(page)).body).toMatchObject({
    opening: '0',
    closing: '123456789012345678901234567858',
    data: [{ changeKind: 'fee' }],
    pagination: { page: 1, pageSize: 2, total: 3 },
  });
});

test('a statement says what is wrong with its position or its period', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().confirmed(1));
  const period = 'from=2025-11-20T00:00:00Z&to=2025-11-21T00:00:00Z';
  const cases = [
    [
      `vaultId=v2&asset=ethereum%3AETH&${period}`,
      404,
      'Nothing was ever posted at this position: GET /v1/balances lists positions.',
    ],
    [`asset=ethereum%3AETH&${period}`, 400, 'query: vaultId: is missing.'],
    [`vaultId=v1&${period}`, 400, 'query: asset: is missing.'],
    [
      `${POSITION}&from=2025-11-20&to=2025-11-21T00:00:00Z`,
      400,
      'query: from: must be a time with its zone, such as 2025-11-20T00:00:00Z (write + as %2B).',
    ],
    [
      `${POSITION}&from=2025-11-20T00:00:00Z&to=2025-11-20T00:00:00Z`,
      400,
      'query: to: must be later than from.',
    ],
  ] as const;
  for (const [query, status, detail] of cases) {
    const answer = await api.get(`/v1/statements?${query}`);
    expect([query, answer.status, answer.body['detail']]).toEqual([
      query,
      status,
      expect.stringContaining(detail),
    ]);
  }
});

test('too long a period names the latest end that fits', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  // A notification posts one line for each kind of change.
  const balanceChanges = [[], ['fee'], ['rebate'], ['mint']].map((tags) => change('2', { tags }));
  const bodies = Array.from({ length: 2_501 }, (_, index) =>
    service.confirmed(1, { blockchainHash: `0x${index}`, balanceChanges }),
  );
  await api.open.deliverTogether(...bodies);
  const [last, to] = [iso(api.open.at), iso(api.open.at + 1)];
  const from = iso(0);
  const whole = await api.get(`/v1/statements?${POSITION}&from=${from}&to=${to}`);
  expect([whole.status, whole.body['detail']]).toEqual([
    400,
    `query: the period has more than 10000 lines: end it at ${last} or earlier.`,
  ]);
  const shorter = await api.get(`/v1/statements?${POSITION}&from=${from}&to=${last}`);
  expect(shorter.body['pagination']).toMatchObject({ total: 10_000 });
});
