import { expect, test } from 'vitest';
import { readAmount } from '../../../src/console/parts/value/amount-field.ts';
import { plainPolicy } from '../../../src/console/policy/policy-text.ts';
import {
  formRulesIn,
  formRulesOf,
  policyOf,
  startFieldOf,
  vaultsFieldOf,
  vaultsIn,
  withHaltsOf,
} from '../../../src/console/policy/rule-form.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { SIX_DEEP } from '../../store/open-ledger.ts';
import { change, decimals } from '../../store/webhook.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';
import { held } from './held-policy.ts';

const PATH = '/console/policy';
const ETH = 'ethereum:ETH';
const KNOWN = new Map([
  [ETH, 18],
  ['ethereum:USDC', 6],
  ['neo:NEO', 0],
]);

function policyIn(fields: Record<string, string>) {
  return policyOf(formRulesIn(fields), KNOWN);
}

test('a form is read into a policy: empty is inherited, never is null, no name is no rule', () => {
  const fields = {
    'scope-0': 'default',
    'confirmations-0': '6',
    'requireMemo-0': 'no',
    'scope-1': 'network',
    'name-1': 'ethereum',
    'creditInternal-1': 'yes',
    'twoApprovalsAbove-1': 'never',
    'scope-2': 'asset',
    'name-2': ' ',
    'confirmations-2': '3',
    'scope-3': 'asset',
    'name-3': ETH,
    'confirmations-3': 'many',
    'minimumAmount-3': '5',
  };
  expect(policyIn(fields)).toEqual({
    policy: {
      default: { confirmations: 6, requireMemo: false },
      networks: { ethereum: { creditInternal: true, twoApprovalsAbove: null } },
      assets: { [ETH]: { confirmations: 'many', minimumAmount: '5' } },
    },
    problems: [],
  });
});

test('a new rule without a name is none while it is empty, and a problem once it says something', () => {
  const fields = { 'scope-0': 'asset', 'new-0': 'yes', 'name-0': '', 'unit-0': 'own' };
  expect(policyIn(fields).problems).toEqual([]);
  expect(policyIn({ ...fields, 'minimumAmount-0': '5' }).problems).toEqual([
    'The new rule for an asset has no name: write it, or empty its fields.',
  ]);
});

test('two rules of one name are a problem: the later one would replace the other', () => {
  const fields = {
    'scope-0': 'default',
    'confirmations-0': '6',
    'scope-1': 'asset',
    'name-1': ETH,
    'requireMemo-1': 'yes',
    'scope-2': 'network',
    'name-2': ETH,
    'scope-3': 'asset',
    'new-3': 'yes',
    'name-3': ETH,
    'confirmations-3': '12',
  };
  const { policy, problems } = policyOf(formRulesIn(fields), KNOWN);
  expect(problems).toEqual([
    'Two rules are for the asset ethereum:ETH: keep one, with the settings of both.',
  ]);
  expect(policy.assets[ETH]).toEqual({ requireMemo: true });
});

const CURRENT = {
  default: { confirmations: 6 },
  networks: { ethereum: { confirmations: 12, halted: true }, polygon: { halted: false } },
  assets: {},
};

test.for([
  [
    'renamed',
    { ripple: { confirmations: 12 }, polygon: {} },
    { ripple: { confirmations: 12 }, polygon: { halted: false }, ethereum: { halted: true } },
  ],
  ['removed', {}, { ethereum: { halted: true } }],
  [
    'exchanged with that of another',
    { polygon: { confirmations: 12 }, ethereum: {} },
    { polygon: { confirmations: 12, halted: false }, ethereum: { halted: true } },
  ],
  ['changed', { ethereum: { confirmations: 9 } }, { ethereum: { confirmations: 9, halted: true } }],
] as const)('a halt stays with the network whose rule is %s', ([, networks, expected]) => {
  const policy = { default: { confirmations: 6 }, networks, assets: {} };
  expect(withHaltsOf(CURRENT, policy)).toEqual({ ...policy, networks: expected });
});

test.for([
  ['default', { default: { confirmations: 6, halted: true }, networks: {}, assets: {} }],
  ['asset', { default: { confirmations: 6 }, networks: {}, assets: { [ETH]: { halted: true } } }],
] as const)('a form without halts keeps the halt of the %s', ([, current]) => {
  const policy = { default: { confirmations: 6 }, networks: {}, assets: {} };
  expect(withHaltsOf(current, policy)).toEqual(current);
});

const SIXTY = '1'.repeat(60);

test.each([
  ['0.05', ETH, '50000000000000000'],
  ['0.05 ETH', ETH, '50000000000000000'],
  ['0.05 eth', ETH, '50000000000000000'],
  ['0.05 ethereum:ETH', ETH, '50000000000000000'],
  ['5', ETH, '5000000000000000000'],
  ['1\u202F500.5', 'ethereum:USDC', '1500500000'],
  ['0.000000000000000001', ETH, '1'],
  ['0', ETH, '0'],
  ['7', 'neo:NEO', '7'],
  [`${SIXTY}.000000000000000001`, ETH, `${SIXTY}000000000000000001`],
])('%s of %s is stored as %s', (text, asset, units) => {
  expect(readAmount({ text, unit: 'own', asset }, KNOWN)).toEqual({ units });
});

test.each([
  ['0.0000001', 'ethereum:USDC', 'ethereum:USDC has 6 decimals, and 0.0000001 has 7 after'],
  ['1.5', 'neo:NEO', 'neo:NEO has 0 decimals, and 1.5 has 1 after the point.'],
  ['1,5', ETH, 'write digits and a point, such as 0.05 ETH.'],
  ['1.5 BTC', ETH, 'write digits and a point, such as 0.05 ETH.'],
  ['-1', ETH, 'write digits and a point, such as 0.05 ETH.'],
  ['1e3', ETH, 'write digits and a point, such as 0.05 ETH.'],
  ['5', 'sui:SUI', 'the decimals of sui:SUI are not known before its first deposit: choose'],
])('%s of %s is refused: %s', (text, asset, problem) => {
  expect(readAmount({ text, unit: 'own', asset }, KNOWN)).toEqual({
    problem: expect.stringContaining(problem) as string,
  });
});

test('smallest units are digits only, for one asset and for several', () => {
  const read = (text: string, asset: string | null) =>
    readAmount({ text, unit: 'smallest', asset }, KNOWN);
  expect(read('50', ETH)).toEqual({ units: '50' });
  expect(read('0.05', 'ethereum:USDC')).toEqual({
    problem: 'write smallest units, digits only. 1 USDC is 1000000 smallest units.',
  });
  expect(read('0.05', null)).toEqual({ problem: 'write smallest units, digits only.' });
});

test('a form that nobody changed describes the stored policy, to the last digit', () => {
  const amount = Amount(12_345_678_901_234_567_890_123n);
  const assets = {
    [ETH]: { minimumAmount: amount, twoApprovalsAbove: null },
    'sui:SUI': { oneApprovalAbove: amount },
  };
  const policy = plainPolicy({ ...SIX_DEEP, assets });
  const rules = formRulesOf(policy, KNOWN);
  expect(rules.map(({ unit, texts }) => [unit, texts.minimumAmount])).toEqual([
    ['smallest', ''],
    ['own', '12345.678901234567890123'],
    ['smallest', ''],
  ]);
  expect(policyOf(rules, KNOWN)).toEqual({ policy, problems: [] });
});

async function withEther() {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6, { balanceChanges: [change('1500', decimals(18))] }));
  return { console, open, ada: await console.as('ada') };
}

test('an admin writes an amount in the asset’s unit; the review shows what is stored', async () => {
  const { console, ada } = await withEther();
  const typed = {
    'scope-0': 'default',
    'confirmations-0': '6',
    'scope-1': 'asset',
    'new-1': 'yes',
    'name-1': ETH,
    'unit-1': 'own',
    'minimumAmount-1': '0.05 ETH',
  };
  const review = await (await ada.post(`${PATH}/review`, typed)).text();
  expect(words(review)).toContain(
    'asset ethereum:ETH Minimum amount not set 0.05 ETH 50000000000000000',
  );
  const [, json = ''] = /name="json" value="([^"]+)"/.exec(review) ?? [];
  const set = { version: 'pol_1', json: json.replaceAll('&quot;', '"'), reason: 'ticket 4712' };
  expect(words(await ada.send(`${PATH}/set`, set))).toContain('is in force');
  expect((await held(console)).policy).toMatchObject({
    assets: { [ETH]: { minimumAmount: '50000000000000000' } },
  });
  expect(await ada.get(`${PATH}/change`)).toContain('name="minimumAmount-1" value="0.05"');
});

test('a halted network stays halted when its rule is renamed in the form', async () => {
  const { console, open, ada } = await withEther();
  await open.setPolicy({ ...SIX_DEEP, networks: { ethereum: { confirmations: 9, halted: true } } });
  const form = await ada.get(`${PATH}/change`);
  const [, version = ''] = /name="version" value="([^"]+)"/.exec(form) ?? [];
  const fields = [...form.matchAll(/<input [^>]*name="([^"]+-\d+)" value="([^"]*)"/g)];
  const typed = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
  const renamed = { ...typed, version, 'name-1': 'polygon' };
  const review = await (await ada.post(`${PATH}/review`, renamed)).text();
  expect(words(review)).not.toContain('Halted');
  const [, json = ''] = /name="json" value="([^"]+)"/.exec(review) ?? [];
  const set = { version, json: json.replaceAll('&quot;', '"'), reason: 'ticket 4713' };
  await ada.send(`${PATH}/set`, set);
  expect(await held(console)).toMatchObject({
    policy: { networks: { ethereum: { halted: true }, polygon: { confirmations: 9 } } },
    halted: ['network ethereum'],
  });
});

test('an amount that is none keeps the form as it was written, and offers no button that sets', async () => {
  const { ada } = await withEther();
  const typed = {
    'scope-0': 'asset',
    'name-0': ETH,
    'unit-0': 'smallest',
    'oneApprovalAbove-0': '1.5',
  };
  const answer = await ada.post(`${PATH}/review`, typed);
  const page = await answer.text();
  expect(answer.status).toBe(400);
  expect(words(page)).toContain(
    'One approval above (ethereum:ETH): write smallest units, digits only. 1 ETH is 1000000000000000000 smallest units.',
  );
  expect(page).toContain('name="oneApprovalAbove-0" value="1.5"');
  expect(page).toMatch(/<option value="smallest" selected[^>]*>/);
  expect(page).not.toContain('Set the policy');
  const json = JSON.stringify({ default: { minimumAmount: '0.05' } });
  expect(words(await (await ada.post(`${PATH}/review`, { json })).text())).toContain(
    'Minimum amount (default): write smallest units, digits only.',
  );
});

test('a text that the API refuses keeps the form, and offers no button that sets', async () => {
  const { ada } = await withEther();
  const review = async (confirmations: string): Promise<string> => {
    const typed = { 'scope-0': 'default', 'confirmations-0': confirmations };
    return (await ada.post(`${PATH}/review`, typed)).text();
  };
  const kept = await review('x');
  expect(kept).toContain('name="confirmations-0" value="x"');
  expect(kept).not.toContain('Set the policy');
  expect(words(await review('-1'))).toContain('default.confirmations: must not be negative');
});

test('the form says in which unit each rule’s amounts are', async () => {
  const { open, ada } = await withEther();
  const assets = { [ETH]: { minimumAmount: Amount(1n) }, 'sui:SUI': {} };
  await open.setPolicy({ ...SIX_DEEP, assets });
  const page = words(await ada.get(`${PATH}/change`));
  const several = 'An amount of this rule counts in each asset’s own smallest unit.';
  expect(page).toContain(`Default, for everything ${several}`);
  expect(page).toContain(`New rule for a network ${several}`);
  expect(page).toMatch(/asset ethereum:ETH Name[^A]*Amounts in ETH smallest units/);
  expect(page).toContain(
    'asset sui:SUI Amounts are in the smallest unit: the decimals of sui:SUI are not known before',
  );
  expect(page).toMatch(/New rule for an asset Name Confirmations Amounts in the asset’s unit/);
});

test('a form names vaults one on a line; without any, every vault is credited', async () => {
  expect(vaultsIn('v1\r\n v2 \n')).toEqual({ vaults: ['v1', 'v2'] });
  expect(vaultsIn(' ')).toEqual({});
  const stored = plainPolicy({ ...SIX_DEEP, vaults: ['v1', 'v2'] });
  expect(vaultsFieldOf(stored)).toBe('v1\nv2');
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  const fields = { 'scope-0': 'default', 'confirmations-0': '6', vaults: 'v2\nv1' };
  const review = await ada.post(`${PATH}/review`, fields);
  expect(words(await review.text())).toContain('default Vaults credited every vault v2, v1');
});

test('a form keeps the start of the policy, and changes it', async () => {
  const stored = plainPolicy({ ...SIX_DEEP, startsAt: '2026-12-01T00:00:00Z' });
  expect([startFieldOf(stored), startFieldOf(plainPolicy(SIX_DEEP))]).toEqual([
    '2026-12-01T00:00:00Z',
    '',
  ]);
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  const fields = { 'scope-0': 'default', 'confirmations-0': '6' };
  const review = async (startsAt: string) =>
    words(await (await ada.post(`${PATH}/review`, { ...fields, startsAt })).text());
  expect(await review('2026-12-01T00:00:00Z')).toContain(
    'default Credited from every transaction 2026-12-01T00:00:00Z',
  );
  expect(await review('tomorrow')).toContain('policy.startsAt: must be a time with its zone');
});

test('a person who empties the start sees it in the review, and removes it', async () => {
  const { console, open, ada } = await withEther();
  await open.setPolicy({ ...SIX_DEEP, startsAt: '2026-12-01T00:00:00Z' });
  const form = await ada.get(`${PATH}/change`);
  const [, version = ''] = /name="version" value="([^"]+)"/.exec(form) ?? [];
  const fields = { version, 'scope-0': 'default', 'confirmations-0': '6', startsAt: '' };
  const review = await (await ada.post(`${PATH}/review`, fields)).text();
  expect(words(review)).toContain('default Credited from 2026-12-01T00:00:00Z every transaction');
  const [, json = ''] = /name="json" value="([^"]+)"/.exec(review) ?? [];
  const set = { version, json: json.replaceAll('&quot;', '"'), reason: 'ticket 4714' };
  expect(words(await ada.send(`${PATH}/set`, set))).toContain('is in force');
  expect((await held(console)).policy).not.toHaveProperty('startsAt');
});
