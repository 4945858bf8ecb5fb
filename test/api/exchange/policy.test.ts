import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { verifyWith } from '../../store/evidence.ts';
import { SIX_DEEP } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';
import { apiUnderTest, type Answer, type ApiUnderTest, type Person } from '../api-under-test.ts';

const RICH: CreditingPolicy = {
  default: { confirmations: 6 },
  networks: { ethereum: { confirmations: 12, halted: true } },
  assets: {
    'ethereum:ETH': { oneApprovalAbove: Amount(10n ** 30n), twoApprovalsAbove: null },
  },
};

const NEW = { default: { confirmations: 3 }, networks: {}, assets: {} };

async function put(
  api: ApiUnderTest,
  body: unknown,
  more: { as?: Person; ifMatch?: string | null } = {},
): Promise<Answer> {
  const { as = 'ada' } = more;
  const etag = more.ifMatch ?? (await api.get('/v1/policy')).headers.get('ETag') ?? '';
  const headers: Record<string, string> = more.ifMatch === null ? {} : { 'If-Match': etag };
  return api.request('PUT', '/v1/policy', { as, body, headers });
}

test('everybody may read the policy that holds, with who set it, when and why', async () => {
  const api = await apiUnderTest(RICH);
  const { status, headers, body } = await api.get('/v1/policy', 'vera');
  expect(status).toBe(200);
  expect(body).toEqual({
    version: 'pol_1',
    source: 'config',
    setAt: new Date(api.open.at).toISOString(),
    setBy: 'config',
    reason: 'the configuration says so',
    policy: {
      default: { confirmations: 6 },
      networks: { ethereum: { confirmations: 12, halted: true } },
      assets: {
        'ethereum:ETH': { oneApprovalAbove: `1${'0'.repeat(30)}`, twoApprovalsAbove: null },
      },
    },
    halted: ['network ethereum'],
    warnings: [],
  });
  expect(headers.get('ETag')).toBe('"pol_1"');
});

test.for([
  ['PUT', '/v1/policy', ['ada']],
  ['POST', '/v1/policy/halt', ['olga', 'ada']],
  ['POST', '/v1/policy/resume', ['olga', 'ada']],
  ['GET', '/v1/policy/history', ['vera', 'chris', 'olga', 'ada']],
] as const)('%s %s is for %s', async ([method, path, people]) => {
  const api = await apiUnderTest();
  const allowed: Person[] = [];
  for (const as of ['vera', 'chris', 'olga', 'ada'] as const) {
    if ((await api.request(method, path, { as })).status !== 403) allowed.push(as);
  }
  expect(allowed).toEqual(people);
  expect(api.open.journalLength()).toBe(1);
});

test('a replaced policy holds at once, and every deposit that waits is evaluated by it', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().confirmed(3));
  await verifyWith(api.open, { confirmations: 3 });
  expect(api.open.depositState()).toBe('confirming');
  const answer = await put(api, { policy: NEW, reason: 'three are enough' });
  expect([answer.status, answer.body]).toMatchObject([
    200,
    { source: 'api', setBy: 'ada', reason: 'three are enough', policy: NEW },
  ]);
  expect(answer.headers.get('ETag')).toBe(`"${String(answer.body['version'])}"`);
  expect(api.open.depositState()).toBe('credited');
  // A stricter policy never reverses a credit.
  await put(api, { policy: { default: { confirmations: 60, halted: true } }, reason: 'more' });
  expect([api.open.depositState(), api.open.feedLines()]).toEqual(['credited', ['credit 100']]);
});

test('deposits of vaults that the policy does not name are held, and credited when it names them', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().confirmed(6));
  const rules = { default: { confirmations: 6 }, networks: {}, assets: {} };
  const others = { vaults: ['v2'], ...rules };
  const answer = await put(api, { policy: others, reason: 'this journal has v2 alone' });
  expect([answer.status, answer.body]).toMatchObject([200, { policy: others }]);
  await verifyWith(api.open, { confirmations: 6 });
  const [held] = api.open.deposits();
  expect(held).toMatchObject({ state: 'held', reason: 'vault_not_credited', vault_id: 'v1' });
  expect([api.open.feedLines(), api.open.breaks()]).toEqual([[], []]);
  await put(api, { policy: { ...rules, vaults: ['v2', 'v1'] }, reason: 'and v1' });
  expect([api.open.depositState(), api.open.feedLines()]).toEqual(['credited', ['credit 100']]);
});

test('a deposit that the custody service created before the start is held, and credited when the start moves before it', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().confirmed(6));
  const rules = { default: { confirmations: 6 }, networks: {}, assets: {} };
  const later = { startsAt: '1970-01-01T00:00:02Z', ...rules };
  const answer = await put(api, { policy: later, reason: 'credited elsewhere before' });
  expect([answer.status, answer.body]).toMatchObject([200, { policy: later }]);
  await verifyWith(api.open, { confirmations: 6, createdAt: 1_999 });
  await verifyWith(api.open, { confirmations: 7, createdAt: 9_000 });
  expect(api.open.deposits()).toMatchObject([{ state: 'held', reason: 'before_start' }]);
  const [{ deposit_id: id } = { deposit_id: '' }] = api.open.deposits();
  const release = await api.post(`/v1/deposits/${id}/release`, { reason: 'x' });
  expect(release.body['detail']).toContain('change the start of crediting in the policy');
  expect([api.open.feedLines(), api.open.breaks()]).toEqual([[], []]);
  const earlier = { ...later, startsAt: '1970-01-01T01:00:01.999+01:00' };
  await put(api, { policy: earlier, reason: 'nobody credited that one' });
  expect([api.open.depositState(), api.open.feedLines()]).toEqual(['credited', ['credit 100']]);
});

test('a replacement that leaves the start out is refused; null removes the start and credits the past', async () => {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().confirmed(6));
  const rules = { default: { confirmations: 6 }, networks: {}, assets: {} };
  const startsAt = '1970-01-01T00:00:02Z';
  await put(api, { policy: { startsAt, ...rules }, reason: 'credited elsewhere before' });
  await verifyWith(api.open, { confirmations: 6, createdAt: 1_999 });
  const old = await put(api, { policy: rules, reason: 'written by a program of before' });
  expect(old.status).toBe(400);
  expect(old.body['detail']).toBe(
    `body: policy.startsAt: the policy in force holds transactions from before ${startsAt}. Send the same time to keep holding them, or null to credit them too.`,
  );
  expect([api.open.depositState(), api.open.feedLines()]).toEqual(['held: before_start', []]);
  const past = { startsAt: null, ...rules };
  const simulated = await api.post('/v1/policy/simulate', { policy: past });
  expect(simulated.body).toMatchObject({ freed: 1 });
  const removed = await put(api, { policy: past, reason: 'nobody credited them' });
  expect([removed.status, removed.body]).toMatchObject([200, { policy: rules }]);
  expect(api.open.feedLines()).toEqual(['credit 100']);
});

test('a change made to an old policy is refused, and says who was faster', async () => {
  const api = await apiUnderTest();
  const { headers } = await api.get('/v1/policy');
  const ifMatch = headers.get('ETag') ?? '';
  await api.post('/v1/policy/halt', { network: 'ethereum', reason: 'a fork' });
  const late = await put(api, { policy: NEW, reason: 'x' }, { ifMatch });
  expect(late.status).toBe(412);
  expect(late.body['type']).toBe('urn:counterfoil:problem:precondition-failed');
  expect(late.body['detail']).toContain('set by olga (a fork)');
  expect((await put(api, { policy: NEW, reason: 'x' }, { ifMatch: null })).status).toBe(428);
  expect((await put(api, { policy: NEW, reason: 'x' }, { ifMatch: `W/${ifMatch}` })).status).toBe(
    412,
  );
  expect((await api.get('/v1/policy')).body['halted']).toEqual(['network ethereum']);
  const list = `"pol_9", ${(await api.get('/v1/policy')).headers.get('ETag') ?? ''}`;
  expect((await put(api, { policy: NEW, reason: 'x' }, { ifMatch: list })).status).toBe(200);
  expect((await put(api, { policy: SIX_DEEP, reason: 'x' }, { ifMatch: '*' })).status).toBe(200);
});

test('of two changes at the same time to the same policy one is taken', async () => {
  const api = await apiUnderTest();
  const ifMatch = '"pol_1"';
  const other = { ...NEW, default: { confirmations: 4 } };
  const both = await Promise.all([
    put(api, { policy: NEW, reason: 'x' }, { ifMatch }),
    put(api, { policy: other, reason: 'y' }, { ifMatch }),
  ]);
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 412]));
  expect(api.open.rows('SELECT * FROM policies')).toHaveLength(2);
});

test('the same policy again changes nothing and leaves no trace', async () => {
  const api = await apiUnderTest();
  const answer = await put(api, { policy: { default: { confirmations: 6 } }, reason: 'again' });
  expect([answer.status, answer.body['version']]).toEqual([200, 'pol_1']);
  expect(api.open.journalLength()).toBe(1);
});

const BAD_POLICIES: [policy: unknown, detail: string][] = [
  [{}, 'policy.default: is missing'],
  [7, 'policy: must be an object'],
  [{ default: { confirmations: -1 } }, 'policy.default.confirmations: must not be negative'],
  [{ default: { confirmations: 6, confirmatons: 7 } }, 'unknown key "confirmatons"'],
  [
    { default: { confirmations: 6, minimumAmount: 5 } },
    'policy.default.minimumAmount: must be a string',
  ],
  [
    { default: { confirmations: 6, oneApprovalAbove: '9', twoApprovalsAbove: '5' } },
    'policy.default.twoApprovalsAbove: must not be below oneApprovalAbove',
  ],
];

test.for(BAD_POLICIES)('the policy %o is refused', async ([policy, detail]) => {
  const api = await apiUnderTest();
  const answer = await put(api, { policy, reason: 'x' });
  expect([answer.status, answer.body['type']]).toEqual([
    400,
    'urn:counterfoil:problem:invalid-request',
  ]);
  expect(answer.body['detail']).toContain(detail);
  expect(api.open.journalLength()).toBe(1);
});

test('a change without a reason is refused', async () => {
  const api = await apiUnderTest();
  expect((await put(api, { policy: NEW })).status).toBe(400);
  expect((await api.post('/v1/policy/halt', {})).status).toBe(400);
  const both = { network: 'ethereum', asset: 'ethereum:ETH', reason: 'x' };
  expect((await api.post('/v1/policy/halt', both)).body['detail']).toContain('not both');
});

test('a policy for a thousand assets fits', async () => {
  const api = await apiUnderTest();
  const assets = Object.fromEntries(
    Array.from({ length: 3000 }, (_, at) => [
      `ethereum:0x${'a'.repeat(36)}${at}`,
      { halted: true },
    ]),
  );
  expect((await put(api, { policy: { ...NEW, assets }, reason: 'all of them' })).status).toBe(200);
});

test.for([{}, { network: 'ethereum' }, { asset: 'ethereum:ETH' }])(
  'a halt of %o stops what is due, and its resumption lets it go',
  async (scope) => {
    const api = await apiUnderTest();
    await api.open.deliver(new Service().confirmed(6));
    const halted = await api.post('/v1/policy/halt', { ...scope, reason: 'something is odd' });
    expect([halted.status, halted.body['setBy']]).toEqual([200, 'olga']);
    expect(api.open.depositState()).toBe('held: halted');
    await verifyWith(api.open);
    expect(api.open.feedLines()).toEqual([]);
    const resumed = await api.post('/v1/policy/resume', { ...scope, reason: 'it was not' }, 'otto');
    expect(resumed.body).toMatchObject({ halted: [], policy: SIX_DEEP });
    expect(api.open.feedLines()).toEqual(['credit 100']);
  },
);

test('a halt twice is one, and a resumption of what is not halted itself says what is', async () => {
  const api = await apiUnderTest();
  const network = { network: 'ethereum', reason: 'a fork' };
  const first = await api.post('/v1/policy/halt', network);
  const again = await api.post('/v1/policy/halt', network, 'otto');
  expect([again.status, again.body]).toEqual([200, first.body]);
  const answer = await api.post('/v1/policy/resume', { asset: 'ethereum:ETH', reason: 'x' });
  expect(answer.status).toBe(409);
  expect(answer.body['detail']).toBe(
    'Asset ethereum:ETH is not halted by a switch of its own; halted: network ethereum.',
  );
  expect(api.open.journalLength()).toBe(2);
});

test('approvals given before a change are kept', async () => {
  const above = (amount: string) => ({
    ...NEW,
    assets: { 'ethereum:ETH': { twoApprovalsAbove: amount } },
  });
  const api = await apiUnderTest({
    ...SIX_DEEP,
    default: { confirmations: 6, twoApprovalsAbove: Amount(50n) },
  });
  await api.open.deliver(new Service().confirmed(6));
  await verifyWith(api.open);
  const path = `/v1/deposits/${api.open.depositId()}`;
  await api.post(`${path}/approve`, { reason: 'known' }, 'olga');
  await put(api, { policy: above('60'), reason: 'a little more' });
  expect(api.open.depositState()).toBe('held: approval_required');
  await api.post(`${path}/approve`, { reason: 'called' }, 'otto');
  expect(api.open.depositState()).toBe('credited');
});

test('the history lists every change with the policy before and after it, newest first', async () => {
  const api = await apiUnderTest();
  await api.post('/v1/policy/halt', { network: 'ethereum', reason: 'a fork' });
  await put(api, { policy: NEW, reason: 'all new' });
  const halted = { ...SIX_DEEP, networks: { ethereum: { halted: true } } };
  const history = await api.list('/v1/policy/history');
  expect(history).toMatchObject([
    { source: 'api', actor: 'ada', reason: 'all new', before: halted, after: NEW },
    { source: 'api', actor: 'olga', reason: 'a fork', before: SIX_DEEP, after: halted },
    { source: 'config', actor: 'config', before: null, after: SIX_DEEP },
  ]);
  expect(await api.list('/v1/policy/history?pageSize=1&page=1')).toEqual([history[1]]);
});

test('a name that looks misspelt gives a warning in the answer, and is accepted', async () => {
  const warnings = ['networks.etherum: no network "etherum" is known; there are ethereum'];
  const api = await apiUnderTest();
  const services = { check: api.policy.check, changed: () => undefined };
  const warning = await apiUnderTest(SIX_DEEP, {
    policy: { ...services, warnings: () => Promise.resolve(warnings) },
  });
  const answer = await warning.post('/v1/policy/halt', { network: 'etherum', reason: 'a fork' });
  expect([answer.status, answer.body['warnings']]).toEqual([200, warnings]);
});
