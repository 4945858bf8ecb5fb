import { expect, test } from 'vitest';
import { BlockchainHash, CreditId, DepositId, TransactionId } from '../../../src/domain/ids.ts';
import { verifyWith } from '../../store/evidence.ts';
import { consoleAfterReversal, consoleUnderTest, words } from '../console-under-test.ts';

/** A console whose feed has two credits; the consumer has acknowledged the first. */
async function credited() {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  const creditId = CreditId(open.deposits()[0]?.credit_id ?? '');
  await open.decide({ kind: 'acknowledge', creditId, reference: 'ledger-9' });
  const blockchainHash = BlockchainHash('0xb2');
  const transactionId = TransactionId('tx-b2');
  await open.deliver(service.confirmed(6, { blockchainHash, transactionId }));
  const second = open.deposits().find((one) => one.blockchain_hash === blockchainHash);
  await verifyWith(open, { blockchainHash, transactionId }, DepositId(second?.deposit_id ?? ''));
  return { console, vera: await console.as('vera') };
}

test('the feed lists its items newest first, those without acknowledgement before all', async () => {
  const { console, vera } = await credited();
  const [first, second] = console.open.rows<{ credit_id: string; deposit_id: string }>(
    'SELECT credit_id, deposit_id FROM credits ORDER BY feed_seq',
  );
  const page = await vera.get('/console/feed');
  const text = words(page);
  expect(text).toContain('Not acknowledged (1)');
  expect(text).toContain('Credit feed (2)');
  const order = [second?.credit_id, second?.credit_id, first?.credit_id];
  const shown = [...page.matchAll(/title="(crd_[^"]*)"/g)].map(([, id]) => id);
  expect(shown).toEqual(order);
  expect(text).toContain('ledger-9');
  expect(page).toContain(`href="/console/deposits/${second?.deposit_id}"`);
});

test('a reversed credit without acknowledgement says that it needs none', async () => {
  const console = await consoleAfterReversal();
  const text = words(await (await console.as('vera')).get('/console/feed'));
  expect(text).toContain('The consumers have acknowledged every credit.');
  expect(text).toContain('Credit feed (2)');
  expect(text).toContain('reversed, needs none');
  expect(text).not.toContain('not acknowledged');
});

test('the overview counts the credits that wait, and leads to the feed', async () => {
  const { vera } = await credited();
  const page = await vera.get('/console');
  expect(page).toContain('<a href="/console/feed">1 not acknowledged</a>');
});

test('an empty feed says what fills it', async () => {
  const vera = await (await consoleUnderTest()).as('vera');
  const text = words(await vera.get('/console/feed'));
  expect(text).toContain('The consumers have acknowledged every credit.');
  expect(text).toContain('The feed has no item yet.');
});
