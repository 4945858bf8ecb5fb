import { expect, test } from 'vitest';
import { consoleUnderTest, words } from '../console-under-test.ts';

test('one break is one, and two are several', async () => {
  const console = await consoleUnderTest();
  const vera = await console.as('vera');
  await console.open.deliver({ id: 'strange', stream: 'weather' });
  expect(words(await vera.get('/console/breaks'))).toContain(' 1 unresolved break ');
  expect(words(await vera.get('/console/breaks?state=all'))).toContain(' 1 break ');
  await console.open.deliver({ id: 'stranger', stream: 'weather' });
  expect(words(await vera.get('/console/breaks'))).toContain(' 2 unresolved breaks ');
});
