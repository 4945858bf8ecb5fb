import { VaultId } from '../../../src/domain/ids.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import { consoleUnderTest, type ConsoleUnderTest } from '../console-under-test.ts';

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

/** Breaks of several types: two of a hash, a drifting subscription, and three bodies. */
export async function severalBreaks(): Promise<ConsoleUnderTest> {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await moveUnexplained(console, 2);
  await open.record({ kind: 'subscription', vaultId: VaultId('v2'), drift: 'other URL' });
  await open.deliver(service.confirmed(1), { id: 'ntf-3', other: 'body' }, 'not json');
  await open.deliver({ id: 'strange', stream: 'weather' });
  return console;
}
