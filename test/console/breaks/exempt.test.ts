import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { BreakId } from '../../../src/domain/ids.ts';
import type { Person } from '../../api/api-under-test.ts';
import { consoleUnderTest, words, type ConsoleUnderTest } from '../console-under-test.ts';
import { verifyWith } from '../../store/evidence.ts';
import { moveUnexplained } from './several-breaks.ts';

const RULES = '/console/breaks/exemptions';
const DAY_MS = 86_400_000;

/** A console with open breaks of unexplained movements, and the id of the first. */
async function withBreaks(count: number): Promise<{ console: ConsoleUnderTest; id: string }> {
  const console = await consoleUnderTest();
  await moveUnexplained(console, count);
  const [first] = console.open.rows<{ id: string }>(
    "SELECT break_id AS id FROM breaks WHERE blockchain_hash = '0xe1'",
  );
  if (first === undefined) throw new Error('no break');
  return { console, id: first.id };
}

/** The fields of the form that adds a rule, as the page fills them. */
function fieldsIn(page: string): Record<string, string> {
  const form = /<form method="post" action="[^"]*\/exempt">.*?<\/form>/.exec(page)?.[0] ?? '';
  const inputs = [
    ...form.matchAll(/<input (?:type="[^"]*" )?name="([^"]*)"(?: type="[^"]*")? value="([^"]*)"/g),
  ];
  const chosen = [...form.matchAll(/<select name="([^"]*)">.*?<option value="([^"]*)" selected/g)];
  return Object.fromEntries(
    [...inputs, ...chosen].map(([, name = '', value = '']) => [
      name,
      value.replace('&lt;', '<').replace('&gt;', '>').replaceAll('&quot;', '"'),
    ]),
  );
}

test('the form is filled from the break; the next run closes this break and no other', async () => {
  const { console, id } = await withBreaks(2);
  const { open } = console;
  const olga = await console.as('olga');
  const fields = fieldsIn(await olga.get(`/console/breaks/${id}`));
  const end = new Date(open.at + 7 * DAY_MS).toISOString().slice(0, 10);
  expect(fields).toEqual({
    rule: id,
    breakType: 'unexplained_movement',
    asset: 'ethereum:ETH',
    vaultId: 'v1',
    network: 'ethereum',
    blockchainHash: '0xe1',
    direction: '>=',
    amount: '-1.5',
    unit: 'own',
    owner: 'olga',
    until: end,
    basis: '["open",null,"1500000000000000000","0"]',
  });
  const form = { ...fields, rule: 'old wallet', reason: 'ticket 1' };
  const after = words(await olga.send(`/console/breaks/${id}/exempt`, form));
  expect(after).toContain(
    'The rule old wallet is in force for ours − theirs of at least −1.5 ETH (−1500000000000000000 smallest units). The next run closes the open breaks that it matches.',
  );
  expect((await console.api.reads.break(BreakId(id)))?.found.state).toBe('open');
  await open.run();
  const found = await console.api.reads.break(BreakId(id));
  expect([found?.found.state, found?.found.resolution]).toEqual(['resolved', 'exempt: old wallet']);
  expect(open.openBreaks()).toEqual(['unexplained_movement']);
  expect(words(await olga.get(`/console/breaks/${id}`))).not.toContain('Exempt a known difference');
});

test('a rule filled from a break that has changed since is refused, and says what changed', async () => {
  const { console, id } = await withBreaks(1);
  const olga = await console.as('olga');
  const fields = fieldsIn(await olga.get(`/console/breaks/${id}`));
  const decision = { kind: 'assign', breakId: BreakId(id), assignee: 'otto' } as const;
  await console.open.decide({ ...decision, reason: 'his vault' }, 'ada');
  const page = words(
    await olga.send(`/console/breaks/${id}/exempt`, { ...fields, reason: 'ticket 1' }),
  );
  expect(page).toContain('its assignee was none and is otto now. Nothing was done');
  expect((await console.api.reads.exemptions()).rules).toEqual([]);
});

test('a rule with a wrong field is refused, and keeps what was written, in its unit, to copy', async () => {
  const { console, id } = await withBreaks(1);
  const olga = await console.as('olga');
  const fields = fieldsIn(await olga.get(`/console/breaks/${id}`));
  const form = { ...fields, rule: 'old wallet', until: 'soon', reason: '<b>ticket</b> 1' };
  const page = await olga.send(`/console/breaks/${id}/exempt`, form);
  expect(words(page)).toMatch(
    /The form is not valid .*End: .* You wrote: .*Rule old wallet , Owner olga , End soon , Reason /,
  );
  expect(page).toContain('Reason <q>&lt;b&gt;ticket&lt;/b&gt; 1</q>');
  expect(page).toContain('Amount <q>-1.5</q>');
  expect(words(page)).not.toContain('basis [');
  expect(words(await olga.get(`/console/breaks/${id}`))).not.toContain('You wrote');
});

test('a rule that was ended and added again is not ended by a page of before', async () => {
  const { console } = await withBreaks(1);
  const { open } = console;
  const rule = { rule: 'own', vaultId: 'v9', until: open.at * 2, reason: 'r', owner: 'o' };
  await open.decide({ kind: 'exempt', rule }, 'olga');
  const ada = await console.as('ada');
  const page = await ada.get(RULES);
  const basis = (/name="basis" value="([^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&quot;', '"');
  await open.decide({ kind: 'end-exemption', rule: 'own', reason: 'repaired' }, 'olga');
  await open.decide({ kind: 'exempt', rule }, 'otto');
  const end = { basis, reason: 'x' };
  expect(words(await ada.send(`${RULES}/own/end`, end))).toContain(
    'its author was olga and is otto now',
  );
  expect((await console.api.reads.exemptions()).rules).toHaveLength(1);
});

test('a rule covers the difference up to its amount, and without an amount any size', async () => {
  const { console, id } = await withBreaks(1);
  const { open } = console;
  const olga = await console.as('olga');
  const page = await olga.get(`/console/breaks/${id}`);
  expect(words(page)).toContain('Amount; now −1.5 ETH (−1500000000000000000 smallest units)');
  const fields = fieldsIn(page);
  const less = { ...fields, rule: 'smaller', amount: '-1.499999999999999999', reason: 'ticket 1' };
  await olga.send(`/console/breaks/${id}/exempt`, less);
  await open.run();
  expect(open.openBreaks()).toEqual(['unexplained_movement']);
  const any = { ...fields, rule: 'any', amount: ' ', reason: 'ticket 1' };
  await olga.send(`/console/breaks/${id}/exempt`, any);
  await open.run();
  expect(open.openBreaks()).toEqual([]);
  const { rules } = await console.api.reads.exemptions();
  expect(rules.map(({ rule, direction, amount }) => [rule, direction, amount])).toEqual([
    ['smaller', '>=', -1_499_999_999_999_999_999n],
    ['any', undefined, undefined],
  ]);
});

test.for([
  ['-0.5', 'own', -500_000_000_000_000_000n, '−0.5 ETH (−500000000000000000 smallest units)'],
  ['−1 000.25 ETH', 'own', -1_000_250_000_000_000_000_000n, '−1_000.25 ETH'],
  ['0', 'own', 0n, '0 ETH (0 smallest units)'],
  ['-1500', 'smallest', -1_500n, '−0.0000000000000015 ETH (−1500 smallest units)'],
] as const)('the amount %s in the unit %s is %d smallest units', async (row) => {
  const [amount, unit, units, shown] = row;
  const { console, id } = await withBreaks(1);
  const olga = await console.as('olga');
  const fields = fieldsIn(await olga.get(`/console/breaks/${id}`));
  const form = { ...fields, amount, unit, reason: 'ticket 1' };
  const after = words(await olga.send(`/console/breaks/${id}/exempt`, form));
  expect(after).toContain(`is in force for ours − theirs of at least ${shown}`);
  const { rules } = await console.api.reads.exemptions();
  expect(rules.map((rule) => rule.amount)).toEqual([units]);
});

test.for([
  [{ amount: 'half' }, 'Amount: write digits and a point, such as 0.05 ETH.'],
  [{ amount: '-1.5', unit: 'smallest' }, 'Amount: write smallest units, digits only.'],
  [{ asset: '' }, 'Amount: a rule without an asset has no unit: choose smallest units.'],
  [{ asset: 'x:X' }, 'Amount: the decimals of x:X are not known before its first deposit'],
] as const)('the amount of %o is refused before the call: %s', async ([wrong, text]) => {
  const { console, id } = await withBreaks(1);
  const olga = await console.as('olga');
  const fields = fieldsIn(await olga.get(`/console/breaks/${id}`));
  const form = { ...fields, ...wrong, reason: 'ticket 1' };
  const page = words(await olga.send(`/console/breaks/${id}/exempt`, form));
  expect(page).toContain(text);
  expect(page).toMatch(/You wrote: .* Reason ticket 1 .*Amount /);
  expect((await console.api.reads.exemptions()).rules).toEqual([]);
});

test('an empty field matches anything', async () => {
  const { console, id } = await withBreaks(2);
  const olga = await console.as('olga');
  const fields = fieldsIn(await olga.get(`/console/breaks/${id}`));
  const form = { ...fields, blockchainHash: ' ', reason: 'ticket 1' };
  await olga.send(`/console/breaks/${id}/exempt`, form);
  await console.open.run();
  expect(console.open.openBreaks()).toEqual([]);
});

test('a form that the API refuses says why, and adds no rule', async () => {
  const { console, id } = await withBreaks(1);
  const olga = await console.as('olga');
  const fields = fieldsIn(await olga.get(`/console/breaks/${id}`));
  for (const [wrong, text] of [
    [{ until: '2020-01-01', reason: 'x' }, 'has ended already: give a later end'],
    [{ until: '', reason: 'x' }, 'End: must be a day'],
    [{ reason: '' }, 'Reason: must not be empty'],
    [{ rule: '?', reason: 'x' }, 'Rule: must be 1 to 64'],
  ] as const) {
    const page = words(await olga.send(`/console/breaks/${id}/exempt`, { ...fields, ...wrong }));
    expect(page).toContain(text);
  }
  expect((await console.api.reads.exemptions()).rules).toEqual([]);
});

test('the list shows every rule with its origin, and a person ends a person’s rule', async () => {
  const { console, id } = await withBreaks(1);
  const { open } = console;
  const until = open.at + DAY_MS;
  const old = { rule: 'of the file', asset: 'x:X', until, reason: 'ticket 2', owner: 'finance' };
  await open.decide({ kind: 'exemptions', rules: [old] }, 'config');
  const olga = await console.as('olga');
  const fields = fieldsIn(await olga.get(`/console/breaks/${id}`));
  await olga.send(`/console/breaks/${id}/exempt`, { ...fields, reason: 'ticket 1' });
  await open.run();
  const list = words(await olga.get(RULES));
  expect(list).toContain('2 exemption rules');
  expect(list).toMatch(
    /of the file any type, Asset x:X active .* finance ticket 2 the configuration/,
  );
  expect(list).toContain('change it in reconcile.exemptions, and restart');
  expect(list).toContain(
    `${id} unexplained movement, Asset ethereum:ETH, Vault v1, Network ethereum, Hash 0xe1, difference ≥ −1.5 ETH active`,
  );
  const ended = words(await olga.send(`${RULES}/${id}/end`, { reason: 'repaired' }));
  expect(ended).toContain(`The rule ${id} has ended.`);
  expect(ended).toContain('1 exemption rule ');
  await open.run();
  expect(open.openBreaks()).toEqual(['unexplained_movement']);
  const refused = words(await olga.send(`${RULES}/of%20the%20file/end`, { reason: 'x' }));
  expect(refused).toContain('remove it from reconcile.exemptions and restart');
  const audit = words(await olga.get('/console/audit'));
  expect(audit).toContain(`added the exemption rule ${id} of olga`);
  expect(audit).toContain(`ended the exemption rule ${id}`);
});

test('a rule’s bound is in the unit of its asset; of an unknown asset, or of any, in smallest units', async () => {
  const { console } = await withBreaks(1);
  const { open } = console;
  const rule = { until: open.at + DAY_MS, reason: 'r', owner: 'o', direction: '<=' } as const;
  const add = (name: string, amount: bigint, of: { asset?: string }) =>
    open.decide(
      { kind: 'exempt', rule: { ...rule, ...of, rule: name, amount: Amount(amount) } },
      'olga',
    );
  await add('known', 20_000_000_000_000_000n, { asset: 'ethereum:ETH' });
  await add('unknown', -1_500n, { asset: 'x:X' });
  await add('any', 10n, {});
  const page = await (await console.as('olga')).get(RULES);
  const list = words(page);
  expect(list).toContain('known any type, Asset ethereum:ETH, difference ≤ 0.02 ETH active');
  expect(page).toContain('title="20000000000000000 in the smallest unit"');
  expect(list).toContain('unknown any type, Asset x:X, difference ≤ −1_500 smallest units active');
  expect(list).toContain('any any type, difference ≤ 10 smallest units active');
  const end = new Date(rule.until).toISOString().slice(0, 10);
  expect(list).toMatch(new RegExp(`In force until .* ETH active ${end}`));
});

test.for<[Person, boolean]>([
  ['fiona', true],
  ['ada', true],
  ['vera', false],
  ['audra', false],
])('%s may exempt and end: %s', async ([person, may]) => {
  const { console, id } = await withBreaks(1);
  const own = { rule: 'own', vaultId: 'v9', until: console.open.at * 2, reason: 'r', owner: 'o' };
  await console.open.decide({ kind: 'exempt', rule: own }, 'olga');
  const browser = await console.as(person);
  expect((await browser.get(`/console/breaks/${id}`)).includes('/exempt"')).toBe(may);
  expect((await browser.get(RULES)).includes(`${RULES}/own/end`)).toBe(may);
  await browser.send(`${RULES}/own/end`, { reason: 'x' });
  expect((await console.api.reads.exemptions()).rules.length).toBe(may ? 0 : 1);
});

test('no rule exempts a body, and the queue leads to the rules', async () => {
  const { console } = await withBreaks(1);
  await console.open.deliver('not json');
  const olga = await console.as('olga');
  const malformed = `/console/breaks/${console.open.openBreak('malformed').id}`;
  expect(words(await olga.get(malformed))).not.toContain('Exempt a known difference');
  expect(await olga.get('/console/breaks')).toContain(`<a href="${RULES}">Exemption rules</a>`);
  expect(words(await olga.get(RULES))).toContain('No rule exempts a difference.');
});

test('no rule exempts the status of a credited deposit, and its resolution offers none', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6));
  const shown = async (status: string): Promise<string> => {
    await verifyWith(open, { status });
    const olga = await console.as('olga');
    return words(await olga.get(`/console/breaks/${open.openBreak('status_mismatch').id}`));
  };
  expect(await shown('rolledback')).toContain('Exempt a known difference');
  await verifyWith(open);
  expect(open.feedLines()).toEqual(['credit 100']);
  const page = await shown('rolledback');
  expect(page).toContain(
    'it posts nothing. If the same difference is found again, a new break opens.',
  );
  expect(page).not.toMatch(/exempt/i);
});
