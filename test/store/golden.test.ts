import { expect, test } from 'vitest';
import { traceNames } from '../house/trace.ts';
import { expectState, playTrace } from './golden.ts';
import { openLedger } from './open-ledger.ts';

test.for(traceNames())(
  '%s: the books, the chain view, deposits and breaks are as expected',
  async (name) => {
    const { outcomes, expected, replicas, state } = await playTrace(name, openLedger);
    expect(outcomes).toEqual(expected);
    for (const replica of replicas) expectState(replica, state);
  },
);
