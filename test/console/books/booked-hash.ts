import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import type { ConsoleUnderTest } from '../console-under-test.ts';

/** A hash of a real chain's length. */
export const LONG_HASH = `0x${'6707f1f24135b20294ee49dfb46291f8'.repeat(2)}`;

function ether(amount: string, more: object = {}) {
  return change(amount, { ...AT_ADDRESS, ...decimals(18), ...more });
}

/**
 * A deposit of 12,345.5 ether that the chain view tells too, its rollback and its return; a withdrawal
 * of 30 ether with a fee, of which the chain view tells less; and a deposit with a memo.
 */
export async function book({ open, service }: ConsoleUnderTest): Promise<void> {
  const deposit = { balanceChanges: [ether('12345500000000000000000')] };
  const spent = [ether('-30000000000000000000'), ether('-21000000000000', { tags: ['fee'] })];
  const left = { blockchainHash: LONG_HASH, balanceChanges: spent };
  await open.deliver(
    service.confirmed(6, deposit),
    service.chain('transaction', deposit),
    service.incoming('rollback'),
    service.confirmed(6, deposit),
    service.outgoing('mined', left),
    service.chain('transaction', { ...left, balanceChanges: spent.slice(0, 1) }),
    service.confirmed(1, {
      blockchainHash: '0xc3',
      memo: '88',
      network: 'ripple',
      balanceChanges: [
        change('25000000', { asset: 'ripple:XRP', ...decimals(6), memoInfo: { memo: '88' } }),
      ],
    }),
    service.incoming('mempool', { blockchainHash: '0xd4', balanceChanges: [ether('1')] }),
  );
}
