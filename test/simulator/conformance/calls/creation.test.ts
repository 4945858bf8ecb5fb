import { expect, test } from 'vitest';
import type { Answer, Json } from '../../call.ts';
import { covers } from '../coverage.ts';
import { refusalOf } from '../error-body.ts';
import { setStage } from '../stage.ts';
import type { Address, Vault } from '../stage.ts';
import { OUTSIDE } from '../../outside-addresses.ts';

const stage = setStage('creation');

const AT_ONCE = 50;

interface Scene {
  readonly vault: Vault;
  readonly address: Address;
}

async function scene(): Promise<Scene> {
  const vault = await stage.vault();
  const address = await stage.address(vault, 'ripple');
  return { vault, address };
}

/** The creation for each idempotency key. `other` has the same key and other fields. */
const CREATIONS: Record<
  'transactions' | 'accounts' | 'addresses' | 'memos',
  {
    body: (scene: Scene) => Json;
    other: Json;
    /** Another key of the same kind. */
    another: Json;
    id: string;
    /** The number of resources after the creation. */
    total: number;
  }
> = {
  transactions: {
    body: ({ vault: { vaultId } }) => ({
      orderId: 'the order',
      vaultId,
      network: 'ripple',
      asset: 'ripple:XRP',
      amount: '5',
      destinationAddress: OUTSIDE.ripple,
    }),
    other: { amount: '6', destinationAddress: 'rElsewhere' },
    another: { orderId: 'another order' },
    id: 'transactionId',
    total: 1,
  },
  accounts: {
    body: ({ vault: { vaultId } }) => ({ vaultId, name: 'Kontó №1 ✓', data: { a: 1 } }),
    other: { data: { a: 2 } },
    another: { name: 'Kontó №2 ✓' },
    id: 'accountId',
    total: 2,
  },
  addresses: {
    body: ({ address: { accountId } }) => ({
      accountId,
      network: 'ripple',
      hdpath: "m/44'/144'/9'/0/9",
      name: 'first',
    }),
    other: { name: 'second', data: { b: 1 } },
    another: { hdpath: "m/44'/144'/9'/0/10" },
    id: 'addressId',
    total: 2,
  },
  memos: {
    body: ({ address: { addressId } }) => ({ addressId, memo: '77', name: 'seven' }),
    // Only a memo compares its content: other content is a conflict.
    other: {},
    another: { memo: '78' },
    id: 'id',
    total: 1,
  },
};

const statusesOf = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Sends fifty calls before the first is answered. */
async function atOnce(path: string, bodyOf: (index: number) => Json): Promise<Answer[]> {
  const { call } = await stage.client();
  const indexes = Array.from({ length: AT_ONCE }, (_, index) => index);
  return Promise.all(indexes.map((index) => call('POST', path, bodyOf(index))));
}

for (const kind of ['transactions', 'accounts', 'addresses', 'memos'] as const) {
  const { body, other, another, id, total } = CREATIONS[kind];
  const path = `/${kind}`;

  test(
    `POST ${path}: 201 for a new one, then 200 and the same, whatever else is said`,
    covers('creation/statuses', `creation/${kind}`),
    async () => {
      const wanted = body(await scene());
      const { call } = await stage.client();
      const created = await call('POST', path, wanted);
      const existing = await call('POST', path, { ...wanted, ...other });
      const next = await call('POST', path, { ...wanted, ...another });
      expect([created.status, existing.status, next.status]).toEqual([201, 200, 201]);
      expect(existing.body).toEqual(created.body);
      expect(next.body[id]).not.toBe(created.body[id]);
    },
  );

  test(
    `POST ${path}: fifty equal requests at once make one`,
    covers(`creation/${kind}/concurrent`),
    async () => {
      const wanted = body(await scene());
      const answers = await atOnce(path, () => wanted);
      expect(statusesOf(answers)).toEqual({ 200: AT_ONCE - 1, 201: 1 });
      expect(new Set(answers.map((answer) => answer.body[id])).size).toBe(1);
      expect((await stage.api('GET', path)).body['pagination']).toMatchObject({ total });
    },
  );
}

test('fifty orders at once that share an orderId only make one, and all answers show it', async () => {
  const wanted = CREATIONS.transactions.body(await scene());
  const answers = await atOnce('/transactions', (index) => ({ ...wanted, amount: `${index + 1}` }));
  expect(statusesOf(answers)).toEqual({ 200: AT_ONCE - 1, 201: 1 });
  const tellings = answers.map(({ body: { transactionId, metadata } }) => [
    transactionId,
    metadata,
  ]);
  expect(new Set(tellings.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(await stage.received('outgoing')).toEqual([
    'outgoing pending',
    'outgoing requested',
    'outgoing inited',
    'outgoing warning insufficient_balance',
  ]);
});

test(
  'fifty accounts ask for one HD path at once: one gets it, the others conflict',
  covers('creation/addresses/conflict'),
  async () => {
    const { vault } = await scene();
    const accounts: unknown[] = [];
    for (let index = 0; index < AT_ONCE; index += 1) {
      const request = { vaultId: vault.vaultId, name: `account ${index}` };
      accounts.push((await stage.api('POST', '/accounts', request)).body['accountId']);
    }
    const hdpath = "m/44'/144'/9'/0/9";
    const answers = await atOnce('/addresses', (index) => ({
      accountId: accounts[index],
      network: 'ripple',
      hdpath,
    }));
    expect(statusesOf(answers)).toEqual({ 201: 1, 409: AT_ONCE - 1 });
    const refusals = answers.filter(({ status }) => status === 409).map(refusalOf);
    expect([...new Set(refusals)]).toEqual(['409 ADR-3001 POST /api/v1/addresses']);
    const filter = `?filter[hdpath]=${encodeURIComponent(hdpath)}`;
    expect((await stage.api('GET', `/addresses${filter}`)).rows).toHaveLength(1);
  },
);

test(
  'fifty contents at once for one memo: one is kept, the others conflict',
  covers('creation/memos/conflict'),
  async () => {
    const wanted = CREATIONS.memos.body(await scene());
    const answers = await atOnce('/memos', (index) => ({ ...wanted, name: `name ${index}` }));
    expect(statusesOf(answers)).toEqual({ 201: 1, 409: AT_ONCE - 1 });
    const refusals = answers.filter(({ status }) => status === 409).map(refusalOf);
    expect([...new Set(refusals)]).toEqual(['409 MEM-4001 POST /api/v1/memos']);
    const [kept] = answers.filter(({ status }) => status === 201);
    expect((await stage.api('GET', '/memos')).rows).toEqual([kept?.body]);
  },
);

test('fifty declines at once of one order cancel it once', async () => {
  const { vault } = await scene();
  const { transactionId } = await stage.order(vault, { asset: 'ripple:XRP' });
  await stage.forget();
  const answers = await atOnce(`/transactions/${String(transactionId)}/cancel`, () => ({}));
  expect(statusesOf(answers)).toEqual({ 200: 1, 409: AT_ONCE - 1 });
  const refusals = new Set(answers.filter(({ status }) => status === 409).map(refusalOf));
  expect([...refusals]).toEqual([
    `409 CFR-1 POST /api/v1/transactions/${String(transactionId)}/cancel`,
  ]);
  expect(await stage.received('outgoing')).toEqual(['outgoing cancelled declined_by_client']);
});
