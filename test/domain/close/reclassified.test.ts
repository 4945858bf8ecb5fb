import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { reclassifiedOf } from '../../../src/domain/close/reclassified.ts';
import { NO_EFFECTS, type Effects } from '../../../src/domain/money/roll-forward.ts';

type Some = Partial<Record<keyof Effects, bigint>>;

function effects(some: Some): Effects {
  const amounts = Object.entries(some).map(([name, amount]) => [name, Amount(amount)]);
  return { ...NO_EFFECTS, ...(Object.fromEntries(amounts) as Partial<Effects>) };
}

const CASES: [why: string, before: Some, change: Some, are: string[]][] = [
  [
    'a deposit that is an own transfer',
    { deposits: 5n },
    { deposits: -5n, internal: 5n },
    ['5 from deposits to internal'],
  ],
  [
    'a withdrawal that is an own transfer keeps the sign of what left the vault',
    { withdrawals: -111n },
    { withdrawals: 111n, internal: -111n },
    ['-111 from withdrawals to internal'],
  ],
  [
    'a part of a withdrawal',
    { withdrawals: -100n },
    { withdrawals: 30n, change: -30n },
    ['-30 from withdrawals to change'],
  ],
  [
    'an own transfer that is a deposit after all',
    { internal: 5n },
    { internal: -5n, deposits: 5n },
    ['5 from internal to deposits'],
  ],
  [
    'a withdrawal of which a part came back and a part went to an own vault',
    { withdrawals: -100n },
    { withdrawals: 70n, change: -30n, internal: -40n },
    ['-40 from withdrawals to internal', '-30 from withdrawals to change'],
  ],
  ['nothing', { deposits: 5n }, {}, []],
];

test.for(CASES)('%s', ([, before, change, are]) => {
  const found = reclassifiedOf(effects(before), effects(change));
  expect(found.map(({ from, to, amount }) => `${amount} from ${from} to ${to}`)).toEqual(are);
});
