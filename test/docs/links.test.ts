import { expect, test } from 'vitest';
import { anchorOf, brokenLinks, linksOf } from './links.ts';
import { readPage, readPages } from './reading/page.ts';

test('every link and every path in a page leads somewhere', () => {
  const pages = readPages();
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

test.for([
  ['a file that is not there', '[a](docs/none.md)'],
  ['a heading that is not there', '[a](docs/README.md#no-such-heading)'],
  ['a heading of its own that is not there', '[a](#no-such-heading)'],
  ['a source that is not there', 'as `src/none.ts` does'],
  ['a source of a room that is not there', 'as `domain/none.ts` does'],
] as const)('a link to %s is found', ([, text]) => {
  expect(brokenLinks({ path: 'README.md', text: `# A page\n\n${text}\n` })).toHaveLength(1);
});

test('links that lead somewhere are not found', () => {
  const text =
    '# A page\n\n[a](docs/README.md) [b](#a-page) [c](https://example.com) `src/main.ts`\n';
  expect(brokenLinks({ path: 'README.md', text })).toEqual([]);
});

test.for([
  ['5. Write the configuration', '5-write-the-configuration'],
  ['/readyz', 'readyz'],
  ['reversal_after_credit', 'reversal_after_credit'],
  ['What `verify` says, and why', 'what-verify-says-and-why'],
] as const)('the anchor of "%s" is %s', ([heading, anchor]) => {
  expect(anchorOf(heading)).toBe(anchor);
});

test('the index of the documentation names every page, and the README is short', () => {
  const linked = linksOf(readPage('docs/README.md'));
  const pages = readPages().map(({ path }) => path);
  const missed = pages.filter(
    (path) => path.startsWith('docs/') && path !== 'docs/README.md' && !linked.includes(path),
  );
  expect(missed).toEqual([]);
  expect(readPage('README.md').text.split('\n').length).toBeLessThanOrEqual(250);
});
