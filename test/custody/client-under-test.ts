import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { SharedCount } from '../../src/custody/budget/shared-count.ts';
import type { Attempt, CallOptions } from '../../src/custody/call/caller.ts';
import { CustodyClient } from '../../src/custody/client.ts';
import { ScriptedService } from './scripted-service.ts';
import { VirtualClock } from './virtual-clock.ts';

export const { privateKey: PEM } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const privateKey = createPrivateKey(PEM);

export const TRANSACTION = {
  transactionId: 'tx-1',
  vaultId: 'v-1',
  type: 'incoming',
  status: 'confirmed',
  network: 'ethereum',
  blockchainHash: '0xabc',
  confirmations: 12,
  balanceChanges: [{ asset: 'ethereum:ETH', amount: '1000000000000000000000000' }],
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

/** Waits for backoff and budget end at once; the 10 s of a request end when a test says so. */
const clockOfTests = (): VirtualClock => new VirtualClock({ holds: (ms) => ms === 10_000 });

/** A client of a scripted service; both end with the test. */
export async function startClient(clock = clockOfTests()) {
  const service = await ScriptedService.start();
  onTestFinished(() => service.stop());
  const attempts: Attempt[] = [];

  function clientOf(options: {
    baseUrl?: string;
    addressTransactions?: string;
    count?: SharedCount;
  }): CustodyClient {
    const client = new CustodyClient({
      baseUrl: options.baseUrl ?? service.baseUrl,
      clientId: 'client-7',
      privateKey,
      clock,
      random: () => 0.5,
      observe: (attempt) => attempts.push(attempt),
      count: options.count,
      ...(options.addressTransactions === undefined
        ? {}
        : { paths: { addressTransactions: options.addressTransactions } }),
    });
    onTestFinished(() => client.close());
    return client;
  }

  function soon(within = 300_000): CallOptions {
    return { priority: 'deposits', deadlineMs: clock.now() + within };
  }

  return { service, clock, attempts, client: clientOf({}), clientOf, soon };
}
