import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { AT_ADDRESS, change, Service } from '../../store/webhook.ts';
import { apiUnderTest, type ApiUnderTest } from '../api-under-test.ts';

const RULE = {
  rule: 'dust of v1',
  vaultId: 'v1',
  breakType: 'unexplained_movement',
  direction: '>=',
  amount: '-10',
  until: '2025-12-31',
  reason: 'ticket 4713',
  owner: 'finance',
};

/** An API with an open break: 7 left the vault on the chain, without an `outgoing` webhook. */
async function withBreak(): Promise<ApiUnderTest> {
  const api = await apiUnderTest();
  const debit = { balanceChanges: [change('-7', AT_ADDRESS)] };
  await api.open.deliver(new Service().chain('transaction', debit));
  await api.open.run();
  expect(api.open.openBreaks()).toEqual(['unexplained_movement']);
  return api;
}

test('a person adds a rule, the next run closes its break, and its end opens the break again', async () => {
  const api = await withBreak();
  const added = await api.post('/v1/exemptions', RULE, 'fiona');
  const view = {
    ...RULE,
    until: '2026-01-01T00:00:00.000Z',
    source: 'api',
    state: 'active',
    setBy: 'fiona',
    setAt: new Date(api.open.at).toISOString(),
    version: expect.any(String) as string,
  };
  expect([added.status, added.body]).toEqual([200, view]);
  expect(await api.list('/v1/exemptions')).toEqual([view]);
  await api.open.run();
  expect(api.open.openBreaks()).toEqual([]);
  const ended = await api.post('/v1/exemptions/dust%20of%20v1/end', { reason: 'repaired' });
  expect([ended.status, ended.body]).toEqual([200, { data: [] }]);
  await api.open.run();
  expect(api.open.openBreaks()).toEqual(['unexplained_movement']);
});

test('the list has the configuration’s rules first, and says which have ended', async () => {
  const api = await apiUnderTest();
  const own = { rule: 'old wallet', asset: 'x:X', reason: 'r', owner: 'o', until: api.open.at + 1 };
  const rules = [{ ...own, direction: '<=' as const, amount: Amount(5n) }];
  await api.open.decide({ kind: 'exemptions', rules }, 'config');
  const configuredAt = new Date(api.open.at).toISOString();
  await api.post('/v1/exemptions', RULE);
  expect(await api.list('/v1/exemptions')).toEqual([
    {
      ...own,
      direction: '<=',
      amount: '5',
      until: new Date(own.until).toISOString(),
      source: 'config',
      state: 'ended',
      setBy: 'config',
      setAt: configuredAt,
      version: '[null,null]',
    },
    expect.objectContaining({ rule: 'dust of v1', source: 'api', state: 'active', setBy: 'olga' }),
  ]);
});

test.for<[body: unknown, detail: string]>([
  [{ ...RULE, until: 'soon' }, 'body: until: must be a day, e.g. "2026-12-31"'],
  [{ ...RULE, amount: undefined }, 'body: direction: direction and amount go together'],
  [{ ...RULE, breakType: 'malformed' }, 'body: breakType: must be one of missing_notification'],
  [{ ...RULE, reason: ' ' }, 'body: reason: must not be empty'],
  [{ ...RULE, vault: 'v1' }, 'body: unknown key "vault"; the keys here are rule, asset'],
  [
    { rule: 'x', until: '2025-12-31', reason: 'r', owner: 'o' },
    'body: exempts everything: narrow it by asset',
  ],
  [[RULE], 'body: must be an object'],
])('%o is refused with the configuration’s words: %s', async ([body, detail]) => {
  const api = await apiUnderTest();
  const head = api.open.journalLength();
  const answer = await api.post('/v1/exemptions', body);
  expect([answer.status, answer.body['detail']]).toEqual([400, expect.stringContaining(detail)]);
  expect(api.open.journalLength()).toBe(head);
});

test.for<[path: string, body: unknown, status: number, detail: string]>([
  ['', { ...RULE, rule: 'dust' }, 409, 'A rule "dust" is in force: end it'],
  ['', { ...RULE, rule: 'old' }, 409, 'The configuration has a rule "old"'],
  ['', { ...RULE, until: '2025-01-01' }, 409, 'The rule "dust of v1" has ended already'],
  ['/old/end', { reason: 'x' }, 409, 'remove it from reconcile.exemptions and restart'],
  ['/none/end', { reason: 'x' }, 404, 'There is no exemption rule "none"'],
  ['/dust/end', { reason: '' }, 400, 'body: reason: must not be empty'],
  ['/dust/end', {}, 400, 'body: reason: is missing'],
])('POST /v1/exemptions%s with %o answers %i', async ([path, body, status, detail]) => {
  const api = await apiUnderTest();
  const old = { rule: 'old', asset: 'x:X', until: api.open.at * 2, reason: 'r', owner: 'o' };
  await api.open.decide({ kind: 'exemptions', rules: [old] }, 'config');
  await api.post('/v1/exemptions', { ...RULE, rule: 'dust' });
  const head = api.open.journalLength();
  const answer = await api.post(`/v1/exemptions${path}`, body);
  expect([answer.status, answer.body['detail']]).toEqual([status, expect.stringContaining(detail)]);
  expect(api.open.journalLength()).toBe(head);
});
