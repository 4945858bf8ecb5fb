import { expect, test } from 'vitest';
import { changedSince, versionText } from '../../../src/domain/fact/basis.ts';
import { decimalsParts } from '../../../src/domain/fact/pinned-decimals.ts';

test('a correction of decimals is stale when others replaced them since', () => {
  const basis = versionText(decimalsParts(18));
  expect(changedSince(decimalsParts(18), basis)).toBe(null);
  expect(changedSince(decimalsParts(6), basis)).toContain('number of decimals was 18 and is 6 now');
});
