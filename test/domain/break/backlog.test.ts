import { expect, test } from 'vitest';
import { handleBacklog } from '../../../src/domain/break/backlog.ts';
import { NO_CHANGES } from '../../../src/domain/hash/hash-state.ts';
import { TransactionId, VaultId } from '../../../src/domain/ids.ts';

const vaultId = VaultId('v1');
const transactionId = TransactionId('tx');
const key = '["delivery_backlog","v1"]';

test('deliveries that wait at the custody service are a break of their vault', () => {
  const since = Date.UTC(2026, 2, 1);
  const { found, ...rest } = handleBacklog(vaultId, { transactionId, since });
  expect(found).toMatchObject([
    { type: 'delivery_backlog', key, severity: 'warning', subject: { vaultId, transactionId } },
  ]);
  expect(found[0]?.detail).toContain('since 2026-03-01T00:00:00.000Z: it cannot deliver to us');
  expect({ ...rest, found: [] }).toEqual(NO_CHANGES);
});

test('once they are delivered the break is healed', () => {
  expect(handleBacklog(vaultId, null)).toEqual({
    ...NO_CHANGES,
    healed: [{ key, reason: 'what waited has been delivered' }],
  });
});
