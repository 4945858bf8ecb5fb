import { expect, test } from 'vitest';
import { consoleUnderTest, words } from '../console-under-test.ts';

const EMPTY = [
  ['/console/quarantine', 'The quarantine is empty.'],
  ['/console/breaks', 'No break matches.'],
  ['/console/runs', 'No reconciliation has run yet.'],
] as const;
const NEVER_EMPTY = ['/console/policy/history', 'No crediting policy was set yet.'] as const;

test.for(EMPTY)('%s without an item says so', async ([path, empty]) => {
  const vera = await (await consoleUnderTest()).as('vera');
  expect(words(await vera.get(path))).toContain(empty);
});

test.for([...EMPTY, NEVER_EMPTY])(
  'a page of %s after its end does not say that the list is empty',
  async ([path, empty]) => {
    const console = await consoleUnderTest();
    const { open, service } = console;
    const olga = await console.as('olga');
    await open.deliver({ ...service.confirmed(1), id: 'strange', stream: 'weather' });
    await olga.send('/console/runs', { reason: 'asked' });
    const page = words(await olga.get(`${path}?page=5`));
    expect(page).toMatch(/After the end: the list has \d/);
    expect(page).not.toContain(empty);
  },
);
