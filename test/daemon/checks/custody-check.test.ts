import { expect, test } from 'vitest';
import { checkOthers } from '../../../src/daemon/checks/custody-check.ts';

test.for([
  [1, 'v1, which'],
  [5, 'v1, v2, v3, v4, v5, which'],
  [7, 'v1, v2, v3, v4, v5 and 2 more, which'],
] as const)(
  'of %d vaults that custody.vaults leaves out, the doctor names %s',
  ([count, named]) => {
    const others = Array.from({ length: count }, (_, index) => `v${index + 1}`);
    const [said] = checkOthers(others);
    expect(said).toMatchObject({ check: 'vaults', status: 'warning' });
    expect(said?.detail).toContain(`this API client also sees ${named}`);
  },
);

test('without such vaults the doctor says nothing of them', () => {
  expect(checkOthers([])).toEqual([]);
});
