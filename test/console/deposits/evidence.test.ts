import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { BreakId } from '../../../src/domain/ids.ts';
import { apiUnderTest } from '../../api/api-under-test.ts';
import { balanceChange, verifyWith } from '../../store/evidence.ts';
import { change, decimals } from '../../store/webhook.ts';
import {
  consoleAfterReversal,
  ConsoleUnderTest,
  consoleUnderTest,
  words,
} from '../console-under-test.ts';

const PATH = '/console/deposits';

test('the custody API’s record is compared under the names of both sides', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  const page = words(await (await console.as('vera')).get(`${PATH}/${open.depositId()}`));
  expect(page).toContain('Compared Custody API’s record This deposit in Counterfoil');
  expect(page).toContain('Status confirmed confirmed Amount, smallest units 100 100');
});

test('each comparison with a record has a name of its own, for a screen reader', async () => {
  const console = await consoleAfterReversal();
  const page = await (await console.as('vera')).get(`${PATH}/${console.open.depositId()}`);
  const names = [...page.matchAll(/aria-label="(Custody record[^"]+)"/g)].map(([, name]) => name);
  expect(names).toHaveLength(2);
  expect(new Set(names).size).toBe(2);
});

test('a depth of which webhooks and the custody API say different numbers says who says which', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  const vera = await console.as('vera');
  const page = async () => words(await vera.get(`${PATH}/${open.depositId()}`));
  await open.deliver(service.confirmed(1));
  expect(await page()).toContain('6 confirmations needed; it has 1 ');
  await verifyWith(open, { confirmations: 2 });
  const after = await page();
  expect(after).toContain('needed; it has 1 by webhooks, 2 by the custody API');
  expect(after).toContain('Confirmations 2 1 by webhooks, 2 by the custody API');
});

test('the policy’s minimum is shown in the asset’s own unit', async () => {
  const rule = { confirmations: 6, minimumAmount: Amount(150n) };
  const console = new ConsoleUnderTest(
    await apiUnderTest({ default: rule, networks: {}, assets: {} }),
  );
  await console.open.deliver(
    console.service.confirmed(1, { balanceChanges: [change('100', decimals(2))] }),
  );
  const page = words(await (await console.as('vera')).get(`${PATH}/${console.open.depositId()}`));
  expect(page).toContain('not yet Large enough at least 1.5 ETH');
});

test('the record of a change deposit shows the amount that verified it', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  const entry = change('100', { tags: ['change'] });
  await open.deliver(service.confirmed(6, { balanceChanges: [entry] }));
  await verifyWith(open, { changes: [balanceChange(100n, { kind: 'change' })] });
  const page = words(await (await console.as('vera')).get(`${PATH}/${open.depositId()}`));
  expect(page).toContain('verified The record matched, at depth 6.');
  expect(page).toContain('It is change of an own transaction');
  expect(page).toContain('Amount, smallest units 100 100');
});

test('a reversed deposit names its reversed credit, and the status that the rollback left', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  const creditId = open.lastCreditId();
  await open.deliver(service.incoming('rollback'));
  await verifyWith(open, { status: 'rolledback' });
  const page = words(await (await console.as('vera')).get(`${PATH}/${open.depositId()}`));
  expect(page).toContain('It was rolled back after its credit');
  expect(page).toContain('The feed has the reversal. Take the amount back from the customer.');
  expect(page).toMatch(
    new RegExp(`Credit ${creditId}.* reversed Consumer’s reference under Life, if acknowledged`),
  );
  expect(page).toContain('Status rolledback rolledback');
  expect(page).toContain('Rolled back once');
  const breakId = BreakId(open.openBreak('reversal_after_credit').id);
  await open.decide({ kind: 'resolve', breakId, reason: 'taken back' }, 'olga');
  const after = words(await (await console.as('vera')).get(`${PATH}/${open.depositId()}`));
  expect(after).toContain('The feed has the reversal. olga resolved its break: taken back');
  expect(after).not.toContain('Take the amount back');
});
