import { expect, test } from 'vitest';
import { AssetId, DepositId } from '../../../src/domain/ids.ts';
import { change, decimals } from '../../store/webhook.ts';
import { consoleUnderTest, OWN_PAGE, words } from '../console-under-test.ts';
import { moveUnexplained } from './several-breaks.ts';

test('an admin corrects the decimals on the break, filled with those of the notification; nobody else finds the form', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  const states = (hash: string, count: number) =>
    service.confirmed(1, {
      blockchainHash: hash,
      balanceChanges: [change('1500', decimals(count))],
    });
  await open.deliver(states('0xa1', 2), states('0xb2', 8));
  const path = `/console/breaks/${open.openBreak('decimals_changed').id}`;
  const [ada, olga] = [await console.as('ada'), await console.as('olga')];
  expect(await olga.get(path)).not.toContain('name="decimals"');
  const form = { asset: 'ethereum:ETH', decimals: '8', reason: 'as on its contract' };
  expect(words(await olga.send(`${path}/decimals`, form))).toContain(
    'Only the role admin may correct the decimals of an asset. Your role is operator: ask a person with that role.',
  );
  const page = await ada.get(path);
  expect(page).toMatch(/name="decimals" type="number" min="0" max="255" required="" value="8"/);
  const wrong = words(await ada.send(`${path}/decimals`, { ...form, decimals: 'ten' }));
  expect(wrong).toContain('decimals');
  expect(open.openBreaks()).toEqual(['decimals_changed']);
  expect(page).toContain('name="basis" value="[2]"');
  const stale = words(await ada.send(`${path}/decimals`, { ...form, basis: '[4]' }));
  expect(stale).toContain('its number of decimals was 4 and is 2 now');
  const done = words(await ada.send(`${path}/decimals`, { ...form, basis: '[2]' }));
  expect(done).toContain('The decimals are corrected. Deposits that came with them go on.');
  expect(open.openBreaks()).toEqual([]);
  expect((await console.api.reads.pinnedDecimals()).get(AssetId('ethereum:ETH'))).toBe(8);
  expect(await ada.get(path)).not.toContain('name="decimals"');
});

/** The values of a page's fields of a name, as a browser sends them. */
function valuesOf(page: string, name: string): string[] {
  const found = page.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'));
  return [...found].map(([, value = '']) => value.replaceAll('&quot;', '"'));
}

test('a break that changed since the page was read is not resolved, alone or in bulk', async () => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 2);
  const [olga, otto] = [await console.as('olga'), await console.as('otto')];
  const [first, second] = console.open.breaks().map(({ break_id: id }) => `/console/breaks/${id}`);
  const [basis = ''] = valuesOf(await olga.get(first), 'basis');
  const ticks = valuesOf(await olga.get('/console/breaks'), 'break');
  expect(ticks).toHaveLength(2);
  await otto.send(`${first}/assign`, { assignee: 'otto', reason: 'my vault' });
  const stale = 'It changed since you read it: its assignee was none and is otto now.';
  const alone = await olga.send(`${first}/resolve`, { reason: 'an airdrop', basis });
  expect(words(alone)).toContain(stale);
  const body = new URLSearchParams({ step: 'resolve', reason: 'an airdrop' });
  for (const tick of ticks) body.append('break', tick);
  await olga.request('/console/breaks/bulk', { method: 'POST', body, headers: OWN_PAGE });
  const queue = words(await olga.get('/console/breaks'));
  expect(queue).toContain('1 break is resolved. 1 refused.');
  expect(queue).toContain(stale);
  expect(console.open.breaks().map(({ state }) => state)).toEqual(['open', 'resolved']);
  expect(words(await olga.get(second))).toContain('resolved');
});

test('a resolved conservation break opens again in the next run, as its form says', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  const ether = (amount: string) => ({ balanceChanges: [change(amount, decimals(18))] });
  await open.deliver(service.confirmed(1, ether('100')));
  await open.deliver(service.chain('transaction', ether('99')));
  await open.unboundedRun();
  const path = `/console/breaks/${open.openBreak('conservation').id}`;
  const olga = await console.as('olga');
  expect(words(await olga.get(path))).toContain(
    'Otherwise it posts nothing, and the next run opens a new break: exempt it',
  );
  await olga.send(`${path}/resolve`, { reason: 'a known rounding' });
  expect(open.openBreaks()).toEqual([]);
  await open.unboundedRun();
  expect(open.openBreaks()).toEqual(['conservation']);
});

test('a deposit that the custody API does not know leaves the books with its break, as its form says', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(1, { balanceChanges: [change('100', decimals(18))] }));
  const [{ id } = { id: '' }] = open.rows<{ id: string }>('SELECT deposit_id AS id FROM deposits');
  await open.record({ kind: 'deposit', depositId: DepositId(id), transaction: null, graceMs: 0 });
  const path = `/console/breaks/${open.openBreak('unknown_to_custody').id}`;
  const olga = await console.as('olga');
  expect(words(await olga.get(path))).toContain('it takes the deposit from the books');
  await olga.send(`${path}/resolve`, { reason: 'nobody sent it' });
  expect(open.openBreaks()).toEqual([]);
  expect(open.positions()).toEqual({});
  expect(words(await olga.get(`/console/deposits/${id}`))).toContain('nobody sent it');
});

test('a text that is too long is not cut: its refusal says how long it may be, and repeats it', async () => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 1);
  const [{ break_id: id } = { break_id: '' }] = console.open.breaks();
  const [path, reason] = [`/console/breaks/${id}`, 'word '.repeat(1_000).trim()];
  const olga = await console.as('olga');
  const ada = await console.as('ada');
  for (const page of [path, '/console/breaks']) {
    expect(await olga.get(page)).toMatch(/name="reason" required="" autocomplete="off"/);
  }
  const { policy } = (await console.api.get('/v1/policy')).body;
  const rule = { rule: 'own', asset: 'ethereum:ETH', owner: 'olga', until: '2099-01-01' };
  const refusals = [
    await olga.send(`${path}/notes`, { reason }),
    await olga.send('/console/breaks/bulk', { break: id, step: 'notes', reason }),
    await olga.send(`${path}/exempt`, { ...rule, reason }),
    ...(await Promise.all(
      [
        await ada.post('/console/policy/set', { json: JSON.stringify(policy), reason }),
        await ada.post('/console/access', { name: 'desk', role: 'viewer', reason }),
      ].map((answer) => answer.text()),
    )),
  ];
  for (const page of refusals) {
    expect(words(page)).toMatch(/(Reason|Note): must have at most 1000 characters, and has 4999/);
    expect(page).toContain(`<q>${reason}</q>`);
  }
});

test('a bulk form without a tick keeps what was written, and different refusals name their breaks', async () => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 13);
  const ids = console.open.breaks().map(({ break_id: id }) => id);
  const olga = await console.as('olga');
  const fields = { step: 'assign', reason: 'my vault', assignee: 'otto' };
  expect(words(await olga.send('/console/breaks/bulk', fields))).toMatch(
    /Nothing was chosen .* You wrote: Reason my vault , Assignee otto /,
  );
  const sendAll = async (step: string): Promise<string> => {
    const body = new URLSearchParams({ ...fields, step });
    for (const id of ids) body.append('break', id);
    await olga.request('/console/breaks/bulk', { method: 'POST', body, headers: OWN_PAGE });
    return words(await olga.get('/console/breaks'));
  };
  for (const id of ids.slice(0, 12)) {
    await olga.send(`/console/breaks/${id}/resolve`, { reason: 'first' });
  }
  const some = await sendAll('resolve');
  expect(some).toContain(
    `1 break is resolved. 12 refused. ${ids.slice(0, 10).join(', ')} and 2 more: Resolved already by olga: first`,
  );
  expect(some).toMatch(/You wrote: Reason my vault , Assignee otto /);
  const every = await sendAll('resolve');
  expect(every).toContain(`${ids[12]}: Resolved already by olga: my vault`);
});
