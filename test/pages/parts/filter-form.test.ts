import { expect, test } from 'vitest';
import { FoldedFilter } from '../../../src/pages/parts/form/filter-form.tsx';

const REASONS = [{ value: 'memo_required', label: 'memo required' }];

test.for([
  ['a text as it was written', { value: 'order_2' }, 'Filter: Order order_2'],
  [
    'a choice by its label',
    { value: 'memo_required', options: REASONS },
    'Filter: Order memo required',
  ],
  ['a choice that is none by its value', { value: 'a_b', options: REASONS }, 'Filter: Order a_b'],
  ['nothing of an empty field', { value: undefined }, 'Filter'],
] as const)('the summary of a filter shows %s', async ([, field, summary]) => {
  const fields = [{ name: 'order', label: 'Order', ...field }];
  const html = (await FoldedFilter({ action: '/list', fields, open: false })).toString();
  expect(html).toContain(`<summary class="button">${summary}</summary>`);
});
