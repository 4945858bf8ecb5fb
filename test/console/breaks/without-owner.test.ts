import { expect, test } from 'vitest';
import { consoleUnderTest, words, type ConsoleUnderTest } from '../console-under-test.ts';

/** A deposit with a memo that nobody registered, and its break. */
async function withUnknownMemo(): Promise<ConsoleUnderTest> {
  const console = await consoleUnderTest();
  await console.open.deliver(console.service.confirmed(1, { memo: '2002' }));
  return console;
}

test('every page asks for the owner: a memo that is registered later ends no hold', async () => {
  const console = await withUnknownMemo();
  const { id } = console.open.openBreak('unattributed_memo');
  const vera = await console.as('vera');
  for (const link of [
    '/console',
    '/console/breaks',
    `/console/breaks/${id}`,
    `/console/deposits/${console.open.depositId()}`,
    '/console/breaks.csv',
  ]) {
    const page = words(await vera.get(link));
    expect(page).toContain('not registered: name its owner, and register the memo for later');
    expect(page).not.toContain('or register the memo');
  }
});
