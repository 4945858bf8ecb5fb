import { expect, test } from 'vitest';
import { verifyWith } from '../../store/evidence.ts';
import { Service } from '../../store/webhook.ts';
import { apiUnderTest, type Answer, type ApiUnderTest, type Person } from '../api-under-test.ts';

const PATH = '/v1/policy/simulate';
const APPROVE_ALL = { default: { confirmations: 6, oneApprovalAbove: '0' } };

function simulate(api: ApiUnderTest, body: unknown, as: Person = 'vera'): Promise<Answer> {
  return api.request('POST', PATH, { as, body });
}

/** A credited deposit, then one that confirms. */
async function twoDeposits(): Promise<ApiUnderTest> {
  const api = await apiUnderTest();
  const service = new Service();
  await api.open.deliver(service.confirmed(6));
  await verifyWith(api.open, {});
  await api.open.deliver(service.confirmed(1, { blockchainHash: '0xb2' }));
  return api;
}

test('a simulation counts and lists what a policy would hold, and changes nothing', async () => {
  const api = await twoDeposits();
  const facts = api.open.journalLength();
  const { status, body } = await simulate(api, { policy: APPROVE_ALL });
  expect([status, body]).toMatchObject([
    200,
    {
      version: 'pol_1',
      evaluated: 2,
      held: 1,
      freed: 0,
      other: 0,
      changed: [
        {
          deposit: { state: 'credited', amount: '100' },
          effect: 'held',
          before: { state: 'credited', reason: null },
          after: { state: 'held', reason: 'approval_required' },
        },
      ],
    },
  ]);
  expect(api.open.journalLength()).toBe(facts);
});

test('what a simulation says of a waiting deposit is what the change does', async () => {
  const api = await twoDeposits();
  const policy = { default: { confirmations: 1, halted: true } };
  const { body } = await simulate(api, { policy, deposits: 1 });
  expect(body).toMatchObject({
    evaluated: 1,
    held: 1,
    changed: [{ after: { state: 'held', reason: 'halted' } }],
  });
  const headers = { 'If-Match': `"${String(body['version'])}"` };
  await api.request('PUT', '/v1/policy', { as: 'ada', headers, body: { policy, reason: 'x' } });
  expect(api.open.rows('SELECT state, reason FROM deposits WHERE credit_id IS NULL')).toEqual([
    { state: 'held', reason: 'halted' },
  ]);
});

test('everybody who may read may simulate', async () => {
  const api = await apiUnderTest();
  for (const as of ['vera', 'chris', 'olga', 'ada'] as const) {
    const { status, body } = await simulate(api, { policy: APPROVE_ALL }, as);
    expect([status, body]).toEqual([
      200,
      {
        version: 'pol_1',
        evaluated: 0,
        oldestFirstSeenAt: null,
        held: 0,
        heldByBoth: 0,
        freed: 0,
        other: 0,
        changed: [],
      },
    ]);
  }
});

test.for([
  [{ policy: { default: { confirmations: 'six' } } }, 'policy.default.confirmations'],
  [{ policy: APPROVE_ALL, deposits: 1_001 }, 'deposits'],
  [{ policy: APPROVE_ALL, reason: 'x' }, 'reason'],
] as const)('%j is refused by name: %s', async ([body, name]) => {
  const answer = await simulate(await apiUnderTest(), body);
  expect([answer.status, answer.body['detail']]).toEqual([400, expect.stringContaining(name)]);
});

test('a policy for a thousand assets fits', async () => {
  const assets = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [
      `ethereum:0x${String(index).padStart(40, '0')}`,
      { confirmations: 12, oneApprovalAbove: '1000000000000000000' },
    ]),
  );
  const policy = { default: { confirmations: 6 }, assets };
  expect((await simulate(await apiUnderTest(), { policy })).status).toBe(200);
});
