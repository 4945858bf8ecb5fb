import { expect, test } from 'vitest';
import { BreakId } from '../../../src/domain/ids.ts';
import { balanceChange, verifyWith } from '../../store/evidence.ts';
import { change, decimals } from '../../store/webhook.ts';
import type { Person } from '../../api/api-under-test.ts';
import { consoleUnderTest, OWN_PAGE, words, type ConsoleUnderTest } from '../console-under-test.ts';
import { moveUnexplained, severalBreaks } from './several-breaks.ts';

const EVERYONE = ['vera', 'chris', 'olga', 'otto', 'ada'] as const satisfies readonly Person[];

/** The types in the queue, in its order. */
async function typesAt(console: ConsoleUnderTest, link: string): Promise<string[]> {
  const page = await (await console.as('vera')).get(link);
  return [...page.matchAll(/<tr id="row-brk[^>]*>.*?<a [^>]*>([^<]*)<\/a>/g)].map(
    ([, type = '']) => type,
  );
}

function historyOf(console: ConsoleUnderTest): string[] {
  return console.open
    .rows<{ line: string }>(
      "SELECT actor || ' ' || action || ' ' || reason AS line FROM break_events WHERE actor <> 'reconciler' ORDER BY rowid",
    )
    .map(({ line }) => line);
}

const ALL = [
  'id conflict',
  'unexplained movement',
  'unexplained movement',
  'subscription drift',
  'quarantined',
  'malformed',
];

test.for([
  ['/console/breaks', ALL],
  ['/console/breaks?severity=critical', ['id conflict']],
  ['/console/breaks?type=malformed', ['malformed']],
  ['/console/breaks?vault=v2', ['subscription drift']],
  ['/console/breaks?hash=0xe2', ['unexplained movement']],
  ['/console/breaks?asset=ethereum:ETH', ['unexplained movement', 'unexplained movement']],
  ['/console/breaks?asset=ripple:XRP', []],
  ['/console/breaks?network=ethereum', ['unexplained movement', 'unexplained movement']],
  ['/console/breaks?amount=1.5&hash=0xe1', ['unexplained movement']],
  ['/console/breaks?amount=1500000000000000000&hash=0xe1', ['unexplained movement']],
  ['/console/breaks?amount=1.5+ETH&type=malformed', []],
  ['/console/breaks?amount=1.4', []],
  ['/console/breaks?amount=much', []],
  ['/console/breaks?assignee=nobody&severity=info', ['malformed']],
  ['/console/breaks?assignee=olga', []],
  ['/console/breaks?state=investigating', []],
  ['/console/breaks?state=resolved', []],
  ['/console/breaks?state=&type=&severity=&vault=', ALL],
] as const)('the queue at %s', async ([link, types]) => {
  const console = await severalBreaks();
  expect(await typesAt(console, link)).toEqual(types);
});

test('who finds no button at a break reads which roles have them', async () => {
  const console = await consoleUnderTest({ isPublic: true });
  await moveUnexplained(console, 1);
  const path = `/console/breaks/${console.open.openBreak('unexplained_movement').id}`;
  const roles = 'role finance, operator or admin.';
  expect(words(await (await console.as('vera')).get(path))).toContain(
    `Your role (viewer) cannot work on breaks: ask a person with ${roles}`,
  );
  expect(words(await console.stranger.get(path))).toContain(
    `To work on breaks, sign in with ${roles}`,
  );
  expect(words(await (await console.as('fiona')).get(path))).not.toContain('work on breaks');
});

test('a reversal names what followed, and amounts are in the asset’s unit', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6, { balanceChanges: [change('1500', decimals(2))] }));
  await verifyWith(open, { changes: [balanceChange(1_500n)] });
  await open.deliver(service.incoming('rollback'));
  const vera = await console.as('vera');
  const path = `/console/breaks/${open.openBreak('reversal_after_credit').id}`;
  const before = await vera.get(path);
  expect(before).toContain('title="1500 in the smallest unit">15 ETH</data> was credited');
  expect(words(before)).toContain('Reversal in the feed none yet');
  expect(words(before)).toContain('When the break opened or last changed Ours: the books');
  // The custody API was not asked yet.
  expect(words(before)).toContain('Theirs: the rollback notification 0 ETH');
  expect(words(before)).toContain('Now: the hash, as each witness reports it');
  expect(words(before)).toContain('When the custody API agrees, your consumer gets the reversal.');
  await verifyWith(open, { status: 'rolledback' });
  const reversed = words(await vera.get(path));
  expect(reversed).toContain('The feed has reversed the credit. Take the amount back. Resolve');
  expect(reversed).not.toContain('your consumer gets the reversal');
  expect(reversed).toMatch(
    /Since then: the feed reversed the credit, 2025-\S+ \S+ UTC , item 2\. Take the amount back/,
  );
  for (const link of [path, '/console/breaks', '/console', '/console/breaks.csv']) {
    const after = words(await vera.get(link));
    expect(after).toMatch(
      /rolled back: the feed reversed the credit; recover it from the customer(?:'|&#39;)s balance/,
    );
  }
  const breakId = open.openBreak('reversal_after_credit').id;
  await open.decide({ kind: 'resolve', breakId: BreakId(breakId), reason: 'taken back' }, 'olga');
  const resolved = words(await vera.get(path));
  expect(resolved).toContain('Since then: the feed reversed the credit');
  expect(resolved).toContain('What to do Every type of break Nothing: the break is resolved.');
  expect(resolved).not.toContain('ake the amount back');
  // The history of the break keeps the text of each event; no other page shows the old one.
  for (const link of ['/console/breaks', '/console', '/console/breaks.csv']) {
    expect(words(await vera.get(link))).not.toContain('when the custody API agrees, the feed');
  }
});

test('a break of decimals names both numbers, also where an entry states none', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(
    service.confirmed(1, { balanceChanges: [change('1500', decimals(2))] }),
    service.confirmed(1, {
      blockchainHash: '0xb2',
      balanceChanges: [{ ...change('1'), amountFormatted: null }, change('1500', decimals(8))],
    }),
  );
  const { id } = open.openBreak('decimals_changed');
  const page = words(await (await console.as('vera')).get(`/console/breaks/${id}`));
  expect(page).toContain(
    'Counterfoil counts ethereum:ETH with 2 decimals. The notification states 8',
  );
});

test('breaks are filtered by age, and the overview counts each age with a link', async () => {
  const console = await consoleUnderTest();
  const { open } = console;
  await open.deliver('not json');
  open.at += 30 * 3_600_000;
  await open.deliver({ id: 'strange', stream: 'weather' }, { id: 'foreign', stream: 'weather' });
  for (const [age, types] of [
    ['hour', ['quarantined', 'quarantined']],
    ['day', []],
    ['week', ['malformed']],
    ['older', []],
  ] as const) {
    expect(await typesAt(console, `/console/breaks?age=${age}`)).toEqual(types);
  }
  const page = await (await console.as('vera')).get('/console');
  expect(words(page)).toContain('under 1 h 2 1 h to 1 d 0 1 d to 7 d 1 over 7 d 0 By type');
  expect(page).toContain('<a href="/console/breaks?age=week">');
});

test('the form shows the filter of the link, and the views are links', async () => {
  const console = await severalBreaks();
  const olga = await console.as('olga');
  const page = await olga.get('/console/breaks?state=resolved&type=malformed&vault=v9');
  expect(page).toContain('<option value="resolved" selected="">');
  expect(page).toContain('<option value="malformed" selected="">');
  expect(page).toContain('name="vault" type="text" value="v9"');
  expect(page).toContain(
    '<details class="filters"><summary class="button">Filter: State resolved,',
  );
  expect(words(page)).toContain('No break matches.');
  expect(page).toContain('<a href="/console/breaks?assignee=olga">Mine</a>');
  const mine = await olga.get('/console/breaks?assignee=olga');
  expect(mine).toContain('<a href="/console/breaks?assignee=olga" aria-current="true">Mine</a>');
});

test('a hundred breaks fill a page, and groups count those of the next pages', async () => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 101);
  const vera = await console.as('vera');
  const first = words(await vera.get('/console/breaks'));
  expect(first).toContain('Previous 1–100 of 101 Next');
  expect(first).toContain('101 × unexplained movement in vault v1');
  expect(await typesAt(console, '/console/breaks')).toHaveLength(100);
  expect(words(await vera.get('/console/breaks?page=1'))).toContain('Previous 101–101 of 101 Next');
  expect(await typesAt(console, '/console/breaks?page=1')).toHaveLength(1);
});

test('breaks of one cause are one group, whose link ticks every box', async () => {
  const console = await severalBreaks();
  const olga = await console.as('olga');
  const page = await olga.get('/console/breaks');
  const link = '/console/breaks?type=unexplained_movement&amp;vault=v1&amp;chosen=all';
  expect(page).toContain(`<a href="${link}">2 × unexplained movement in vault v1</a>`);
  expect(page).not.toContain('checked');
  const group = await olga.get(link.replaceAll('&amp;', '&'));
  expect(group.match(/type="checkbox"[^>]* checked=""/g)).toHaveLength(2);
  // A live update would tick a break that nobody has seen.
  expect(group).not.toContain('data-live');
});

test('a break shows its figures, witnesses, webhooks, history and what to do', async () => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 2);
  const { break_id: id, seq } = console.open.rows<{ break_id: string; seq: number }>(
    "SELECT break_id, seq FROM break_events WHERE action = 'opened' ORDER BY rowid LIMIT 1",
  )[0] ?? { break_id: '', seq: 0 };
  const page = await (await console.as('vera')).get(`/console/breaks/${id}`);
  const text = words(page);
  expect(text).toContain('Ours: the books 0');
  expect(text).toContain('Theirs: the chain or the custody API 1.5 ETH 1500000000000000000');
  expect(text).toContain('Difference: ours minus theirs −1.5 ETH -1500000000000000000');
  expect(text).toMatch(
    /v1 no figure 1.5 ETH 1500000000000000000 not compared −1.5 ETH -1500000000000000000 only on the chain/,
  );
  expect(text).toContain(
    '“Not compared”: nobody asked the custody API for the sum of this hash. The records of its deposits and withdrawals are compared separately: their pages say how.',
  );
  expect(text).toContain('ntf-1 blockchain transaction');
  expect(text).toMatch(/opened by reconciler .* the chain moved 1\.5 ETH and no platform/);
  expect(text).not.toContain('moved 1500000000000000000');
  expect(text).toContain('treat it as theft until explained.');
  expect(text).toContain('2 × unexplained movement in vault v1 unexplained movement the chain');
  expect(page).toContain(`href="/console/journal/${seq}"`);
  // A viewer has no button.
  expect(text).not.toContain('Resolve…');
});

test('an operator investigates, assigns, notes and resolves, each with a reason', async () => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 1);
  const { id } = console.open.openBreak('unexplained_movement');
  const olga = await console.as('olga');
  const at = `/console/breaks/${id}`;
  expect(words(await olga.get(at))).toContain('posts the amount to suspense');
  const first = await olga.send(`${at}/investigate`, { reason: 'ticket 1' });
  expect(words(first)).toContain('The break is under investigation.');
  await olga.send(`${at}/assign`, { assignee: 'otto', reason: 'his vault' });
  await olga.send(`${at}/assign`, { assignee: ' ', reason: 'holiday' });
  await olga.send(`${at}/notes`, { reason: 'asked the custody service' });
  const last = words(await olga.send(`${at}/resolve`, { reason: 'an airdrop' }));
  expect(last).toContain('The break is resolved.');
  expect(last).toContain('by olga: an airdrop');
  expect(last).not.toContain('Resolve…');
  expect(historyOf(console)).toEqual([
    'olga investigating ticket 1',
    'olga assigned nobody → otto: his vault',
    'olga assigned otto → nobody: holiday',
    'olga noted asked the custody service',
    'olga resolved an airdrop',
  ]);
  const again = words(await olga.send(`${at}/resolve`, { reason: 'once more' }));
  expect(again).toContain('Conflicts with the current state');
  expect(again).toContain('Resolved already by olga: an airdrop');
});

test.for(EVERYONE)('%s may act on a break exactly when the API allows it', async (person) => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 2);
  const ids = console.open.breaks().map(({ break_id: id }) => id);
  const mayAct = person !== 'vera' && person !== 'chris';
  const browser = await console.as(person);
  const queue = await browser.get('/console/breaks');
  expect(queue.includes('type="checkbox"')).toBe(mayAct);
  expect(queue.includes('value="resolve"')).toBe(mayAct);
  const refused = 'Your role does not allow this';
  for (const step of ['investigate', 'assign', 'notes', 'resolve']) {
    const page = words(
      await browser.send(`/console/breaks/${ids[0]}/${step}`, { reason: 'r', assignee: 'x' }),
    );
    expect(page.includes(refused)).toBe(!mayAct);
  }
  const bulk = words(
    await browser.send('/console/breaks/bulk', {
      break: String(ids[1]),
      step: 'resolve',
      reason: 'r',
      back: '/console/breaks',
    }),
  );
  expect(bulk.includes(refused)).toBe(!mayAct);
  expect(bulk.includes('1 break is resolved.')).toBe(mayAct);
  expect(console.open.openBreaks()).toHaveLength(mayAct ? 0 : 2);
});

test('one form resolves twelve breaks, and reports those that it could not', async () => {
  const console = await consoleUnderTest();
  await moveUnexplained(console, 12);
  const ids = console.open.breaks().map(({ break_id: id }) => id);
  const olga = await console.as('olga');
  await olga.send(`/console/breaks/${ids[0]}/resolve`, { reason: 'first' });
  const form = new URLSearchParams({
    step: 'resolve',
    reason: 'an airdrop',
    back: '/console/breaks',
  });
  for (const id of ids) form.append('break', id);
  const answer = await olga.request('/console/breaks/bulk', {
    method: 'POST',
    body: form,
    headers: OWN_PAGE,
  });
  expect(answer.headers.get('Location')).toBe('/console/breaks');
  const page = words(await olga.get('/console/breaks'));
  expect(page).toContain(
    `11 breaks are resolved. 1 refused. ${ids[0]}: Resolved already by olga: first`,
  );
  expect(console.open.openBreaks()).toEqual([]);
});

test('the form returns to the queue only, and needs a step that exists', async () => {
  const console = await severalBreaks();
  const olga = await console.as('olga');
  const back = '/console/breaks?type=malformed';
  const fields = { step: 'notes', reason: 'seen', back };
  for (const other of ['https://evil.example', '//evil.example', '/console/breaks.evil', '']) {
    const answer = await olga.post('/console/breaks/bulk', { ...fields, back: other });
    expect(answer.headers.get('Location')).toBe('/console/breaks');
  }
  const answer = await olga.post('/console/breaks/bulk', { ...fields, step: 'delete' });
  expect(answer.status).toBe(404);
  expect((await olga.request('/console/breaks/brk_none')).status).toBe(404);
});

test('an empty reason is refused with the form’s words', async () => {
  const console = await severalBreaks();
  const { id } = console.open.openBreak('malformed');
  const olga = await console.as('olga');
  const page = words(await olga.send(`/console/breaks/${id}/resolve`, { reason: ' ' }));
  expect(page).toContain('The form is not valid');
  expect(page).toContain('Reason: must not be empty');
});

test('before a resolution the page says what it posts, or that it posts nothing', async () => {
  const console = await severalBreaks();
  const olga = await console.as('olga');
  const [movement] = console.open.breaks().filter(({ type }) => type === 'unexplained_movement');
  expect(words(await olga.get(`/console/breaks/${movement?.break_id}`))).toContain(
    'If the books still lack the movement, it posts 1.5 ETH to the vault, against suspense:v1',
  );
  const body = words(await olga.get(`/console/breaks/${console.open.openBreak('malformed').id}`));
  expect(body).toContain('Closes the break in your name; it posts nothing. Reason');
});
