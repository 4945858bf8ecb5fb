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

test('resolving the break is no way to credit its deposit: both forms say so', async () => {
  const console = await withUnknownMemo();
  const { id } = console.open.openBreak('unattributed_memo');
  const olga = await console.as('olga');
  expect(words(await olga.get('/console/breaks?type=unattributed_memo&chosen=all'))).toContain(
    'Resolving an unattributed memo credits nothing: the deposit stays held until somebody names its owner.',
  );
  expect(words(await olga.get(`/console/breaks/${id}`))).toContain(
    'It credits nothing: the deposit stays held until somebody names its owner. Reason',
  );
});

test('the step that sends a person to the deposit links its page', async () => {
  const console = await withUnknownMemo();
  const { id } = console.open.openBreak('unattributed_memo');
  const vera = await console.as('vera');
  expect(await vera.get(`/console/breaks/${id}`)).toMatch(
    new RegExp(
      `operator opens\\s*<a href="/console/deposits/${console.open.depositId()}">the deposit</a>, chooses Name owner`,
    ),
  );
  expect(await vera.get('/console/breaks/guide')).toContain(
    'An operator opens the deposit, chooses',
  );
});
