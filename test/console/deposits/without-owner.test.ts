import { expect, test } from 'vitest';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { apiUnderTest } from '../../api/api-under-test.ts';
import { change } from '../../store/webhook.ts';
import { ConsoleUnderTest, PUBLIC, consoleUnderTest, words } from '../console-under-test.ts';

const PATH = '/console/deposits';

const MEMO_REQUIRED: CreditingPolicy = {
  default: { confirmations: 6, requireMemo: true },
  networks: {},
  assets: {},
};

/** A deposit that lacks its owner: by default, its memo is registered by nobody. */
async function withoutOwner(
  console: ConsoleUnderTest,
  memo: string | null = '88',
): Promise<string> {
  await console.open.deliver(console.service.confirmed(6, { memo }));
  return `${PATH}/${console.open.depositId()}`;
}

test('the view without owner lists deposits with an unknown memo and deposits without a memo', async () => {
  const console = new ConsoleUnderTest(await apiUnderTest(MEMO_REQUIRED));
  await console.open.deliver(
    console.service.confirmed(6, { blockchainHash: '0x1', memo: '88' }),
    console.service.confirmed(6, { blockchainHash: '0x2' }),
    console.service.confirmed(6, { blockchainHash: '0x3', memo: '89' }),
  );
  const [, , held] = console.open.deposits();
  await console.open.decide({
    kind: 'hold',
    depositId: held?.deposit_id as never,
    reason: 'asked',
  });
  const vera = await console.as('vera');
  const list = await vera.get(PATH);
  const [, link = ''] = /href="([^"]*)"[^>]*>Without owner</.exec(list) ?? [];
  const view = await vera.get(link.replaceAll('&amp;', '&'));
  expect([...view.matchAll(/data-copy="(0x[^"]+)"/g)].map(([, hash]) => hash)).toEqual([
    '0x2',
    '0x1',
  ]);
  expect(view).toMatch(/<option value="without_owner" selected[^>]*>without owner</);
});

test('a reader who may not decide learns who may, and an operator finds the button', async () => {
  const console = await consoleUnderTest();
  const path = await withoutOwner(console);
  const others = ['fiona', 'vera', 'audra'] as const;
  const roles = ['finance', 'viewer', 'auditor'];
  for (const [index, person] of others.entries()) {
    const browser = await console.as(person);
    const why = `Your role (${roles[index]}) cannot decide about deposits: ask a person with role operator or admin.`;
    expect(words(await browser.get(path))).toContain(why);
    expect(words(await browser.get('/console'))).toContain(why);
  }
  const olga = await console.as('olga');
  for (const page of [await olga.get(path), await olga.get('/console')]) {
    expect(words(page)).not.toContain('cannot decide about deposits');
  }
  expect(await olga.get(path)).toContain(`${path}/attribute`);
});

test('a stranger in a public console reads which role decides', async () => {
  const console = await consoleUnderTest(PUBLIC);
  const path = await withoutOwner(console);
  expect(words(await console.stranger.get(path))).toContain(
    'To decide about deposits, sign in with role operator or admin.',
  );
});

test('a hold by a person comes before the owner: page and refusal say so', async () => {
  const console = await consoleUnderTest();
  const path = await withoutOwner(console);
  const olga = await console.as('olga');
  const held = words(await olga.send(`${path}/hold`, { reason: 'police letter' }));
  expect(held).toContain('A person holds it. Release it first, then name its owner.');
  const refused = words(
    await olga.send(`${path}/attribute`, { attributedTo: 'customer 1', reason: 'asked' }),
  );
  expect(refused).toContain('A person holds it: release it first, then name its owner');
  const released = words(await olga.send(`${path}/release`, { reason: 'withdrawn' }));
  expect(released).toContain('Find out whose it is, and name its owner.');
});

test('a policy without a minimum asks for no amount, and the owner is the one that a person named', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver(console.service.confirmed(1));
  const page = words(await (await console.as('vera')).get(`${PATH}/${console.open.depositId()}`));
  expect(page).toContain('Large enough the policy sets no minimum');
  expect(page).toContain('Owner named by a person none');
  expect(page).not.toContain('0 smallest units');
});

const NOWHERE = { accountId: null, addressId: null };
const MEMO = '88';

test.for<[string, object, string]>([
  ['an address', {}, 'account acc-1'],
  ['an account without an address', { addressId: null }, 'account acc-1 no address'],
  ['an address without an account', { accountId: null }, 'address id adr-1'],
  [
    'a registered memo',
    { memo: MEMO, balanceChanges: [change('100', { memoInfo: { memo: MEMO } })] },
    `memo ${MEMO}`,
  ],
  ['a memo of nobody', { memo: MEMO }, `unknown memo ${MEMO} is not registered`],
  ['nothing', NOWHERE, 'vault v1 no address, account or memo'],
])('the list says whose a deposit with %s is', async ([, parts, expected]) => {
  const console = await consoleUnderTest();
  await console.open.deliver(console.service.confirmed(1, parts));
  const list = words(await (await console.as('vera')).get('/console/deposits'));
  expect(list).toContain(` 1/6 ${expected} 2025-11-20`);
});

test('a deposit without a memo where the policy requires one has an unknown owner', async () => {
  const console = new ConsoleUnderTest(await apiUnderTest(MEMO_REQUIRED));
  await console.open.deliver(console.service.confirmed(1));
  const list = words(await (await console.as('vera')).get('/console/deposits'));
  expect(list).toContain(' unknown it came without a memo 2025-11-20');
});

test('the page of a deposit without address, account and memo says that only its vault is known', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver(console.service.confirmed(1, NOWHERE));
  const page = await (
    await console.as('vera')
  ).get(`/console/deposits/${console.open.depositId()}`);
  expect(words(page)).toContain('Owner known by its vault: it has no address, account or memo');
});
