import { expect, test } from 'vitest';
import type { Person } from '../../api/api-under-test.ts';
import { consoleUnderTest, OWN_PAGE, words, type ConsoleUnderTest } from '../console-under-test.ts';
import { keepUnderstood } from './kept-body.ts';

/** A console with a body that no version understands. */
async function withKept(): Promise<{ console: ConsoleUnderTest; id: string; seq: number }> {
  const console = await consoleUnderTest();
  await console.open.deliver({ id: 'strange', stream: 'weather', note: '<b>\u202Egpj' });
  const [row] = console.open.rows<{ quarantine_id: string; seq: number }>(
    'SELECT quarantine_id, seq FROM quarantine',
  );
  if (row === undefined) throw new Error('nothing is kept');
  return { console, id: row.quarantine_id, seq: row.seq };
}

test('the quarantine lists bodies with their defects, and each shows its bytes', async () => {
  const { console, id, seq } = await withKept();
  const audra = await console.as('audra');
  const list = await audra.get('/console/quarantine');
  expect(list).toContain(`<a href="/console/quarantine/${id}">${id}</a>`);
  expect(words(list)).toMatch(/stream: .* strange kept/);
  expect(list).not.toContain('type="checkbox"');
  const page = await audra.get(`/console/quarantine/${id}`);
  expect(page).toContain('{&quot;id&quot;:&quot;strange&quot;');
  // The bytes are shown, never run, and none of them hides or reorders others.
  expect(page).toContain('&lt;b&gt;\\u{202e}gpj');
  expect(page).toContain(`href="/console/journal/${seq}/bytes"`);
  expect(words(page)).not.toContain('Retry…');
});

test('an empty quarantine says what would come there', async () => {
  const console = await consoleUnderTest();
  const page = words(await (await console.as('vera')).get('/console/quarantine'));
  expect(page).toContain('The quarantine is empty. A webhook that has an id and cannot be read');
  const answer = await (await console.as('vera')).request('/console/quarantine/qtn_9');
  expect(answer.status).toBe(404);
});

test('a retry that still fails says why, alone and in bulk', async () => {
  const { console, id } = await withKept();
  const olga = await console.as('olga');
  const page = words(await olga.send(`/console/quarantine/${id}/retry`, { reason: 'upgraded' }));
  expect(page).toContain('Conflicts with the current state');
  expect(page).toContain('stream');
  const bulk = await olga.send('/console/quarantine/retry', { kept: id, reason: 'upgraded' });
  expect(words(bulk)).toContain('Conflicts with the current state');
  const none = await olga.send('/console/quarantine/retry', { reason: 'upgraded' });
  expect(words(none)).toMatch(/Nothing was chosen .* You wrote: Reason upgraded /);
});

test.for(['vera', 'chris', 'fiona', 'olga', 'ada', 'audra'] as const satisfies readonly Person[])(
  '%s may retry exactly when the API allows it',
  async (person) => {
    const { console, id } = await withKept();
    const browser = await console.as(person);
    const mayRetry = person === 'olga' || person === 'ada';
    expect((await browser.get('/console/quarantine')).includes('type="checkbox"')).toBe(mayRetry);
    const at = `/console/quarantine/${id}`;
    expect((await browser.get(at)).includes('Retry…')).toBe(mayRetry);
    for (const path of [`${at}/retry`, '/console/quarantine/retry']) {
      const page = words(await browser.send(path, { kept: id, reason: 'upgraded' }));
      expect(page.includes('Your role does not allow this')).toBe(!mayRetry);
    }
  },
);

test('a body that this version understands is booked by a retry, and its break closes', async () => {
  const console = await consoleUnderTest();
  await keepUnderstood(console, 3);
  const olga = await console.as('olga');
  const ids = console.open
    .rows<{ id: string }>('SELECT quarantine_id AS id FROM quarantine ORDER BY seq')
    .map(({ id }) => id);
  const page = words(
    await olga.send(`/console/quarantine/${ids[0]}/retry`, { reason: 'upgraded' }),
  );
  expect(page).toContain('The body was read again, and takes effect now.');
  expect(page).toContain('State retried');
  expect(page).not.toContain('Retry…');
  expect(console.open.openBreaks()).toEqual(['quarantined', 'quarantined']);
  const body = new URLSearchParams({ reason: 'upgraded' });
  for (const id of ids.slice(1)) body.append('kept', id);
  await olga.request('/console/quarantine/retry', { method: 'POST', body, headers: OWN_PAGE });
  const list = words(await olga.get('/console/quarantine'));
  expect(list).toContain('2 bodies were read again, and take effect now.');
  expect(list).not.toContain('Retry the ticked bodies');
  expect(console.open.openBreaks()).toEqual([]);
  expect(console.open.deposits()).toHaveLength(3);
});

test('the list is filtered by state, and its pages keep the filter', async () => {
  const console = await consoleUnderTest();
  await keepUnderstood(console, 2);
  const [first] = console.open.rows<{ id: string }>(
    'SELECT quarantine_id AS id FROM quarantine ORDER BY seq',
  );
  const olga = await console.as('olga');
  await olga.send(`/console/quarantine/${first?.id}/retry`, { reason: 'upgraded' });
  const listed = async (state: string) =>
    [
      ...(await olga.get(`/console/quarantine?state=${state}`)).matchAll(/<tr id="row-(qtn_\w+)"/g),
    ].map(([, id]) => id === first?.id);
  expect(await listed('kept')).toEqual([false]);
  expect(await listed('retried')).toEqual([true]);
  expect(await listed('')).toEqual([false, true]);
});

test('a body leads to its own break, and not to that of another body', async () => {
  const { console } = await withKept();
  await console.open.deliver({ id: 'other', stream: 'weather' });
  await console.open.deliver({ id: 'strange', stream: 'weather', note: 'another body' });
  const about = new Map(
    console.open.breaks().map(({ break_id: id, type, key }) => [`${type} ${key}`, id]),
  );
  const vera = await console.as('vera');
  const rows = console.open.rows<{ id: string; of: string }>(
    'SELECT quarantine_id AS id, notification_id AS of FROM quarantine ORDER BY seq',
  );
  const links: string[] = [];
  for (const { id } of rows) {
    const page = await vera.get(`/console/quarantine/${id}`);
    links.push(/href="\/console\/breaks\/(brk_\w+)"/.exec(page)?.[1] ?? '');
  }
  expect(links).toEqual([
    about.get('quarantined ["quarantined","strange"]'),
    about.get('quarantined ["quarantined","other"]'),
    about.get('id_conflict ["id_conflict","strange"]'),
  ]);
});

test('a retry from a page that is out of date is refused, and says what changed', async () => {
  const console = await consoleUnderTest();
  await keepUnderstood(console, 1);
  const [row] = console.open.rows<{ id: string }>('SELECT quarantine_id AS id FROM quarantine');
  const path = `/console/quarantine/${row?.id}`;
  const olga = await console.as('olga');
  const page = await olga.get(path);
  const basis = (/name="basis" value="([^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&quot;', '"');
  const retry = { basis, reason: 'after the upgrade' };
  expect(words(await olga.send(`${path}/retry`, retry))).toContain('The body was read again');
  const changed = 'It changed since you read it: its state was kept and is retried now';
  expect(words(await olga.send(`${path}/retry`, retry))).toContain(changed);
  const bulk = { kept: row?.id ?? '', reason: 'all' };
  expect(words(await olga.send('/console/quarantine/retry', bulk))).toContain(changed);
});

test('a quarantine of a state that does not exist is not found', async () => {
  const console = await consoleUnderTest();
  const olga = await console.as('olga');
  expect((await olga.request('/console/quarantine?state=lost')).status).toBe(404);
  expect((await olga.request('/console/quarantine?state=')).status).toBe(200);
});
