import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { Memo } from '../../../src/domain/ids.ts';
import { verifyWith } from '../../store/evidence.ts';
import { SIX_DEEP } from '../../store/open-ledger.ts';
import { change, Service } from '../../store/webhook.ts';
import { apiUnderTest, type ApiUnderTest } from '../api-under-test.ts';

const TWO_PEOPLE: CreditingPolicy = {
  default: { confirmations: 6, twoApprovalsAbove: Amount(50n) },
  networks: {},
  assets: {},
};

/** An API with one deposit of 100 that is deep enough, and the path to it. */
async function withDeposit(
  policy: CreditingPolicy = SIX_DEEP,
): Promise<{ api: ApiUnderTest; path: string; service: Service }> {
  const api = await apiUnderTest(policy);
  const service = new Service();
  await api.open.deliver(service.confirmed(6));
  return { api, path: `/v1/deposits/${api.open.depositId()}`, service };
}

test('a deposit is shown with everything that its credit depends on', async () => {
  const { api, path } = await withDeposit();
  const at = new Date(api.open.at).toISOString();
  const deposit = {
    depositId: api.open.depositId(),
    state: 'verifying',
    reason: null,
    vaultId: 'v1',
    accountId: 'acc-1',
    addressId: 'adr-1',
    networkAddress: null,
    reportedAddress: null,
    memo: null,
    network: 'ethereum',
    asset: 'ethereum:ETH',
    amount: '100',
    blockchainHash: '0xa1',
    transactionId: 'dep-tx',
    confirmations: 6,
    requiredConfirmations: 6,
    custodyConfirmations: 0,
    epoch: 0,
    verifiedAt: null,
    attributedTo: null,
    attributedBy: null,
    operatorHold: null,
    approvals: [],
    creditId: null,
    reference: null,
    version: '[0,"100",null,false,false,[]]',
    firstSeenAt: at,
    updatedAt: at,
  };
  expect((await api.get(path)).body).toEqual(deposit);
  expect(await api.list('/v1/deposits?state=verifying&vaultId=v1')).toEqual([deposit]);
  expect(await api.list('/v1/deposits?state=held')).toEqual([]);
});

test('two operators approve a large deposit; one of them twice is not enough', async () => {
  const { api, path } = await withDeposit(TWO_PEOPLE);
  await verifyWith(api.open);
  const first = await api.post(`${path}/approve`, { reason: 'known customer' }, 'olga');
  expect(first.body).toMatchObject({ state: 'held', reason: 'approval_required' });
  const again = await api.post(`${path}/approve`, { reason: 'once more' }, 'olga');
  expect(again.status).toBe(409);
  expect(again.body['detail']).toContain('olga has approved it already');
  const second = await api.post(`${path}/approve`, { reason: 'called them' }, 'otto');
  expect(second.body).toMatchObject({
    state: 'credited',
    approvals: [
      { person: 'olga', reason: 'known customer' },
      { person: 'otto', reason: 'called them' },
    ],
  });
});

test('an operator holds a deposit and releases it', async () => {
  const { api, path } = await withDeposit();
  const held = await api.post(`${path}/hold`, { reason: 'police letter' });
  expect(held.body).toMatchObject({
    state: 'held',
    reason: 'operator_hold',
    operatorHold: 'olga: police letter',
  });
  await verifyWith(api.open);
  expect((await api.get(path)).body['state']).toBe('held');
  const released = await api.post(`${path}/release`, { reason: 'withdrawn' });
  expect(released.body).toMatchObject({ state: 'credited', operatorHold: null });
  expect((await api.post(`${path}/hold`, { reason: 'too late' })).status).toBe(409);
});

test('a deposit with an unregistered memo is attributed', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(
    new Service().confirmed(6, { memo: '88', balanceChanges: [change('100')] }),
  );
  const path = `/v1/deposits/${api.open.depositId()}`;
  const body = { attributedTo: 'customer 7', reason: 'their ticket' };
  const { status, body: deposit } = await api.post(`${path}/attribute`, body);
  expect([status, deposit['attributedTo'], deposit['state']]).toEqual([
    200,
    'customer 7',
    'verifying',
  ]);
});

test('a mistyped owner is corrected until the credit is born, and both are on record', async () => {
  const api = await apiUnderTest({
    default: { confirmations: 6, oneApprovalAbove: Amount(50n) },
    networks: {},
    assets: {},
  });
  await api.open.deliver(
    new Service().confirmed(6, { memo: '88', balanceChanges: [change('100')] }),
  );
  await verifyWith(api.open, { memo: Memo('88') });
  const path = `/v1/deposits/${api.open.depositId()}`;
  const attribute = (attributedTo: string, reason: string) =>
    api.post(`${path}/attribute`, { attributedTo, reason }, 'olga');
  await attribute('customer 7', 'their ticket');
  const corrected = await attribute('customer 17', 'mistyped');
  expect(corrected.body).toMatchObject({ attributedTo: 'customer 17', attributedBy: 'olga' });
  const own = await api.post(`${path}/approve`, { reason: 'sure' }, 'olga');
  expect([own.status, own.body['detail']]).toEqual([
    409,
    'The last approval needs another person: olga named its owner.',
  ]);
  const other = await api.post(`${path}/approve`, { reason: 'saw the ticket' }, 'otto');
  expect(other.body).toMatchObject({ state: 'credited', attributedTo: 'customer 17' });
  expect((await attribute('customer 8', 'too late')).status).toBe(409);
  const said = api.open
    .bodies('decision')
    .map((text) => JSON.parse(text) as { kind: string; attributedTo?: string; reason: string })
    .filter(({ kind }) => kind === 'attribute')
    .map(({ attributedTo, reason }) => `${attributedTo}: ${reason}`);
  expect(said).toEqual(['customer 7: their ticket', 'customer 17: mistyped']);
});

test('a decision about nothing is not found, and says where to look', async () => {
  const api = await apiUnderTest();
  const cases: [path: string, body: object, detail: string][] = [
    [
      '/v1/deposits/dep_9/hold',
      { reason: 'x' },
      'There is no deposit dep_9: list them with GET /v1/deposits.',
    ],
    [
      '/v1/breaks/brk_9/resolve',
      { reason: 'x' },
      'There is no break brk_9: list them with GET /v1/breaks.',
    ],
    [
      '/v1/credits/crd_9/ack',
      { reference: 'x' },
      'There is no credit crd_9: read GET /v1/credits.',
    ],
    [
      '/v1/quarantine/qtn_9/retry',
      {},
      'There is no quarantined body qtn_9: list them with GET /v1/quarantine.',
    ],
  ];
  for (const [path, body, detail] of cases) {
    const answer = await api.post(path, body);
    expect([answer.status, answer.body['detail']]).toEqual([404, detail]);
  }
  expect((await api.get('/v1/deposits/dep_9')).body['detail']).toContain('GET /v1/deposits');
  expect((await api.get('/v1/breaks/brk_9')).body['detail']).toContain('GET /v1/breaks');
});

const BAD_BODIES: [body: unknown, status: number, detail: string][] = [
  [{}, 400, 'body: reason: '],
  [{ reason: '   ' }, 400, 'body: reason: must not be empty'],
  [{ reason: 7 }, 400, 'body: reason: '],
  [
    { reason: 'x'.repeat(1_001) },
    400,
    'body: reason: must have at most 1000 characters, and has 1001. ',
  ],
  [{ reason: 'x', force: true }, 400, 'body: not known here: force'],
  ['{"reason":', 400, 'The body is no valid JSON: it may be cut off. See /docs'],
  [undefined, 400, 'body: reason: '],
  [{ reason: 'x'.repeat(70_000) }, 413, 'larger than any call'],
];

test.for(BAD_BODIES)('a decision with the body %o is refused', async ([body, status, detail]) => {
  const { api, path } = await withDeposit();
  const journal = api.open.journalLength();
  const answer = await api.post(`${path}/hold`, body);
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
    status,
    'application/problem+json',
  ]);
  expect(answer.body['detail']).toContain(detail);
  expect(api.open.journalLength()).toBe(journal);
});

const TOO_LONG: [detail: string, path: string, body?: object][] = [
  ['network: 512 513', '/v1/policy/halt', { network: 'n'.repeat(513), reason: 'r' }],
  ['reason: 1000 1001', '/v1/policy/halt', { network: 'n', reason: 'r'.repeat(1_001) }],
  ['basis: 4096 4097', '/v1/policy/resume', { reason: 'r', basis: 'b'.repeat(4_097) }],
  ['assignee: 256 257', `/v1/breaks?assignee=${'a'.repeat(257)}`],
  ['memo: 512 513', `/v1/balances?memo=${'m'.repeat(513)}`],
];

test.for(TOO_LONG)('a text that is too long is refused in the same words: %s', async (given) => {
  const [detail, path, body] = given;
  const [field, limit, length] = detail.split(' ');
  const { api } = await withDeposit();
  const answer = await (body === undefined ? api.get(path) : api.post(path, body));
  expect([answer.status, answer.body['detail']]).toEqual([
    400,
    expect.stringContaining(`${field} must have at most ${limit} characters, and has ${length}.`),
  ]);
});

test('a body that is not called JSON is refused', async () => {
  const { api, path } = await withDeposit();
  const answer = await api.request('POST', `${path}/hold`, {
    as: 'olga',
    body: 'reason=x',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  expect(answer.status).toBe(415);
  expect(answer.body['detail']).toContain('Content-Type: application/json');
});

test.for([
  { kind: 'busy' },
  { kind: 'unavailable', effect: 'none', cause: 'SQLITE_FULL' },
] as const)('a store that is $kind takes no decision, and says to try again', async (submitted) => {
  const api = await apiUnderTest(SIX_DEEP, { submit: () => Promise.resolve(submitted) });
  const answer = await api.post('/v1/deposits/dep_1/hold', { reason: 'x' });
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(answer.body['type']).toBe('urn:counterfoil:problem:unavailable');
  expect(answer.body['detail']).toMatch(/nothing was changed\. Try again\.$/);
  expect(JSON.stringify(answer.body)).not.toContain('SQLITE');
});

test('a bug is logged and answered without its words', async () => {
  const api = await apiUnderTest(SIX_DEEP, {
    submit: () => Promise.reject(new Error('secret of the house')),
  });
  const answer = await api.post('/v1/deposits/dep_1/hold', { reason: 'x' });
  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer.body)).not.toContain('secret');
  expect(api.bugs).toHaveLength(1);
});
