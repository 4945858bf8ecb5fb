import { createPrivateKey } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { CustodyClient } from '../../../src/custody/client.ts';
import { generateKeyPair } from '../../../src/custody/token.ts';
import { DisputedHashes } from '../../../src/reconcile/lookup/disputed-hashes.ts';
import { errorReply, ScriptedService, type Reply } from '../../custody/scripted-service.ts';
import { VirtualClock } from '../../custody/virtual-clock.ts';
import { DUE } from '../../domain/records.ts';

const DEPOSITS = [{ ...DUE, state: 'internal', ownTransfer: true }] as const;

/** The API's row of the deposit. */
const OWN_ROW = {
  transactionId: 'dep-tx',
  vaultId: 'v1',
  type: 'incoming',
  status: 'confirmed',
  network: 'ethereum',
  accountId: 'acc-1',
  addressId: 'adr-1',
  blockchainHash: '0xa1',
  confirmations: 12,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const ON_POLYGON = { ...OWN_ROW, transactionId: 'wd-2', type: 'outgoing', network: 'polygon' };
const OTHER_ROW = { ...OWN_ROW, transactionId: 'dep-2', addressId: 'adr-2' };

function page(data: readonly unknown[], total = data.length): Reply {
  return { json: { data, pagination: { page: 0, pageSize: 1_000, total } } };
}

async function asked(reply: Reply, deposits: readonly (typeof DEPOSITS)[number][] = DEPOSITS) {
  const service = await ScriptedService.start();
  onTestFinished(() => service.stop());
  service.answer(() => reply);
  const clock = new VirtualClock({ holds: (ms) => ms === 10_000 });
  const client = new CustodyClient({
    baseUrl: service.baseUrl,
    clientId: 'client-7',
    privateKey: createPrivateKey((await generateKeyPair()).privateKeyPem),
    clock,
    random: () => 0.5,
  });
  onTestFinished(() => client.close());
  const disputed = new DisputedHashes();
  const ask = () =>
    disputed.ask({
      custody: client,
      deposits,
      now: clock.now(),
      graceMs: 600_000,
      deadlineMs: clock.now() + 300_000,
    });
  return { service, ask };
}

test.for<[why: string, reply: Reply]>([
  ['the deposit alone', page([OWN_ROW])],
  ['other deposits beside it', page([OTHER_ROW, OWN_ROW])],
  ['an own transaction on another network beside it', page([ON_POLYGON, OWN_ROW])],
])('a whole answer of %s disowns the hash', async ([_, reply]) => {
  const { service, ask } = await asked(reply);
  const { disowned, records, requests } = await ask();
  expect([...disowned]).toEqual(['ethereum\u00000xa1']);
  expect(records).toMatchObject([{ kind: 'disowned-hash', blockchainHash: '0xa1' }]);
  expect(requests).toBe(1);
  const [{ query } = { query: new URLSearchParams() }] = service.asked;
  expect(Object.fromEntries(query)).toEqual({
    page: '0',
    pageSize: '1000',
    'filter[blockchainHash]': '0xa1',
  });
});

test.for<[why: string, reply: Reply]>([
  ['nothing', page([])],
  [
    'rows of other hashes, since the filter was ignored',
    page([{ ...OWN_ROW, blockchainHash: '0xb2' }]),
  ],
  ['rows of other hashes beside it', page([OWN_ROW, { ...OTHER_ROW, blockchainHash: '0xb2' }])],
  ['rows without a hash beside it', page([OWN_ROW, { ...OTHER_ROW, blockchainHash: undefined }])],
  ['other deposits of the hash without it', page([OTHER_ROW])],
  ['it at another address', page([{ ...OWN_ROW, addressId: 'adr-2' }])],
  ['it in the mempool', page([{ ...OWN_ROW, status: 'mempool' }])],
  ['a page that was cut', page([OWN_ROW], 2)],
  ['a row that cannot be read', page([OWN_ROW, { ...OTHER_ROW, type: 'sideways' }])],
  [
    'an outgoing transaction',
    page([OWN_ROW, { ...OTHER_ROW, type: 'outgoing', status: 'signed' }]),
  ],
  ['a refusal of the filter', errorReply(400, 'BR-1')],
  ['an error', errorReply(500, 'GE-1')],
])('an answer of %s disowns nothing', async ([_, reply]) => {
  const { ask } = await asked(reply);
  const { disowned, records } = await ask();
  expect([...disowned, ...records]).toEqual([]);
});

test('all transactions of the answer are handed on, own ones too', async () => {
  const { ask } = await asked(page([OWN_ROW, { ...OTHER_ROW, type: 'outgoing', status: 'mined' }]));
  const { transactions } = await ask();
  expect(transactions.map(({ transactionId }) => transactionId)).toEqual(['dep-tx', 'dep-2']);
});

test('a service that ignores the filter is not asked again in the same minute', async () => {
  const { service, ask } = await asked(page([]));
  await ask();
  await ask();
  expect(service.asked).toHaveLength(1);
});
