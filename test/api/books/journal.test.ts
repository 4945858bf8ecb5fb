import { expect, test } from 'vitest';
import { Service } from '../../store/webhook.ts';
import { apiUnderTest, tokenOf, type ApiUnderTest } from '../api-under-test.ts';

/** The bytes that a call answers, as they are. */
async function bytesAt(api: ApiUnderTest, path: string): Promise<Uint8Array> {
  const headers = { Authorization: `Bearer ${tokenOf('audra')}` };
  const answer = await api.app.request(path, { headers });
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

function bodyAt(seq: unknown): string {
  return `/v1/journal/${String(seq)}/body`;
}

test('an accepted, a quarantined and a refused body are answered byte for byte as received', async () => {
  const api = await apiUnderTest();
  const text = new TextEncoder();
  const accepted = text.encode(`  ${JSON.stringify(new Service().confirmed(6), null, 3)}\r\n`);
  const strange = text.encode('{"id":"strange" , "stream":"weather"}');
  const garbage = Uint8Array.of(0, 255, 60, 115, 10, 0);
  const statuses = await api.open.deliver(accepted, strange, garbage);
  expect(statuses).toEqual(['accepted', 'quarantined', 'refused']);
  const [kept] = await api.list('/v1/quarantine');
  expect(await bytesAt(api, bodyAt(kept?.['journalSeq']))).toEqual(strange);
  const [notification] = await api.list('/v1/notifications?status=accepted');
  expect(await bytesAt(api, bodyAt(notification?.['journalSeq']))).toEqual(accepted);
  const [malformed] = await api.list('/v1/breaks?type=malformed');
  expect(await bytesAt(api, bodyAt(malformed?.['journalSeq']))).toEqual(garbage);
});

test('bodies that were packed together are answered one by one, also an empty one', async () => {
  const api = await apiUnderTest();
  const service = new Service();
  const [one, two] = [service.confirmed(1), service.confirmed(2)];
  await api.open.deliverTogether(one, two);
  await api.open.deliver('');
  const kept = [2, 3, 4].map((seq) => bytesAt(api, bodyAt(seq)));
  const texts = (await Promise.all(kept)).map((bytes) => new TextDecoder().decode(bytes));
  expect(texts).toEqual([JSON.stringify(one), JSON.stringify(two), '']);
});

test('a body is answered as a download, so that no browser shows or runs it', async () => {
  const api = await apiUnderTest();
  await api.open.deliver('<script>alert(1)</script>');
  const { headers } = await api.get(bodyAt(2), 'audra');
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename="journal-2.bin"',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
});

test('a journalSeq without a body is refused, and the answer says where to find one', async () => {
  const api = await apiUnderTest();
  for (const seq of ['0', '99']) {
    const { status, body } = await api.get(bodyAt(seq), 'audra');
    expect([status, body['detail']]).toEqual([
      404,
      `The journal holds nothing at ${seq}: use a journalSeq of GET /v1/notifications, GET /v1/quarantine or GET /v1/breaks.`,
    ]);
  }
  for (const seq of ['-1', '1e3', 'first', '1.5']) {
    const { status, body } = await api.get(bodyAt(seq), 'audra');
    expect([status, body['detail']]).toEqual([
      400,
      'path: seq: must be a whole number. See /docs for what this call takes.',
    ]);
  }
});

test('a damaged body is not answered; the answer names the command that examines the store', async () => {
  const api = await apiUnderTest();
  await api.open.deliver('not json');
  api.open.db.exec('DROP TRIGGER bodies_keep');
  api.open.db.exec("UPDATE bodies SET content = x'00' WHERE first_seq = 2");
  const { status, body } = await api.get(bodyAt(2), 'audra');
  expect([status, body['type']]).toEqual([500, 'urn:counterfoil:problem:internal']);
  expect(body['detail']).toContain('counterfoil verify');
  expect(api.bugs).toEqual([]);
});

test('each line of a break names the fact that caused it, and the break names the newest fact', async () => {
  const api = await apiUnderTest();
  await api.open.deliver('not json', 'not json');
  await api.open.run();
  const [listed] = await api.list('/v1/breaks?type=malformed');
  const path = `/v1/breaks/${String(listed?.['breakId'])}`;
  await api.post(`${path}/notes`, { note: 'a scanner' });
  const { body } = await api.get(path);
  expect([listed?.['journalSeq'], body['journalSeq']]).toEqual([3, 3]);
  const history = body['history'] as Record<string, unknown>[];
  expect(history.map(({ action, journalSeq }) => [action, journalSeq])).toEqual([
    ['opened', 2],
    ['changed', 3],
    ['noted', 5],
  ]);
});
