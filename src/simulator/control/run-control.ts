import { z } from '@hono/zod-openapi';
import { notFound, ok, refused } from '../api/answer.ts';
import { endpoint } from '../api/endpoint.ts';
import type { Endpoint } from '../api/endpoint.ts';
import { CONTROL_CALL } from './control-call.ts';
import type { ControlServices } from './control-services.ts';
import { FAULT_LISTS, faultSet } from './fault.ts';

/** The longest single advance: ten years. */
const ADVANCE_MS_MAX = 10 * 366 * 86_400_000;
/** The end of the year 9999: ISO 8601 writes later times differently. */
const TIME_MS_MAX = Date.UTC(10_000, 0) - 1;

/** The control calls for time, faults and snapshots. */
export function runControlEndpoints(services: ControlServices): Endpoint[] {
  return [...clockEndpoints(services), ...faultEndpoints(services), ...snapshotEndpoints(services)];
}

function clockEndpoints({ clock, virtualClock, realClock }: ControlServices): Endpoint[] {
  const shown = () => ({
    now: clock.now(),
    virtual: virtualClock !== undefined,
    ...(realClock?.isPaused === true ? { paused: true } : {}),
  });
  return [
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/clock',
      operation: 'simAdvanceClock',
      summary: 'Advance virtual time; answers when all that is due is done',
      body: z.strictObject({ advanceMs: z.int().min(0).max(ADVANCE_MS_MAX) }),
      handle: async ({ body }) => {
        if (virtualClock === undefined) {
          return refused('BR-1', 'The core runs on the real clock; start it with a virtual one');
        }
        if (clock.now() + body.advanceMs > TIME_MS_MAX) {
          return refused('BR-1', 'The clock ends with the year 9999');
        }
        await virtualClock.advance(body.advanceMs);
        return ok({ now: clock.now() });
      },
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'get',
      path: '/sim/clock',
      operation: 'simClock',
      summary: "The core's time, Unix epoch milliseconds",
      handle: () => ok(shown()),
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/clock/pause',
      operation: 'simPauseClock',
      summary: 'Stop the real clock: no block, no retry and no time limit until it goes on',
      handle: () => {
        realClock?.pause();
        return ok(shown());
      },
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/clock/go-on',
      operation: 'simGoOn',
      summary: "Return to the machine's time; what became due meanwhile happens at once",
      handle: () => {
        if (realClock === undefined) {
          return refused('BR-1', 'A virtual clock moves only by POST /sim/clock {"advanceMs"}');
        }
        realClock.goOn();
        return ok(shown());
      },
    }),
  ];
}

function faultEndpoints({ faults }: ControlServices): Endpoint[] {
  return [
    endpoint({
      ...CONTROL_CALL,
      method: 'put',
      path: '/sim/faults',
      operation: 'simReplaceFaults',
      summary: 'Replace the whole set of faults; {} clears it',
      body: faultSet,
      handle: async ({ body }) => {
        await faults.replace(body);
        return ok(body);
      },
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'get',
      path: '/sim/faults',
      operation: 'simFaults',
      summary: 'The current set of faults',
      handle: () => ok(faults.current()),
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/faults',
      operation: 'simAddFaults',
      summary: 'Switch more faults on; the others keep their counts',
      body: faultSet,
      handle: async ({ body }) => {
        await faults.add(body);
        return ok(faults.current());
      },
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'get',
      path: '/sim/faults/strikes',
      operation: 'simFaultStrikes',
      summary: 'How often each fault has struck',
      handle: () => ok({ data: faults.strikes() }),
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'delete',
      path: '/sim/faults/:list/:index',
      operation: 'simRemoveFault',
      summary: 'Switch one fault off; the others keep their counts',
      params: z.object({
        list: z.enum(FAULT_LISTS),
        index: z.coerce.number<string>().int().min(0),
      }),
      handle: async ({ params }) =>
        (await faults.remove(params))
          ? ok(faults.current())
          : notFound('Fault', `${params.list} ${params.index}`),
    }),
  ];
}

function snapshotEndpoints({ snapshots }: ControlServices): Endpoint[] {
  return [
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/snapshot',
      operation: 'simSnapshot',
      summary: 'Keep the whole state',
      handle: () => ok({ snapshotId: snapshots.take() }),
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'get',
      path: '/sim/snapshots',
      operation: 'simSnapshots',
      summary: 'The kept states, oldest first',
      handle: () => ok({ data: snapshots.list() }),
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/restore',
      operation: 'simRestore',
      summary: 'Go back to a kept state',
      body: z.strictObject({ snapshotId: z.string() }),
      handle: async ({ body: { snapshotId } }) =>
        (await snapshots.restore(snapshotId))
          ? ok({ snapshotId })
          : notFound('Snapshot', snapshotId),
    }),
    endpoint({
      ...CONTROL_CALL,
      method: 'post',
      path: '/sim/reset',
      operation: 'simReset',
      summary: 'Go back to the state right after the start',
      handle: async () => {
        await snapshots.reset();
        return ok({ reset: true });
      },
    }),
  ];
}
