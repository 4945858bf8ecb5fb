import { expect, test } from 'vitest';
import { closesOf } from '../../store/close/closing.ts';
import { consoleUnderTest, words, type Browser } from '../console-under-test.ts';
import { closeTwoDays, SECOND_DAY } from './closed-day.ts';

const PATH = `/console/close/${SECOND_DAY}`;

/** A console with two closed days. */
async function closed() {
  const console = await consoleUnderTest();
  await closeTwoDays(console);
  return console;
}

test('two people prepare and review; each form carries the hash of its page', async () => {
  const console = await closed();
  const [olga, otto] = [await console.as('olga'), await console.as('otto')];
  const reportHash = closesOf(console.open)[1]?.report_hash ?? '';
  const before = await olga.get(PATH);
  expect(before).toContain(`<input type="hidden" name="reportHash" value="${reportHash}"/>`);
  expect(words(before)).toContain('Reviewed by waits for the preparer');
  const sign = { reason: 'compared with the statement', reportHash };
  const prepared = words(await olga.send(`${PATH}/sign`, { role: 'preparer', ...sign }));
  expect(prepared).toContain(`You prepared ${SECOND_DAY}.`);
  expect(prepared).toContain('nobody yet; another person than you reviews');
  expect(prepared).toContain('Find their cause before you sign');
  expect(words(await otto.get(PATH))).toContain('Review…');
  const reviewed = words(await otto.send(`${PATH}/sign`, { role: 'reviewer', ...sign }));
  expect(reviewed).toContain(`You reviewed ${SECOND_DAY}.`);
  expect(reviewed).toContain('compared with the statement');
  expect(reviewed).not.toContain('Review…');
  expect(reviewed).not.toContain('before you sign');
  expect(reviewed).toContain('Both signatures are below, with their reasons.');
  expect(words(await otto.get('/console/close?month=2025-11'))).toContain('20 exceptions reviewed');
});

test('who signs again reads that the first signature stays, and what is next', async () => {
  const console = await closed();
  const [olga, otto, fiona] = [
    await console.as('olga'),
    await console.as('otto'),
    await console.as('fiona'),
  ];
  const reportHash = closesOf(console.open)[1]?.report_hash ?? '';
  const sign = async (browser: Browser, role: string, reason: string) =>
    words(await browser.send(`${PATH}/sign`, { role, reason, reportHash }));
  expect(await sign(olga, 'preparer', 'compared')).toContain(
    `You prepared ${SECOND_DAY}. Next, another person reviews it.`,
  );
  const again = await sign(olga, 'preparer', 'compared again');
  expect(again).toContain(
    `You had prepared ${SECOND_DAY} already: your first signature and its reason stay. Next, another person reviews it.`,
  );
  expect(again).not.toContain('compared again');
  expect(await sign(fiona, 'preparer', 'me too')).toContain(
    `${SECOND_DAY} was signed by olga as preparer: sign it as reviewer.`,
  );
  expect(await sign(otto, 'reviewer', 'read')).toContain(
    `You reviewed ${SECOND_DAY}. Both signatures are there: keep a download of the report.`,
  );
  expect(await sign(otto, 'reviewer', 'read again')).toContain(
    `You had reviewed ${SECOND_DAY} already: your first signature and its reason stay. Both signatures are there: keep a download of the report.`,
  );
  expect(await sign(olga, 'preparer', 'once more')).toContain(
    `You had prepared ${SECOND_DAY} already: your first signature and its reason stay. Both signatures are there`,
  );
});

test('another hash is refused, and so is a second signature of the preparer', async () => {
  const console = await closed();
  const olga = await console.as('olga');
  const sign = { role: 'preparer', reason: 'seen', reportHash: 'a'.repeat(64) };
  expect(words(await olga.send(`${PATH}/sign`, sign))).toContain('has another hash');
  const reportHash = closesOf(console.open)[1]?.report_hash ?? '';
  await olga.send(`${PATH}/sign`, { ...sign, reportHash });
  const refused = await olga.send(`${PATH}/sign`, { ...sign, role: 'reviewer', reportHash });
  expect(words(refused)).toContain('The reviewer must be another person');
  expect((await olga.post(`${PATH}/sign`, { role: 'auditor' })).status).toBe(404);
});

test.for(['vera', 'chris'] as const)('%s signs and closes nothing', async (person) => {
  const console = await closed();
  const visitor = await console.as(person);
  const page = await visitor.get(PATH);
  expect(words(page)).toContain('your role may not sign');
  expect(page).not.toContain('/sign"');
  const reportHash = closesOf(console.open)[1]?.report_hash ?? '';
  const sign = { role: 'preparer', reason: 'seen', reportHash };
  expect(words(await visitor.send(`${PATH}/sign`, sign))).toContain(
    'Only the roles finance, operator and admin may close days and sign their reports. Your role is',
  );
  expect(words(await visitor.send(`${PATH}/close`))).toContain(
    'Only the roles finance, operator and admin may close days and sign their reports. Your role is',
  );
  expect(console.open.rows('SELECT * FROM close_signatures')).toEqual([]);
});
