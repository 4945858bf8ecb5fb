import { expect, test } from 'vitest';
import { change, decimals } from '../../store/webhook.ts';
import { consoleUnderTest } from '../console-under-test.ts';

test('a number is searched as an amount of each of 500 assets', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliverTogether(
    ...Array.from({ length: 500 }, (_, index) =>
      service.confirmed(1, {
        blockchainHash: `0x${index}`,
        balanceChanges: [change('150', { asset: `ethereum:T${index}`, ...decimals(index % 30) })],
      }),
    ),
  );
  const vera = await console.as('vera');
  for (const path of ['search?q=150', 'withdrawals?amount=150', 'breaks?amount=150']) {
    const answer = await vera.request(`/console/${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
  }
});

test('a deposit with a number as its memo is found behind many deposits of that amount', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  const ether = (amount: string) => ({ balanceChanges: [change(amount, decimals(2))] });
  await open.deliver(
    service.confirmed(1, { blockchainHash: '0xmemo', memo: '100', ...ether('7') }),
    ...Array.from({ length: 25 }, (_, index) =>
      service.confirmed(1, { blockchainHash: `0x${index}`, ...ether('10000') }),
    ),
  );
  const named = open.deposits().find(({ blockchain_hash: hash }) => hash === '0xmemo');
  const page = await (await console.as('vera')).get('/console/search?q=100');
  expect(page).toContain(`/console/deposits/${named?.deposit_id}`);
  expect(page.match(/href="\/console\/deposits\/dep_/g)).toHaveLength(21);
});
