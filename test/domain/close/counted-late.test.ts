import { expect, test } from 'vitest';
import { countedLateItems } from '../../../src/domain/close/counted-late.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { CUT_OFF, HASH_KEY } from './day-lines.ts';
import { V1 } from './inputs.ts';

test('a movement that earlier readings lacked is listed under its closed day, with no entry', () => {
  const move = {
    ...HASH_KEY,
    ...V1,
    amount: Amount(-30n),
    kind: 'outgoing',
    at: CUT_OFF,
    datedBy: 'block',
  } as const;
  expect(countedLateItems([move], (at) => `day of ${at}`)).toEqual([
    {
      reason: 'custody_late',
      day: `day of ${CUT_OFF}`,
      ...HASH_KEY,
      ...V1,
      amount: '-30',
      entryId: null,
      eventAt: new Date(CUT_OFF).toISOString(),
      detail: 'an earlier reading of custody lacked it; this close asked for its hash',
      datedBy: 'block',
    },
  ]);
});
