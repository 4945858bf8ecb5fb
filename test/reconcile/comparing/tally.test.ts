import { expect, test } from 'vitest';
import { breakKey, finding } from '../../../src/domain/break/break.ts';
import { Tally } from '../../../src/reconcile/comparing/tally.ts';

test('every comparison ends in exactly one count', () => {
  const tally = new Tally();
  const found = finding('conservation', { key: breakKey('conservation', 'x'), detail: 'x' });
  tally.add({ kind: 'matched' });
  tally.add({ kind: 'matched' });
  tally.add({ kind: 'break', finding: found });
  tally.add({ kind: 'exempt', rule: 'rebate' });
  tally.add({ kind: 'exempt', rule: 'rebate' });
  tally.add({ kind: 'skipped', cause: 'in_grace' });
  tally.add({ kind: 'skipped', cause: 'in_grace' });
  tally.add({ kind: 'skipped', cause: 'unknown_status' });
  expect(tally.counts()).toEqual({
    matched: 2,
    broken: 1,
    exempt: { rebate: 2 },
    skipped: { in_grace: 2, unknown_status: 1 },
  });
});

test('several skips of a cause are counted at once, and none at all leaves no trace', () => {
  const tally = new Tally();
  tally.skip('api_unavailable', 3);
  tally.skip('rate_budget', 0);
  expect(tally.counts()).toEqual({
    matched: 0,
    broken: 0,
    exempt: {},
    skipped: { api_unavailable: 3 },
  });
});
