import { expect, test } from 'vitest';
import {
  contradictionIn,
  handleIncoming,
} from '../../../../src/domain/deposit/incoming-handler.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { EMPTY_HASH_STATE, type HashState } from '../../../../src/domain/hash/hash-state.ts';
import { AssetId } from '../../../../src/domain/ids.ts';
import type { IncomingNotification } from '../../../../src/domain/fact/notification.ts';
import { balanceChange } from '../../../store/evidence.ts';
import { incomingOf } from './incoming.ts';
import { ruleContext, DUE } from '../../records.ts';

const MANY = 500;
/** Looks at one deposit: to find it, to judge it, and to say what is wrong with it. */
const FEW = 8;

function assets(name: string): AssetId[] {
  return Array.from({ length: MANY }, (_, at) => AssetId(`ethereum:${name}${at}`));
}

/** A hash with deposits of many assets at one address. It counts how often an asset is read. */
function watched(): { hashState: HashState; looks: () => number } {
  let looks = 0;
  const deposits = assets('C').map((asset): Deposit =>
    Object.defineProperty({ ...DUE }, 'asset', {
      enumerable: true,
      get: () => {
        looks += 1;
        return asset;
      },
    }),
  );
  return { hashState: { ...EMPTY_HASH_STATE, deposits }, looks: () => looks };
}

const listed = (names: AssetId[], amount: bigint) =>
  names.map((asset) => balanceChange(amount, { asset }));

const WORDS: [what: string, notification: IncomingNotification][] = [
  ['the same amounts', incomingOf(listed(assets('C'), 100n))],
  ['other amounts', incomingOf(listed(assets('C'), 7n))],
  ['other assets', incomingOf(listed(assets('D'), 7n))],
  ['no amounts', incomingOf(null)],
  ['a rollback', incomingOf(listed(assets('D'), 7n), 'rollback')],
];

test.for(WORDS)('each of many deposits is read a few times for %s', ([_, notification]) => {
  const { hashState, looks } = watched();
  handleIncoming(hashState, notification, ruleContext());
  expect(looks()).toBeLessThanOrEqual(FEW * MANY);
});

test.for(WORDS.slice(0, 3))('and for what a repeat says of %s', ([_, notification]) => {
  const { hashState, looks } = watched();
  contradictionIn(hashState, notification);
  expect(looks()).toBeLessThanOrEqual(FEW * MANY);
});
