import { expect, test } from 'vitest';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import { KINDS, reasonOf } from '../../../src/console/audit/decision-text.tsx';
import { BreakId, CreditId, DepositId } from '../../../src/domain/ids.ts';
import { READ_PER_ACTOR_MAX } from '../../../src/store/sqlite/reads/decisions.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';
import { closeTwoDays, SECOND_DAY } from '../close/closed-day.ts';
import { closesOf } from '../../store/close/closing.ts';

const PATH = '/console/audit';

test('what people did in the console is listed with who, what and why', async () => {
  const console = await consoleUnderTest();
  await closeTwoDays(console);
  const [olga, ada] = [await console.as('olga'), await console.as('ada')];
  await olga.send('/console/policy/halt', { asset: 'ethereum:ETH', reason: 'a fork' });
  const reportHash = closesOf(console.open)[1]?.report_hash ?? '';
  const sign = { role: 'preparer', reason: 'compared', reportHash };
  await ada.send(`/console/close/${SECOND_DAY}/sign`, sign);
  const page = await (await console.as('vera')).get(PATH);
  expect(words(page)).toMatch(
    /ada signed the day 2025-11-20 as preparer, report .* compared .* olga halted asset ethereum:ETH a fork .* config set the policy pol_1/,
  );
  expect(page).toContain(`<a href="/console/close/${SECOND_DAY}">`);
  expect(page).toMatch(/<a href="\/console\/journal\/\d+">/);
  const ofOlga = words(await ada.get(`${PATH}?who=olga`));
  expect(ofOlga).toContain('a fork');
  expect(ofOlga).not.toContain('compared');
  const signed = words(await ada.get(`${PATH}?kind=sign`));
  expect(signed).toContain('compared');
  expect(signed).not.toContain('a fork');
  expect(words(await ada.get(`${PATH}?who=nobody`))).toContain('No decision matches.');
});

test('fifty decisions fill a page, and the next begins where it ended', async () => {
  const console = await consoleUnderTest();
  const scope = { kind: 'everything' } as const;
  for (let count = 1; count <= 51; count += 1) {
    const kind = count % 2 === 0 ? 'resume' : 'halt';
    await console.open.decide({ kind, scope, reason: `number ${count}.` }, 'olga');
  }
  const vera = await console.as('vera');
  const first = await vera.get(PATH);
  expect(words(first)).toContain('number 51.');
  expect(words(first)).not.toContain('number 1.');
  const [, next = ''] = /<a href="([^"]+)" rel="next">/.exec(first) ?? [];
  const second = words(await vera.get(next));
  expect(second).toContain('number 1.');
  expect(second).not.toContain('number 51.');
});

test('whoever made very many other decisions is named, with a link to them alone', async () => {
  const console = await consoleUnderTest();
  const scope = { kind: 'everything' } as const;
  for (let count = 0; count <= READ_PER_ACTOR_MAX; count += 1) {
    const kind = count % 2 === 0 ? 'halt' : 'resume';
    await console.open.decide({ kind, scope, reason: 'again' }, 'robot');
  }
  const page = await (await console.as('vera')).get(`${PATH}?kind=policy`);
  expect(words(page)).toContain('robot made so many other decisions');
  expect(page).toContain('href="/console/audit?who=robot&amp;kind=policy&amp;before=3"');
});

test.for<[Decision, string]>([
  [{ kind: 'note', breakId: BreakId('brk_1'), note: 'asked custody' }, 'asked custody'],
  [{ kind: 'hold', depositId: DepositId('dep_1'), reason: 'looks odd' }, 'looks odd'],
  [{ kind: 'acknowledge', creditId: CreditId('crd_1'), reference: 'tx 4' }, ''],
])('the reason of %o is “%s”', ([decision, expected]) => {
  expect(reasonOf(decision)).toBe(expected);
});

test('the filter offers every kind once', async () => {
  const page = await (await (await consoleUnderTest()).as('vera')).get(PATH);
  for (const kind of KINDS) expect(page.split(`<option value="${kind}">`)).toHaveLength(2);
});
