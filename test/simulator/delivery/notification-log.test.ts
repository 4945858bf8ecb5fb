import { expect, test } from 'vitest';
import { NotificationLog } from '../../../src/simulator/delivery/notification-log.ts';
import { State } from '../../../src/simulator/state/state.ts';
import type { Notification } from '../../../src/wire/notification.ts';

const DELIVERED_MAX = 200;

function notification(id: string): Notification {
  return { id, timestamp: 0, vaultId: 'v', stream: 'outgoing', type: 'requested' } as Notification;
}

test('a pending notification is kept, and finished ones are deleted all the same', () => {
  const rows = new State({ seed: 1 }).table('notifications');
  const log = new NotificationLog(
    rows as ConstructorParameters<typeof NotificationLog>[0],
    DELIVERED_MAX,
  );
  log.add('dead', notification('first'), 0);
  for (let count = 0; count < 10 * DELIVERED_MAX; count += 1) {
    const { id } = log.add('living', notification(`n${count}`), 0);
    log.update(id, { status: 'delivered' });
    expect(rows.size).toBeLessThanOrEqual(DELIVERED_MAX + 2);
  }
  expect(log.get('first')?.status).toBe('pending');
  expect(log.get('n0')).toBeUndefined();
  expect(log.get(`n${9 * DELIVERED_MAX + 10}`)?.status).toBe('delivered');
});
