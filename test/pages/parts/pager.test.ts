import { expect, test } from 'vitest';
import { PageLinks } from '../../../src/pages/parts/list/pager.tsx';

/** 0-based page and number of items, at 50 on a page → previous page, text, next page. */
test.for([
  [0, 50, null, '', null],
  [0, 51, null, '1–50 of 51', 1],
  [1, 51, 0, '51–51 of 51', null],
  [1, 120, 0, '51–100 of 120', 2],
  [5, 120, 2, 'After the end: the list has 120', null],
  [5, 50, 0, 'After the end: the list has 50', null],
  [5, 0, 0, 'After the end: the list has 0', null],
] as const)('page %d of %d items', async ([page, total, previous, text, next]) => {
  const found = { page, pageSize: 50, total };
  const links = PageLinks({ found, href: (number) => `/list?page=${number}` });
  const html = (await links).toString();
  const linked = (rel: string) =>
    new RegExp(`href="/list\\?page=(\\d+)" rel="${rel}"`).exec(html)?.[1];
  const shown = /<span class="muted">([^<]*\d[^<]*)<\/span>/.exec(html)?.[1] ?? '';
  expect([linked('prev'), shown, linked('next')]).toEqual([
    previous === null ? undefined : String(previous),
    text,
    next === null ? undefined : String(next),
  ]);
});
