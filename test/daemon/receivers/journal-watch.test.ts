import { expect, test } from 'vitest';
import { JournalWatch } from '../../../src/daemon/receivers/journal-watch.ts';
import type { JournalState } from '../../../src/store/replicated/journal-state.ts';

const STATE: JournalState = {
  standby: 'missing',
  standbyLagBytes: null,
  clockAheadMs: 0,
  leaseLeftMs: 2_000,
  namesakeUrl: null,
  receivers: [{ name: 'b', role: 'owner', silentMs: null, position: 7 }],
};

test('while the journal cannot be reached, its warnings stay, and no receiver is said to be well', () => {
  const watch = new JournalWatch({
    log: { info: () => undefined, warn: () => undefined },
    metrics: { journal: () => undefined },
    name: 'a',
    isRequired: true,
  });
  watch.take(STATE);
  expect(watch.receivers).toEqual(STATE.receivers);
  const { warnings } = watch;
  expect(warnings).toHaveLength(1);
  watch.take(null);
  expect([watch.receivers, watch.warnings]).toEqual([[], warnings]);
});
