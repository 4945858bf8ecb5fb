import fc from 'fast-check';
import { closeOf, dayNumber } from '../close/closing.ts';
import { factOf, START, type OpenLedger } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;

/** Midnight after the n-th day. */
export function midnightAfter(day: number): number {
  return Date.parse(dayNumber(day + 1));
}

/** Closes the n-th day at a time. */
export function close(open: OpenLedger, day: number, at: number) {
  const record = closeOf(open, { day: dayNumber(day), cutOffAt: midnightAfter(day) });
  return open.commit([{ kind: 'custody-record', at, record }]);
}

/** One fact: an event of one of a few hashes, and how far the clock moved before it. */
const step = fc.record({
  advanceMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 9 * HOUR_MS }) },
    // Clocks may be set back, or ahead for a while.
    { weight: 1, arbitrary: fc.integer({ min: -30 * HOUR_MS, max: 0 }) },
  ),
  ahead: fc.oneof(
    { weight: 12, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 * DAY_MS }) },
  ),
  hash: fc.integer({ min: 0, max: 5 }),
  what: fc.constantFrom('confirmed', 'rollback', 'chain', 'mined'),
  closesFirst: fc.boolean(),
});

/** Days of events under a clock that people set back and forth. */
export const clockedSteps = fc.array(step, { minLength: 10, maxLength: 40 });

/** Moments around these days, Unix milliseconds. */
export const someMoments = (count: number) =>
  fc.array(
    fc.integer({ min: -DAY_MS, max: 12 * DAY_MS }).map((ms) => START + ms),
    { minLength: count, maxLength: count },
  );

/** Commits the events, and closes days that are due before some of them; how many were closed. */
export async function play(
  open: OpenLedger,
  steps: readonly (typeof clockedSteps extends fc.Arbitrary<(infer Step)[]> ? Step : never)[],
): Promise<number> {
  const service = new Service();
  let [now, nextDay, daysClosed] = [START, 0, 0];
  for (const { advanceMs, ahead, hash, what, closesFirst } of steps) {
    now += advanceMs;
    const due = closesFirst ? now : START;
    while (due >= midnightAfter(nextDay)) {
      const [outcome] = await close(open, nextDay, now);
      if (outcome?.kind === 'taken') daysClosed += 1;
      nextDay += 1;
    }
    const position = { blockchainHash: `0x${hash}`, addressId: `adr-${hash % 3}` };
    const body = {
      confirmed: () => service.confirmed(1, position),
      rollback: () => service.incoming('rollback', position),
      chain: () => service.chain('transaction', { blockchainHash: `0x${hash}` }),
      mined: () =>
        service.outgoing('mined', { blockchainHash: `0x${hash}`, transactionId: `wd-${hash}` }),
    }[what]();
    await open.commit([factOf(body, now + ahead)]);
  }
  return daysClosed;
}
