import { TransactionId } from '../../../src/domain/ids.ts';
import { sent } from '../../store/evidence.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import type { ConsoleUnderTest } from '../console-under-test.ts';

const SPENT = [
  change('-30', { ...AT_ADDRESS, ...decimals(18) }),
  change('-2', { ...AT_ADDRESS, ...decimals(18), tags: ['fee'] }),
];

/**
 * `wd-tx`, from its approval to the custody API's agreement; `wd-2`, which failed and burned a fee of
 * 5; `wd-3`, which waits for approval; and `wd-4`, which the custody API does not know.
 */
export async function send({ open, service }: ConsoleUnderTest): Promise<void> {
  await open.deliver(
    service.outgoing('approval-pending'),
    service.outgoing('submitted'),
    service.outgoing('mined', { balanceChanges: SPENT }),
    service.chain('transaction', { balanceChanges: SPENT }),
  );
  await open.record({ kind: 'outgoing', transaction: sent(), graceMs: 0 });
  const failed = { transactionId: 'wd-2', orderId: 'order-2', blockchainHash: '0xf2' };
  const burned = { ...AT_ADDRESS, ...decimals(18), tags: ['fee'] };
  await open.deliver(
    service.outgoing('failed', { ...failed, reasonCode: 'reverted' }),
    service.chain('transaction', {
      blockchainHash: '0xf2',
      balanceChanges: [change('-5', burned)],
    }),
    service.outgoing('approval-pending', { transactionId: 'wd-3', orderId: 'order-3' }),
    service.outgoing('mined', {
      transactionId: 'wd-4',
      blockchainHash: '0xf4',
      balanceChanges: SPENT,
    }),
  );
  await open.record({ kind: 'unknown-transaction', transactionId: TransactionId('wd-4') });
}
