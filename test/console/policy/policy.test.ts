import { expect, test } from 'vitest';
import {
  differencesOf,
  policyTextOf,
  rulesOf,
  scopeName,
} from '../../../src/console/policy/policy-text.ts';
import { SettingValue } from '../../../src/console/policy/setting-value.tsx';
import { Amount } from '../../../src/domain/money/amount.ts';
import { apiUnderTest } from '../../api/api-under-test.ts';
import { balanceChange, verifyWith } from '../../store/evidence.ts';
import { change, decimals } from '../../store/webhook.ts';
import { ConsoleUnderTest, consoleUnderTest, htmlOf, words } from '../console-under-test.ts';
import { held } from './held-policy.ts';

const PATH = '/console/policy';

test('differences of two policies name every setting, also of rules that came or went', () => {
  const before = policyTextOf({
    default: { confirmations: 6 },
    networks: { ethereum: { confirmations: 12 } },
  });
  const after = policyTextOf({
    default: { confirmations: 9 },
    assets: { 'ethereum:ETH': { oneApprovalAbove: '100', twoApprovalsAbove: null } },
  });
  const found = differencesOf(before, after).map(
    ({ scope, setting, before: from, after: to }) =>
      `${scopeName(scope)} ${setting}: ${String(from)} → ${String(to)}`,
  );
  expect(found).toEqual([
    'default confirmations: 6 → 9',
    'asset ethereum:ETH oneApprovalAbove: undefined → 100',
    'asset ethereum:ETH twoApprovalsAbove: undefined → null',
    'network ethereum confirmations: 12 → undefined',
  ]);
  expect(differencesOf(after, after)).toEqual([]);
});

const START = '2026-12-01T00:00:00Z';

test('differences name the credited vaults and the start first', () => {
  const of = (vaults?: string[], startsAt?: string) =>
    policyTextOf({ vaults, startsAt, default: { confirmations: 6 } });
  const shown = (one: { setting: string; before: unknown; after: unknown }): string =>
    `${one.setting}: ${String(one.before)} → ${String(one.after)}`;
  expect(differencesOf(of(), of(['v1', 'v2'])).map(shown)).toEqual([
    'vaults: every vault → v1, v2',
  ]);
  expect(differencesOf(of(['v1']), of(['v1'], START)).map(shown)).toEqual([
    `startsAt: every transaction → ${START}`,
  ]);
  expect(differencesOf(of(['v1'], START), of(['v1'], START))).toEqual([]);
});

test('a text that is no policy has no rules but the default', () => {
  for (const json of [null, 'text', 7, [], { default: 3, networks: [1], assets: { a: 4 } }]) {
    expect(rulesOf(policyTextOf(json))).toEqual([{ scope: { kind: 'default' }, rule: {} }]);
  }
});

test('the page shows the rules, inherited settings too, and who set them', async () => {
  const console = await consoleUnderTest();
  const body = { balanceChanges: [change('1', decimals(18))] };
  await console.open.deliver(console.service.confirmed(1, body));
  const vera = await console.as('vera');
  const page = await vera.get(PATH);
  expect(words(page)).toContain('Last change by the configuration');
  expect(words(page)).toContain('default 6 0 never never no no no');
  expect(words(page)).toContain('asset ethereum:ETH crediting');
  expect(page).toContain('data-live="policy"');
  expect(page).not.toContain('/policy/halt"');
  expect(page).not.toContain('/policy/change"');
});

test('each amount of a rule names its unit: the asset’s own, or the smallest', async () => {
  const amount = { oneApprovalAbove: Amount(500n) };
  const policy = {
    default: { confirmations: 6 },
    networks: { ethereum: { minimumAmount: Amount(7n) } },
    assets: { 'ethereum:ETH': amount, 'sui:SUI': amount },
  };
  const console = new ConsoleUnderTest(await apiUnderTest(policy));
  const body = { balanceChanges: [change('1', decimals(2))] };
  await console.open.deliver(console.service.confirmed(1, body));
  const page = words(await (await console.as('vera')).get(PATH));
  expect(page).toContain('network ethereum 6 7 smallest units never');
  expect(page).toContain('asset ethereum:ETH 6 0.07 ETH 7 5 ETH 500 never');
  expect(page).toContain('asset sui:SUI 6 0 500 SUI smallest units never');
});

test('an admin changes the policy: edit, review the differences, set', async () => {
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  expect(await ada.get(PATH)).toContain(`href="${PATH}/change"`);
  expect(await ada.get(`${PATH}/change`)).toContain('name="confirmations-0" value="6"');
  const fields = { 'scope-0': 'default', 'confirmations-0': '9' };
  const review = await (await ada.post(`${PATH}/review`, fields)).text();
  expect(words(review)).toContain('default Confirmations 6 9');
  const [, version = ''] = /name="version" value="([^"]+)"/.exec(review) ?? [];
  const json = JSON.stringify({ default: { confirmations: 9 }, networks: {}, assets: {} });
  expect(review).toContain(`value="${json.replaceAll('"', '&quot;')}"`);
  expect((await held(console)).version).toBe(version);
  const set = words(await ada.send(`${PATH}/set`, { version, json, reason: 'ticket 4712' }));
  expect(set).toContain('The policy pol_2 is in force.');
  expect(set).toContain('Last change by ada');
  expect(set).toContain('ticket 4712');
});

test('a review lists the deposits that the new policy would hold, before anybody sets it', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6, { balanceChanges: [change('1500', decimals(2))] }));
  await verifyWith(open, { changes: [balanceChange(1_500n)] });
  await open.deliver(service.incoming('mempool', { blockchainHash: '0xb2' }));
  const ada = await console.as('ada');
  const review = async (fields: Record<string, string>): Promise<string> =>
    words(await (await ada.post(`${PATH}/review`, fields)).text());
  const json = JSON.stringify({ default: { confirmations: 6, oneApprovalAbove: '1499' } });
  const page = await review({ json });
  expect(page).toContain(
    'Would hold 1 deposit more (and 0 as now) of the last 2, no longer hold 0, and lead 0 to another',
  );
  expect(page).toContain('15 ETH 1500 credited credited held approval required');
  expect(await review({ json: JSON.stringify({ default: { confirmations: 6 } }) })).toContain(
    'Every one of them has the same outcome by both policies.',
  );
  expect(await review({ json: JSON.stringify({ default: { confirmations: 'many' } }) })).toContain(
    'policy.default.confirmations',
  );
});

test('a refused change stays on the page, beside what is wrong with it', async () => {
  const console = await consoleUnderTest();
  const ada = await console.as('ada');
  const { version } = await held(console);
  const json = JSON.stringify({ default: { confirmations: 'many' } });
  const wrong = await ada.post(`${PATH}/set`, { version, json, reason: 'ticket 4712' });
  expect(wrong.status).toBe(400);
  const page = await wrong.text();
  expect(words(page)).toContain('policy.default.confirmations');
  expect(page).toContain('name="confirmations-0" value="many"');
  const good = JSON.stringify({ default: { confirmations: 9 } });
  const stale = await ada.post(`${PATH}/set`, { version: 'pol_0', json: good, reason: 'why' });
  expect(stale.status).toBe(409);
  expect(words(await stale.text())).toContain('The policy is pol_1 by now');
  const text = await ada.post(`${PATH}/review`, { json: '{' });
  expect([text.status, words(await text.text())]).toEqual([
    400,
    expect.stringContaining('The text is not JSON'),
  ]);
  expect((await held(console)).version).toBe(version);
});

test('a change that began from an older policy is not reviewed: it would lift a halt set since', async () => {
  const console = await consoleUnderTest();
  const [ada, olga] = [await console.as('ada'), await console.as('olga')];
  const form = await ada.get(`${PATH}/change`);
  expect(form.split('name="version" value="pol_1"')).toHaveLength(3);
  await olga.send(`${PATH}/halt`, { reason: 'a theft' });
  const fields = { 'scope-0': 'default', 'confirmations-0': '9' };
  const json = JSON.stringify({ default: { confirmations: 9 }, networks: {}, assets: {} });
  for (const stale of [fields, { json }]) {
    const review = await ada.post(`${PATH}/review`, { version: 'pol_1', ...stale });
    const page = await review.text();
    expect([review.status, words(page)]).toEqual([
      409,
      expect.stringContaining('The policy is pol_2 by now, set by olga (a theft), and this change'),
    ]);
    expect(page).toContain('name="confirmations-0" value="9"');
    // It stays one of the older policy, however often it is sent.
    expect(page).toContain('name="version" value="pol_1"');
  }
  const again = await ada.post(`${PATH}/set`, { version: 'pol_1', json, reason: 'ticket 4712' });
  expect([again.status, await again.text()]).toEqual([
    409,
    expect.stringContaining('name="version" value="pol_1"'),
  ]);
  expect((await held(console)).halted).toEqual(['everything']);
});

test.for([
  ['vera', false, false],
  ['chris', false, false],
  ['olga', true, false],
  ['ada', true, true],
] as const)('%s may switch halts: %s, and set the policy: %s', async ([as, halts, sets]) => {
  const console = await consoleUnderTest();
  const visitor = await console.as(as);
  const page = await visitor.get(PATH);
  expect(page.includes(`action="${PATH}/halt"`)).toBe(halts);
  expect(page.includes(`href="${PATH}/change"`)).toBe(sets);
  const halted = words(await visitor.send(`${PATH}/halt`, { reason: 'maintenance' }));
  expect(halted.includes('everything is halted.')).toBe(halts);
  expect((await held(console)).halted).toEqual(halts ? ['everything'] : []);
  const json = JSON.stringify({ default: { confirmations: 9 } });
  const { version } = await held(console);
  const set = await visitor.post(`${PATH}/set`, { version, json, reason: 'ticket 4712' });
  expect(set.status).toBe(sets ? 303 : 403);
  expect((await held(console)).policy).toMatchObject({ default: { confirmations: sets ? 9 : 6 } });
});

test('a review counts the deposits that both policies hold', async () => {
  const console = await consoleUnderTest();
  await console.open.deliver(console.service.confirmed(1, { memo: '88' }));
  const ada = await console.as('ada');
  const json = JSON.stringify({ default: { confirmations: 9 } });
  expect(words(await (await ada.post(`${PATH}/review`, { json })).text())).toContain(
    'Would hold 0 deposits more (and 1 as now) of the last 1, no longer hold 0,',
  );
});

test('a reason is required', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  expect(words(await olga.send(`${PATH}/halt`, { reason: ' ' }))).toContain('must not be empty');
  expect((await held(console)).halted).toEqual([]);
});

test('any two versions are compared, in both directions, and a version that is none is named', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  await olga.send(`${PATH}/halt`, { network: 'ethereum', reason: 'a fork' });
  await olga.send(`${PATH}/halt`, { network: 'ripple', reason: 'another fork' });
  expect(await olga.get(`${PATH}/history`)).toContain(`action="${PATH}/compare"`);
  const there = words(await olga.get(`${PATH}/compare?from=pol_1&to=pol_3`));
  expect(there).toContain('From pol_1 to pol_3');
  expect(there).toContain('network ethereum Halted not set yes network ripple Halted not set yes');
  const back = words(await olga.get(`${PATH}/compare?from=pol_3&to=pol_2`));
  expect(back).toContain('network ripple Halted yes not set');
  expect(back).not.toContain('network ethereum Halted');
  expect(words(await olga.get(`${PATH}/compare?from=pol_2&to=pol_2`))).toContain(
    'No setting differs.',
  );
  const none = await olga.request(`${PATH}/compare?from=pol_1&to=pol_9`);
  expect([none.status, words(await none.text())]).toEqual([
    404,
    expect.stringContaining('There is no policy pol_9.'),
  ]);
});

test('an amount too long for a line of a phone may break, like every figure', async () => {
  const value = '9'.repeat(37);
  const scope = { kind: 'default' } as const;
  const shown = { setting: 'minimumAmount', value, scope, decimals: new Map() };
  const cell = await htmlOf(SettingValue(shown));
  expect(cell).toContain(`<data class="figure long" value="${value}"`);
});
