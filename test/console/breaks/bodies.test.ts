import { expect, test } from 'vitest';
import { consoleUnderTest, PUBLIC, words } from '../console-under-test.ts';
import { severalBreaks } from './several-breaks.ts';

test('a conflict shows both bodies, exactly as received', async () => {
  const console = await severalBreaks();
  const { id } = console.open.openBreak('id_conflict');
  const text = words(await (await console.as('audra')).get(`/console/breaks/${id}`));
  expect(text).toMatch(/The first body, which counts .* \{"id":"ntf-3",.*"stream":"incoming"/);
  expect(text).toMatch(/The second body, which changes nothing .* \{"id":"ntf-3","other":"body"\}/);
});

test('nobody sees a body in a public console', async () => {
  const console = await consoleUnderTest(PUBLIC);
  await console.open.deliver({ id: 'strange', stream: 'weather' });
  const { id } = console.open.openBreak('quarantined');
  const page = words(await console.stranger.get(`/console/breaks/${id}`));
  expect(page).toContain('What to do');
  expect(page).not.toContain('weather"');
  expect(page).not.toContain('Resolve…');
});
