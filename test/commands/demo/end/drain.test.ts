import { expect, test } from 'vitest';
import { consumeCredits } from '../../../../src/commands/demo/people/consumer.ts';
import type { ProductApi } from '../../../../src/commands/demo/product-api.ts';
import { untilArrived } from '../../../../src/commands/demo/end/drain.ts';
import { verifyWith } from '../../../store/evidence.ts';
import { servedProductApi } from '../product-api-server.ts';

const NOTHING = { deposits: 0, acknowledgements: 0, reversals: 0, incomplete: null };

/** Waits for the end of the demo. One step runs between two readings; a reading takes a minute. */
async function lookBetween(
  api: ProductApi,
  steps: readonly (() => unknown)[],
  options: { idleMinutesMax?: number; isBalanced?: () => boolean } = {},
) {
  const { idleMinutesMax = 0, isBalanced = () => true } = options;
  const left = [...steps];
  let looks = 0;
  const outstanding = await untilArrived(api, {
    isBalanced: async () => isBalanced(),
    idleMsMax: idleMinutesMax,
    now: () => looks,
    pause: async () => {
      looks += 1;
      await left.shift()?.();
    },
  });
  return { outstanding, pauses: looks };
}

/** Reads the feed once, and acknowledges what is in it. */
async function consumeOnce(api: ProductApi) {
  const ended = new AbortController();
  const consuming = consumeCredits(api, ended.signal);
  ended.abort();
  return consuming;
}

const nothingHappens = () => undefined;

test('the end waits for deposits under way, and then for the consumer to acknowledge their credits', async () => {
  const { store, api } = await servedProductApi();
  const consume = async () =>
    expect(await consumeOnce(api)).toEqual({ acknowledged: 1, refused: 0 });
  const steps = [nothingHappens, () => verifyWith(store.open), nothingHappens, consume];
  const { outstanding, pauses } = await lookBetween(api, steps, { idleMinutesMax: 9 });
  expect([outstanding, pauses]).toEqual([NOTHING, 4]);
});

test('a change resets the time that the end may wait without one', async () => {
  const { store, api } = await servedProductApi();
  // No idle time is allowed: each reading that finds no change would be the last.
  const steps = [() => verifyWith(store.open), () => consumeOnce(api)];
  expect(await lookBetween(api, steps)).toEqual({ outstanding: NOTHING, pauses: 2 });
});

test('when nothing changes any more, the result names what is outstanding', async () => {
  const { store, api } = await servedProductApi();
  const before = await lookBetween(api, [], { idleMinutesMax: 3 });
  expect(before).toEqual({ outstanding: { ...NOTHING, deposits: 1 }, pauses: 3 });
  await verifyWith(store.open);
  const after = await lookBetween(api, [], { idleMinutesMax: 3 });
  expect(after).toEqual({ outstanding: { ...NOTHING, acknowledgements: 1 }, pauses: 3 });
});

test('books that are not balanced yet are waited for, but not for ever', async () => {
  const { store, api } = await servedProductApi();
  await verifyWith(store.open);
  await consumeOnce(api);
  let balanced = false;
  const steps = [nothingHappens, () => (balanced = true)];
  const options = { idleMinutesMax: 3, isBalanced: () => balanced };
  expect(await lookBetween(api, steps, options)).toEqual({ outstanding: NOTHING, pauses: 2 });
  balanced = false;
  expect(await lookBetween(api, [], options)).toEqual({ outstanding: NOTHING, pauses: 3 });
});

test('a credit that was reversed before it was acknowledged is counted as refused', async () => {
  const { store, service, api } = await servedProductApi();
  await verifyWith(store.open);
  await store.open.deliver(service.incoming('rollback'));
  await verifyWith(store.open, { status: 'rolledback' });
  expect(await consumeOnce(api)).toEqual({ acknowledged: 0, refused: 1 });
  expect((await lookBetween(api, [])).outstanding).toEqual(NOTHING);
});
