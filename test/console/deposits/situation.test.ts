import { expect, test } from 'vitest';
import { balanceChange, received, verifyWith } from '../../store/evidence.ts';
import { SIX_DEEP } from '../../store/open-ledger.ts';
import { change, decimals } from '../../store/webhook.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';

const HOUR_MS = 3_600_000;
const AGES = {
  stale: { depositMs: 6 * HOUR_MS, withdrawalMs: 24 * HOUR_MS },
  escalation: { infoToWarningAfterMs: null, warningToCriticalAfterMs: null },
};

/** A deposit of 15 ETH (1500 smallest units), deep enough, that the custody API has not confirmed. */
async function verifying() {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6, { balanceChanges: [change('1500', decimals(2))] }));
  const vera = await console.as('vera');
  const page = async () => words(await vera.get(`/console/deposits/${open.depositId()}`));
  return { open, page };
}

test('a deposit that waits long for the custody API is not said to differ from it', async () => {
  const { open, page } = await verifying();
  expect(await page()).toContain('The custody API has not confirmed it yet. Nothing to do:');
  open.at += 7 * HOUR_MS;
  await open.run(0, AGES);
  expect(open.openBreaks()).toEqual(['stale_deposit']);
  const text = await page();
  expect(text).toContain(
    'The custody API has not confirmed it for a long time. Check that the custody API answers, then ask the custody service about its transaction. The credit follows when the API’s record matches.',
  );
  expect(text).not.toContain('says otherwise');
  expect(text).not.toContain('while this difference is open');
});

test('what the custody API says otherwise is in the asset’s unit, like every amount', async () => {
  const { open, page } = await verifying();
  await verifyWith(open, { changes: [balanceChange(2_000n)] });
  expect(open.openBreaks()).toEqual(['amount_mismatch']);
  expect(await page()).toContain(
    'The custody API says otherwise. The custody API says 20 ETH , the notifications say 15 ETH . No credit follows',
  );
});

test('a deposit from before the start of the policy says how old it is, and what to do', async () => {
  const { open, page } = await verifying();
  await open.setPolicy({ ...SIX_DEEP, startsAt: '1970-01-01T00:00:02Z' });
  const changes = [balanceChange(1_500n)];
  await verifyWith(open, { changes, confirmations: 6, createdAt: 1_999 });
  const text = await page();
  expect(text).toContain(
    'Its transaction is older than the start of the policy. Nothing to do, if',
  );
  expect(text).toContain(
    'created it at 1970-01-01T00:00:01.999Z; the policy starts at 1970-01-01T00:00:02.000Z',
  );
});

test('a deposit that was held for hours says that the custody API must show it again', async () => {
  const { open, page } = await verifying();
  const [depositId, reason] = [open.depositId(), 'customer under review'];
  await open.decide({ kind: 'hold', depositId, reason });
  const transaction = received({ changes: [balanceChange(1_500n)], confirmations: 6 });
  await open.record({ kind: 'deposit', depositId, transaction, graceMs: 0, expires: true });
  open.at += 2 * HOUR_MS;
  await open.decide({ kind: 'release', depositId, reason });
  const text = await page();
  expect(text).toContain(
    'The custody API must show it again. Its record matched more than an hour ago. Counterfoil asks again within minutes.',
  );
  expect(text).toContain('matched at depth 6 more than an hour ago');
});
