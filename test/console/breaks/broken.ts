import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import type { ConsoleUnderTest } from '../console-under-test.ts';

/** Movements on the chain that no transaction explains: each is a break of one cause, in vault v1. */
export async function moveUnexplained(
  { open, service }: ConsoleUnderTest,
  count: number,
): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    await open.deliver(
      service.chain('transaction', {
        blockchainHash: `0xe${number}`,
        balanceChanges: [change('1500000000000000000', { ...AT_ADDRESS, ...decimals(18) })],
      }),
    );
  }
  await open.unboundedRun();
}
