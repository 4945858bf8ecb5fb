import { expect, test } from 'vitest';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';

test('an amount of an asset selects no break of another asset with as many smallest units', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  const sent = (blockchainHash: string, asset: string, digits: number) =>
    service.chain('transaction', {
      blockchainHash,
      balanceChanges: [change('-1500', { ...AT_ADDRESS, ...decimals(digits), asset })],
    });
  await open.deliver(sent('0x1', 'ethereum:ETH', 2), sent('0x2', 'ethereum:T', 3));
  await open.run();
  const vera = await console.as('vera');
  const found = async (amount: string): Promise<string[]> => {
    const page = words(await vera.get(`/console/breaks?amount=${encodeURIComponent(amount)}`));
    return page.match(/the chain moved −[\d.]+ \w+/g) ?? [];
  };
  expect(await found('15 ETH')).toEqual(['the chain moved −15 ETH']);
  expect(await found('1.5')).toEqual(['the chain moved −1.5 T']);
  expect(await found('1500')).toHaveLength(2);
});
