import { expect, test } from 'vitest';
import { groupedBy } from '../../src/domain/grouped.ts';

test('rows are grouped in the order of first sight, and a row without a group is left out', () => {
  const rows = ['eth 1', 'usdc 2', 'eth 3', '- 4'];
  const groups = groupedBy(rows, (row) => (row.startsWith('-') ? null : (row.split(' ')[0] ?? '')));
  expect([...groups]).toEqual([
    ['eth', ['eth 1', 'eth 3']],
    ['usdc', ['usdc 2']],
  ]);
});
