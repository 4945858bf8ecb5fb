import { closeOf } from '../../store/close/closing.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import type { ConsoleUnderTest } from '../console-under-test.ts';

/** The two days that `closeTwoDays` closes. */
export const FIRST_DAY = '2025-11-19';
export const SECOND_DAY = '2025-11-20';

const LOCAL = { kind: 'not_read', reason: 'custody is not configured' } as const;

function ether(amount: string) {
  return { balanceChanges: [change(amount, { ...AT_ADDRESS, ...decimals(18) })] };
}

/** Smallest units: the first day's deposit, the second day's, and what its chain view shows. */
const AMOUNTS = ['1500000000000000000', '2000000000000000000', '3000000000000000000'] as const;

/**
 * Closes two days: a deposit of 1.5 on the first, whose chain view agrees; on the second one of 2
 * whose chain view shows 3.
 */
export async function closeTwoDays(
  { open, service }: ConsoleUnderTest,
  amounts: readonly [string, string, string] = AMOUNTS,
): Promise<void> {
  const close = async (day: string): Promise<void> => {
    const cutOffAt = open.at + 1;
    open.at += 1_000;
    await open.record(closeOf(open, { day, cutOffAt, custody: LOCAL, rules: 2 }));
  };
  const first = ether(amounts[0]);
  await open.deliver(service.confirmed(6, first), service.chain('transaction', first));
  await close(FIRST_DAY);
  const hash = { blockchainHash: '0xb2', transactionId: 'tx-b2' };
  await open.deliver(
    service.confirmed(6, { ...hash, ...ether(amounts[1]) }),
    service.chain('transaction', { ...hash, ...ether(amounts[2]) }),
  );
  await close(SECOND_DAY);
}
