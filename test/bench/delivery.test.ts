import { expect, test } from 'vitest';
import { notification } from '../../src/wire/notification.ts';
import { Deliveries } from './delivery.ts';

test('every delivery of the bench is a valid notification of another deposit, of about 1.5 KB', () => {
  const deliveries = new Deliveries();
  const bodies = Array.from({ length: 5_001 }, () => deliveries.next());
  const parsed = bodies.map((body) => notification.parse(JSON.parse(body.toString('utf8'))));
  expect(new Set(parsed.map(({ id }) => id)).size).toBe(bodies.length);
  expect(new Set(parsed.map(({ blockchainHash }) => blockchainHash)).size).toBe(bodies.length);
  expect(new Set(parsed.map(({ transactionId }) => transactionId)).size).toBe(bodies.length);
  expect(new Set(parsed.map(({ vaultId }) => vaultId)).size).toBe(500);
  const addresses = parsed.map((one) => ('addressId' in one ? one.addressId : null));
  expect(new Set(addresses).size).toBe(5_000);
  const lengths = bodies.map((body) => body.length);
  expect(Math.min(...lengths)).toBeGreaterThan(1_400);
  expect(Math.max(...lengths)).toBeLessThan(1_600);
});
