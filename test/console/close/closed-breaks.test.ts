import { expect, test } from 'vitest';
import { BreakId } from '../../../src/domain/ids.ts';
import { closeOf } from '../../store/close/closing.ts';
import { balanceChange, verifyWith } from '../../store/evidence.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';

const DAY = '2025-11-20';
const PATH = `/console/close/${DAY}`;

/** The card of a closed day that lists the breaks open at its cut-off. */
function breaksIn(page: string): string {
  return words(page.slice(page.indexOf('id="breaks"'), page.indexOf('id="prior-day"')));
}

test('a closed day asks for what is still to do about a break, and says who has resolved it since', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6, { balanceChanges: [change('1500', decimals(2))] }));
  await verifyWith(open, { changes: [balanceChange(1_500n)] });
  await open.deliver(service.incoming('rollback'));
  await open.record(closeOf(open, { day: DAY, cutOffAt: open.at + 1 }));
  const vera = await console.as('vera');
  const atCutOff = breaksIn(await vera.get(PATH));
  expect(atCutOff).toContain('rolled back: when the custody API agrees, the feed reverses');
  expect(atCutOff).not.toContain('resolved');
  await verifyWith(open, { status: 'rolledback' });
  expect(breaksIn(await vera.get(PATH))).toMatch(
    /rolled back: the feed reversed the credit; recover it from the customer(?:'|&#39;)s balance/,
  );
  const { id } = open.openBreak('reversal_after_credit');
  const resolve = { kind: 'resolve', breakId: BreakId(id), reason: 'taken back' } as const;
  await open.decide(resolve, 'olga');
  const after = breaksIn(await vera.get(PATH));
  expect(after).toMatch(
    /rolled back: the feed reversed the credit resolved since the cut-off, \d\S+ \S+ UTC by olga: taken back/,
  );
  expect(after).not.toContain('recover it');
});

test('a difference that a break explains asks for what is still to do about it', async () => {
  const console = await consoleUnderTest();
  const { open, service } = console;
  const body = { balanceChanges: [change('1500', { ...AT_ADDRESS, ...decimals(2) })] };
  await open.deliver(service.confirmed(6, body), service.chain('transaction', body));
  await verifyWith(open, { changes: [balanceChange(1_500n)] });
  await open.deliver(service.incoming('rollback'));
  await open.record(closeOf(open, { day: DAY, cutOffAt: open.at + 1, rules: 2 }));
  const vera = await console.as('vera');
  const differences = async () => {
    const page = await vera.get(PATH);
    return words(page.slice(page.indexOf('id="differences"'), page.indexOf('id="comparison"')));
  };
  expect(await differences()).toContain('when the custody API agrees, the feed reverses');
  await verifyWith(open, { status: 'rolledback' });
  expect(await differences()).toContain('rolled back: the feed reversed the credit; recover it');
  const { id } = open.openBreak('reversal_after_credit');
  await open.decide({ kind: 'resolve', breakId: BreakId(id), reason: 'taken back' }, 'olga');
  const after = await differences();
  expect(after).toMatch(
    /the feed reversed the credit resolved since the cut-off, .* by olga: taken/,
  );
  expect(after).not.toContain('recover it');
});
