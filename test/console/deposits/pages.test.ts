import { expect, test } from 'vitest';
import { consoleUnderTest, words, type ConsoleUnderTest } from '../console-under-test.ts';
import { hashesIn } from './listed-hashes.ts';

const PATH = '/console/deposits';

/** A console over 51 deposits: one more than a page holds. */
async function fullConsole(): Promise<ConsoleUnderTest> {
  const console = await consoleUnderTest();
  const { open, service } = console;
  for (let number = 1; number <= 51; number += 1) {
    await open.deliver(service.confirmed(1, { blockchainHash: `0x${number}` }));
  }
  return console;
}

/** Where a page's link leads; empty without one. */
function linkIn(page: string, rel: 'next' | 'prev'): string {
  const [, link = ''] = new RegExp(`href="([^"]*)" rel="${rel}"`).exec(page) ?? [];
  return link.replaceAll('&amp;', '&');
}

test('fifty deposits fill a page; the next one goes on, and leads back', async () => {
  const vera = await (await fullConsole()).as('vera');
  const next = linkIn(await vera.get(`${PATH}?vaultId=v1`), 'next');
  expect(next).toMatch(/^\/console\/deposits\?vaultId=v1&after=dep_/);
  const second = await vera.get(next);
  expect(hashesIn(second)).toEqual(['0x1']);
  expect(hashesIn(await vera.get(linkIn(second, 'prev')))).toHaveLength(50);
});

test('a page that has lost its deposits does not say that none is like this', async () => {
  const console = await fullConsole();
  const { open, service } = console;
  const vera = await console.as('vera');
  const next = linkIn(await vera.get(`${PATH}?state=confirming`), 'next');
  await open.deliver(service.incoming('rollback', { blockchainHash: '0x1' }));
  const second = words(await vera.get(next));
  expect(second).not.toContain('No deposit is like this.');
  expect(second).toMatch(/Previous 0 of 50 Next/);
});

test.for(['after', 'before'])(
  'a page %s a deposit that does not exist is not found',
  async (side) => {
    const console = await consoleUnderTest();
    await console.open.deliver(console.service.confirmed(1));
    const vera = await console.as('vera');
    const answer = await vera.request(`${PATH}?${side}=dep_none`);
    expect([answer.status, words(await answer.text())]).toEqual([
      404,
      expect.stringContaining(
        'There is no deposit dep_none, at which this page of the list begins.',
      ),
    ]);
  },
);
