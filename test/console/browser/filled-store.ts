import { closeOf } from '../../store/close/closing.ts';
import { verifyWith } from '../../store/evidence.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import type { ConsoleUnderTest } from '../console-under-test.ts';

/** Fills a store with deposits in several states, breaks, a run, a quarantined body and a closed day. */
export async function fill({ open, service }: ConsoleUnderTest): Promise<void> {
  const ether = (amount: string) => ({ balanceChanges: [change(amount, decimals(18))] });
  await open.deliver(service.confirmed(6, ether('1500000000000000000')));
  await verifyWith(open, { changes: [] });
  await open.deliver(
    service.confirmed(2, { blockchainHash: '0xb2', ...ether('123456789012345678901234') }),
    service.confirmed(1, {
      blockchainHash: '0x6707f1f24135b20294ee49dfb46291f8',
      memo: '88',
      balanceChanges: [change('25000000', { asset: 'ripple:XRP', ...decimals(6) })],
    }),
    service.incoming('mempool', { blockchainHash: '0xc3', ...ether('1') }),
    service.chain('transaction', {
      blockchainHash: '0xd4',
      balanceChanges: [change('-1500', { ...AT_ADDRESS, ...decimals(18) })],
    }),
    { id: 'strange', stream: 'weather' },
    'not json',
  );
  await open.run();
  await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: open.at + 1 }));
  await open.run();
}
