import { expect, test } from 'vitest';
import { verifyWith } from '../../store/evidence.ts';
import { Service } from '../../store/webhook.ts';
import { apiUnderTest, type ApiUnderTest } from '../api-under-test.ts';

/** An API with a credited deposit that webhooks alone claim was rolled back. */
async function withRollback(): Promise<{ api: ApiUnderTest; service: Service }> {
  const api = await apiUnderTest();
  const service = new Service();
  await api.open.deliver(service.confirmed(6));
  await verifyWith(api.open);
  await api.open.deliver(service.incoming('rollback'));
  return { api, service };
}

/** The `reversal` of each break `reversal_after_credit`, the newest first. */
async function reversals(api: ApiUnderTest): Promise<unknown[]> {
  const breaks = await api.list('/v1/breaks?type=reversal_after_credit');
  for (const one of breaks) {
    const { body } = await api.get(`/v1/breaks/${String(one['breakId'])}`);
    expect(body['reversal']).toEqual(one['reversal']);
  }
  return breaks.map((one) => one['reversal']);
}

async function feed(api: ApiUnderTest): Promise<Record<string, unknown>[]> {
  return api.list('/v1/credits');
}

test('the break of a credit that was rolled back names its reversal once the feed has it', async () => {
  const { api } = await withRollback();
  expect(await reversals(api)).toEqual([null]);
  await verifyWith(api.open, { status: 'rolledback' });
  const [credit, reversal] = await feed(api);
  expect(reversal?.['kind']).toBe('reversal');
  const { creditId, seq, createdAt } = reversal ?? {};
  const named = { creditId, seq, reverses: credit?.['creditId'], createdAt };
  expect(await reversals(api)).toEqual([named]);
  const [one] = await api.list('/v1/breaks?type=reversal_after_credit');
  await api.post(`/v1/breaks/${String(one?.['breakId'])}/resolve`, { reason: 'taken back' });
  expect(await reversals(api)).toEqual([named]);
});

test('credited again and rolled back again, each break names the reversal of its own credit', async () => {
  const { api, service } = await withRollback();
  await verifyWith(api.open, { status: 'rolledback' });
  const [first] = await api.list('/v1/breaks?type=reversal_after_credit');
  await api.post(`/v1/breaks/${String(first?.['breakId'])}/resolve`, { reason: 'taken back' });
  await api.open.deliver(service.confirmed(6));
  await verifyWith(api.open);
  await api.open.deliver(service.incoming('rollback'));
  expect(await reversals(api)).toMatchObject([null, { seq: 2 }]);
  await verifyWith(api.open, { status: 'rolledback' });
  expect(api.open.feedLines()).toEqual([
    'credit 100',
    'reversal 100',
    'credit 100',
    'reversal 100',
  ]);
  expect(await reversals(api)).toMatchObject([{ seq: 4 }, { seq: 2 }]);
});

test('an open break names the reversal of the credit that was rolled back last', async () => {
  const { api, service } = await withRollback();
  await verifyWith(api.open, { status: 'rolledback' });
  await api.open.deliver(service.confirmed(6));
  await verifyWith(api.open);
  expect(await reversals(api)).toMatchObject([{ seq: 2 }]);
  await api.open.deliver(service.incoming('rollback'));
  expect(await reversals(api)).toEqual([null]);
  await verifyWith(api.open, { status: 'rolledback' });
  expect(await reversals(api)).toMatchObject([{ seq: 4 }]);
});

test('a reversal after a restore has the cursor that consumers of the feed know', async () => {
  const { api } = await withRollback();
  await api.open.decide({ kind: 'restored', reason: 'put back from a backup' }, 'restore');
  await verifyWith(api.open, { status: 'rolledback' });
  const [, reversal] = await feed(api);
  expect(reversal?.['seq']).toBe(1_000_000_002);
  expect(await reversals(api)).toMatchObject([{ seq: 1_000_000_002 }]);
});

test('the text of a break promises a reversal until the feed has it, then says what to recover', async () => {
  const { api } = await withRollback();
  const textOf = async (): Promise<unknown> =>
    (await api.list('/v1/breaks?type=reversal_after_credit'))[0]?.['detail'];
  expect(await textOf()).toMatch(/rolled back: when the custody API agrees, the feed reverses/);
  await verifyWith(api.open, { status: 'rolledback' });
  expect(await textOf()).toMatch(
    /rolled back: the feed reversed the credit; recover it from the customer's balance$/,
  );
});

test('a break of another type says nothing of reversals', async () => {
  const api = await apiUnderTest();
  await api.open.deliver('not json');
  expect((await api.list('/v1/breaks'))[0]).toMatchObject({ type: 'malformed', reversal: null });
});
