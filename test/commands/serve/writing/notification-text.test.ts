import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  notificationsIn,
  textOf,
} from '../../../../src/commands/serve/writing/notification-text.ts';
import { packed, unpacked } from '../../../../src/commands/serve/writing/batch.ts';
import { Amount } from '../../../../src/domain/amount.ts';
import type { Notification } from '../../../../src/domain/notification.ts';
import { decode } from '../../../../src/intake/decode.ts';
import { readTrace, trace, traceNames } from '../../../house/trace.ts';
import { balanceChange } from '../../../store/evidence.ts';
import { deliveryOf, START } from '../../../store/open-ledger.ts';
import { change, Service } from '../../../store/webhook.ts';

function bodiesOf(name: string): unknown[] {
  return trace
    .parse(readTrace(name))
    .steps.flatMap((step) => ('deliver' in step ? [step.deliver] : []));
}

const BODIES = traceNames().flatMap(bodiesOf);
const NOTIFICATIONS = BODIES.flatMap((body): Notification[] => {
  const decoded = decode(Buffer.from(JSON.stringify(body)));
  return decoded.kind === 'notification' ? [decoded.notification] : [];
});

test('every notification of the golden traces crosses as it was read', () => {
  const streams = new Set(NOTIFICATIONS.map(({ stream }) => stream));
  expect([...streams].sort()).toEqual(['blockchain', 'incoming', 'outgoing']);
  expect(notificationsIn(textOf([...NOTIFICATIONS, null]))).toEqual([...NOTIFICATIONS, null]);
});

test('amounts of any size cross, and no list of changes is not an empty one', () => {
  const [notification] = NOTIFICATIONS;
  if (notification === undefined) throw new Error('no trace has a notification');
  const amounts = fc.array(fc.bigInt({ min: -(10n ** 78n), max: 10n ** 78n }));
  fc.assert(
    fc.property(fc.option(amounts), (given) => {
      const changes = given?.map((amount) => balanceChange(Amount(amount))) ?? null;
      const told: Notification = { ...notification, changes };
      expect(notificationsIn(textOf([told]))).toEqual([told]);
    }),
  );
});

test('the writer is told what a body says, unless it is none, large or known to be flawed', () => {
  const other = { ...deliveryOf('{"id":"x"}', START) };
  const large = deliveryOf(`${JSON.stringify(BODIES[0])}${' '.repeat(40_000)}`, START);
  const flawed = { ...deliveryOf(BODIES[0] ?? {}, START), defect: 'a bug' };
  const small = BODIES.map((body) => deliveryOf(body ?? {}, START));
  const all = [other, ...small, large, flawed];
  const arrived = unpacked(packed(1, all, decode));
  const told = arrived.map((one) => (one.kind === 'delivery' ? one.notification : null));
  const read = small.map(({ raw }) => {
    const decoded = decode(raw);
    return decoded.kind === 'notification' ? decoded.notification : undefined;
  });
  expect(told).toEqual([undefined, ...read, undefined, undefined]);
  expect(told.filter((one) => one !== undefined).length).toBeGreaterThan(50);
});

test('a body that names its place once for many changes is left to the writer: as text it would be hundreds of times as long', () => {
  const body = (place: string, count: number) =>
    deliveryOf(
      new Service().confirmed(1, {
        accountId: place,
        balanceChanges: Array.from({ length: count }, () => change('1')),
      }),
      START,
    );
  const [long, usual] = [body('a'.repeat(10_000), 400), body('acc-1', 500)];
  const batch = packed(1, [long, usual], decode);
  expect(batch.notifications.length).toBeLessThan(long.raw.length + usual.raw.length);
  const told = unpacked(batch).map((one) => one.kind === 'delivery' && one.notification);
  expect(told).toEqual([undefined, expect.objectContaining({ accountId: 'acc-1' })]);
});
