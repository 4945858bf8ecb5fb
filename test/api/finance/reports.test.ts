import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { closeOf, closesOf } from '../../store/close/closing.ts';
import { change, Service } from '../../store/webhook.ts';
import { apiUnderTest, type ApiUnderTest, type Person } from '../api-under-test.ts';

const DAY = '2025-11-20';
const PATH = `/v1/reports/daily/${DAY}`;

/** An API whose store has one closed day with a deposit of 100. */
async function closed(): Promise<ApiUnderTest> {
  const api = await apiUnderTest();
  await api.open.deliver(new Service().confirmed(6));
  await api.open.record(closeOf(api.open, { day: DAY, cutOffAt: api.open.at + 1 }));
  return api;
}

const LIST = 'GET /v1/reports/daily lists the closed days.';

test('a day that is not closed is 404, and the answer says whether and when it can be closed', async () => {
  const api = await apiUnderTest();
  const detailOf = async (path: string): Promise<unknown> => {
    const { status, body } = await api.get(`/v1/reports/daily/${path}`);
    return status === 404 ? body['detail'] : status;
  };
  await api.open.deliver(new Service().confirmed(6));
  expect(await detailOf('2025-11-19')).toBe(
    `2025-11-19 cannot be closed: the journal begins on 2025-11-20. Days from 2025-11-20 on can be closed once they have ended. ${LIST}`,
  );
  expect(await detailOf('2025-11-20?format=csv')).toBe(
    `2025-11-20 is not closed: it ends at 2025-11-21T00:00:00.000Z. Close it after that with POST /v1/reports/daily/2025-11-20/close. ${LIST}`,
  );
  api.open.at += 86_400_000;
  expect(await detailOf('2025-11-20/movements')).toBe(
    `2025-11-20 is not closed: close it with POST /v1/reports/daily/2025-11-20/close. ${LIST}`,
  );
});

test('before the first fact no day can be closed, and the answer says so', async () => {
  const closable = () => Promise.resolve({ kind: 'before_journal', begins: null } as const);
  const api = await apiUnderTest(undefined, { closable });
  const { status, body } = await api.get(PATH);
  expect([status, body['detail']]).toEqual([
    404,
    `2025-11-20 cannot be closed: the journal is empty. Its first fact begins the first day. ${LIST}`,
  ]);
});

const AS_VERA = { headers: { Authorization: 'Bearer token-of-vera-0123456789abcdef' } };

/** Signs the closed day's report, with its own hash unless another is given. */
function sign(api: ApiUnderTest, as: Person, role: string, more: object = {}) {
  const reportHash = closesOf(api.open)[0]?.report_hash;
  const reason = 'compared with the statement';
  return api.post(`${PATH}/sign`, { role, reason, reportHash, ...more }, as);
}

test('a viewer reads the report; its sealed bytes are the document without its last two members', async () => {
  const api = await closed();
  const answer = await api.app.request(`${PATH}?format=json`, {
    ...AS_VERA,
  });
  expect(answer.status).toBe(200);
  const text = await answer.text();
  const { reportHash, signatures, ...report } = JSON.parse(text) as Record<string, unknown>;
  expect(signatures).toEqual([]);
  expect(createHash('sha256').update(JSON.stringify(report)).digest('hex')).toBe(reportHash);
  expect(report).toMatchObject({ day: DAY, totals: [{ opening: '0', deposits: '100' }] });
});

test('every format is served under its own type, and an unknown one is refused by name', async () => {
  const api = await closed();
  const types = await Promise.all(
    ['json', 'csv', 'html', 'hledger', 'beancount'].map(async (format) => {
      const { status, headers } = await api.get(`${PATH}?format=${format}`);
      return `${status} ${headers.get('Content-Type')}`;
    }),
  );
  expect(types).toEqual([
    '200 application/json',
    '200 text/csv; charset=utf-8',
    '200 text/html; charset=utf-8',
    '200 text/plain; charset=utf-8',
    '200 text/plain; charset=utf-8',
  ]);
  const refused = await api.get(`${PATH}?format=pdf`);
  expect(refused.status).toBe(400);
  expect(refused.body['detail']).toContain('must be one of json, csv');
});

test('a report as a page runs nothing, and no other page frames it', async () => {
  const api = await closed();
  const { headers } = await api.get(`${PATH}?format=html`);
  expect(headers.get('Content-Security-Policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test.for([
  ['2025-11-19', 404],
  ['2025-02-30', 400],
  ['yesterday', 400],
] as const)('the report of %s is answered %i', async ([date, status]) => {
  const api = await closed();
  expect((await api.get(`/v1/reports/daily/${date}`)).status).toBe(status);
});

test('the preparer signs first, then somebody else reviews; each once, and the report stays', async () => {
  const api = await closed();
  const before = closesOf(api.open)[0]?.report;
  const early = await sign(api, 'otto', 'reviewer');
  expect([early.status, early.body['detail']]).toEqual([
    409,
    `Nobody has prepared ${DAY} yet: the preparer signs first.`,
  ]);
  const prepared = await sign(api, 'olga', 'preparer');
  expect(prepared.body).toMatchObject({ signatures: [{ role: 'preparer', person: 'olga' }] });
  expect((await sign(api, 'olga', 'preparer')).status).toBe(200);
  expect((await sign(api, 'ada', 'preparer')).status).toBe(409);
  expect((await sign(api, 'olga', 'reviewer')).status).toBe(409);
  expect((await sign(api, 'otto', 'reviewer')).status).toBe(200);
  const { body } = await api.get(PATH);
  expect(body['signatures']).toMatchObject([
    { role: 'preparer', person: 'olga', reportHash: body['reportHash'] },
    { role: 'reviewer', person: 'otto', reportHash: body['reportHash'] },
  ]);
  expect(closesOf(api.open)[0]?.report).toBe(before);
  expect(api.open.rows('SELECT * FROM close_signatures')).toHaveLength(2);
});

test('who saw another report does not sign this one, and a viewer signs none', async () => {
  const api = await closed();
  const other = await sign(api, 'olga', 'preparer', { reportHash: 'a'.repeat(64) });
  expect(other.status).toBe(409);
  expect((await sign(api, 'vera', 'preparer')).status).toBe(403);
  expect((await sign(api, 'olga', 'auditor')).status).toBe(400);
  expect(api.open.rows('SELECT * FROM close_signatures')).toEqual([]);
});

test('a signature without the hash of the report that was seen is refused, with what to do', async () => {
  const api = await closed();
  const { status, body } = await sign(api, 'olga', 'preparer', { reportHash: undefined });
  expect([status, body['detail']]).toEqual([400, expect.stringContaining('reportHash')]);
  expect(body['detail']).toContain('GET /v1/reports/daily');
  expect(api.open.rows('SELECT * FROM close_signatures')).toEqual([]);
});

test('the movements behind a figure name their webhook, and the account and address as it named them', async () => {
  const api = await apiUnderTest();
  const address = { id: 'adr-1', name: 'Treasury' };
  const account = { id: 'acc-1', name: 'Hot' };
  const balanceChanges = [change('100', { address, account })];
  const body = new Service().confirmed(6, { balanceChanges });
  await api.open.deliver(body);
  await api.open.record(closeOf(api.open, { day: DAY, cutOffAt: api.open.at + 1 }));
  const list = (query: string) => api.list(`${PATH}/movements${query}`);
  expect(await list('?figure=deposits&asset=ethereum:ETH')).toMatchObject([
    {
      vaultId: 'v1',
      asset: 'ethereum:ETH',
      blockchainHash: body['blockchainHash'],
      amounts: { deposits: '100' },
      entries: [
        {
          source: 'webhook',
          notificationId: body['id'],
          amount: '100',
          accountId: 'acc-1',
          accountName: 'Hot',
          addressId: 'adr-1',
          addressName: 'Treasury',
        },
      ],
    },
  ]);
  expect(await list('?figure=withdrawals')).toEqual([]);
  expect((await api.get(`${PATH}/movements?figure=gains`)).status).toBe(400);
  expect((await api.get('/v1/reports/daily/2025-11-19/movements')).status).toBe(404);
  const csv = await (await api.app.request(`${PATH}?format=csv`, AS_VERA)).text();
  expect(csv).toMatch(/movement,2025-11-20,v1,ethereum:ETH/);
});

test('a page shows the first hashes of a long day, says so, and the list has them all', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  const bodies = Array.from({ length: 501 }, (_, at) =>
    service.confirmed(6, { blockchainHash: `0x${at}`, transactionId: `tx-${at}` }),
  );
  await api.open.deliverTogether(...bodies);
  await api.open.record(closeOf(api.open, { day: DAY, cutOffAt: api.open.at + 1 }));
  const page = await (await api.app.request(`${PATH}?format=html`, AS_VERA)).text();
  expect(page).toContain('Movements behind the figures (500)');
  expect(page).toContain('More moved than this document shows');
  const csv = await (await api.app.request(`${PATH}?format=csv`, AS_VERA)).text();
  expect(csv.match(/^movement,/gm)).toHaveLength(501);
  expect(csv).not.toContain('movements_not_shown');
  expect((await api.get(`${PATH}/movements`)).body['pagination']).toMatchObject({ total: 501 });
});

test('closed days are listed newest first', async () => {
  const api = await closed();
  await api.open.record(closeOf(api.open, { day: '2025-11-21', cutOffAt: api.open.at + 1 }));
  expect((await api.list('/v1/reports/daily')).map(({ day }) => day)).toEqual(['2025-11-21', DAY]);
});

test('a close by hand: a closed day stays, an open one is too early, an unknown one is not there', async () => {
  const asked: string[] = [];
  const cutOffAt = Date.parse('2025-11-22T00:00:00Z');
  const api = await apiUnderTest(undefined, {
    close: async (day) => {
      asked.push(day);
      return day < DAY ? { kind: 'unknown' } : { kind: 'too_early', cutOffAt };
    },
  });
  await api.open.record(closeOf(api.open, { day: DAY, cutOffAt: api.open.at + 1 }));
  const answers = await Promise.all(
    [DAY, '2025-11-21', '2025-01-01'].map((day) => api.post(`/v1/reports/daily/${day}/close`, {})),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 409, 404]);
  expect(answers[1]?.body['detail']).toContain('ends at 2025-11-22T00:00:00.000Z');
  expect(asked.toSorted()).toEqual(['2025-01-01', '2025-11-21']);
});

test('whoever closes a day or runs a reconciliation by hand may say why, and the journal keeps it', async () => {
  const api: ApiUnderTest = await apiUnderTest(undefined, {
    close: async (day) => {
      await api.open.record(closeOf(api.open, { day, cutOffAt: api.open.at + 1 }));
      return { kind: 'closed' };
    },
  });
  await api.open.deliver(new Service().confirmed(1));
  const close = `/v1/reports/daily/${DAY}/close`;
  const because = { reason: 'the auditors wait' };
  expect((await api.post(close, because)).status).toBe(200);
  // It is closed already: nothing was done, so nobody gave a reason.
  expect((await api.post(close, { reason: 'again' })).status).toBe(200);
  expect((await api.post('/v1/reconciliations', because)).status).toBe(200);
  expect((await api.request('POST', '/v1/reconciliations', { as: 'olga' })).status).toBe(200);
  const decisions = api.open.bodies('decision').filter((body) => !body.includes('"policy"'));
  expect(decisions.map((body) => JSON.parse(body) as unknown)).toEqual([
    { kind: 'close-now', day: DAY, ...because },
    { kind: 'run-now', ...because },
  ]);
});
