import { expect, test } from 'vitest';
import { STYLESHEET } from '../../src/console/stylesheet.ts';

/** What is declared for a selector outside of media queries, alone or in a list. */
function declarationsOf(wanted: string): string {
  const [everywhere = ''] = STYLESHEET.split(/@media \(max-width/);
  return [...everywhere.matchAll(/([^{}]+)\{([^{}]*)\}/g)]
    .filter(([, selectors = '']) => selectors.split(',').some((one) => one.trim() === wanted))
    .map(([, , declarations = '']) => declarations.trim())
    .join(' ');
}

test('cards and the row of counts are framed, and the counts alone lie in six columns', () => {
  expect(declarationsOf('.card')).toContain('border: 1px solid');
  expect(declarationsOf('.card')).toContain('padding: 18px 20px');
  expect(declarationsOf('.card')).not.toContain('grid');
  expect(declarationsOf('.tiles')).toContain('border: 1px solid');
  expect(declarationsOf('.tiles')).toContain('grid-template-columns: repeat(6, 1fr)');
});

test('no rule names a selector twice', () => {
  const lists = [...STYLESHEET.matchAll(/([^{}]+)\{/g)].map(([, selectors = '']) =>
    selectors.split(',').map((selector) => selector.trim()),
  );
  expect(lists.filter((list) => new Set(list).size < list.length)).toEqual([]);
});
