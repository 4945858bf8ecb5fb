import { expect, test } from 'vitest';
import { Acknowledgements } from '../../../../src/commands/demo/receivers/acknowledgements.ts';
import { servedProductApi } from '../product-api-server.ts';

/** A delivery that a receiver answered with 200. */
function acknowledged(id: string, status: string, beganAtMs = performance.now()) {
  const [body, answer] = [{ id }, { status }].map((value) => Buffer.from(JSON.stringify(value)));
  if (body === undefined || answer === undefined) throw new Error('there are two values');
  return { beganAtMs, status: 200, body, answer };
}

test.each([
  ['kept', ['accepted', 'duplicate'], []],
  ['taken as new a second time', ['accepted', 'accepted'], ['known']],
  ['taken as new after a duplicate', ['duplicate', 'accepted'], ['known']],
])('a notification that is %s', async (_, statuses, lost) => {
  const { store, service, api } = await servedProductApi();
  const webhook = service.confirmed(1);
  const { id } = webhook;
  await store.open.deliver(webhook);
  const acknowledgements = new Acknowledgements();
  for (const status of statuses) acknowledgements.take(acknowledged(id, status));
  expect(acknowledgements.count).toBe(1);
  expect(await acknowledgements.lost(api)).toEqual(lost.map(() => id));
});

test('an acknowledged notification that the journal lacks is lost; a refused one is not', async () => {
  const { api } = await servedProductApi();
  const acknowledgements = new Acknowledgements();
  acknowledgements.take(acknowledged('n-1', 'accepted'));
  acknowledgements.take({ ...acknowledged('n-2', 'accepted'), status: 503 });
  expect(await acknowledgements.lost(api)).toEqual(['n-1']);
});

test('only a delivery that begins after the question counts as the next one', async () => {
  const acknowledgements = new Acknowledgements();
  const over = new AbortController();
  const before = performance.now() - 1;
  const next = acknowledgements.next(over.signal);
  acknowledgements.take(acknowledged('n-1', 'accepted', before));
  acknowledgements.take({ ...acknowledged('n-2', 'accepted', Infinity), status: 503 });
  over.abort();
  expect(await next).toBe(false);

  const again = acknowledgements.next(new AbortController().signal);
  acknowledgements.take(acknowledged('n-3', 'accepted', Infinity));
  expect(await again).toBe(true);
});
