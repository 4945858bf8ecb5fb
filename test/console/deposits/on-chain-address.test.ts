import { expect, test } from 'vitest';
import { verifyWith } from '../../store/evidence.ts';
import { change, onChain } from '../../store/webhook.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';

test('a page says which on-chain address was reported, and which the custody API knows', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6, { balanceChanges: [change('100', onChain('0xf0'))] }));
  const vera = await console.as('vera');
  const shown = async () => words(await vera.get(`/console/deposits/${open.depositId()}`));
  expect(await shown()).toContain('0xf0 as first reported, not verified');
  await verifyWith(open, { networkAddress: '0x7e' });
  const page = await shown();
  expect(page).toContain(
    '0x7e from the custody API’s record; the first report named another: 0xf0',
  );
  expect(page).toContain('On-chain address 0x7e 0xf0, as first reported');
});
