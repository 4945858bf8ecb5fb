import { expect, test } from 'vitest';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import { KINDS, reasonOf } from '../../../src/console/audit/decision-text.tsx';
import { BreakId, CreditId, DepositId } from '../../../src/domain/ids.ts';
import { READ_PER_ACTOR_MAX } from '../../../src/store/sqlite/reads/decisions.ts';
import { consoleUnderTest, PUBLIC, words, type Browser } from '../console-under-test.ts';
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

test('“Previous” leads to the page before, back to the first, with the filter', async () => {
  const console = await consoleUnderTest();
  const scope = { kind: 'everything' } as const;
  for (let count = 1; count <= 170; count += 1) {
    const kind = count % 2 === 0 ? 'resume' : 'halt';
    await console.open.decide({ kind, scope, reason: `number ${count}.` }, 'olga');
  }
  const vera = await console.as('vera');
  let page = await vera.get(`${PATH}?who=olga`);
  const newest = () => /number (\d+)\./.exec(words(page))?.[1] ?? '';
  const follow = async (rel: string) => {
    const [, href = ''] = new RegExp(`<a href="([^"]+)" rel="${rel}">`).exec(page) ?? [];
    page = await vera.get(href.replaceAll('&amp;', '&'));
    return newest();
  };
  const seen = [newest()];
  for (const rel of ['next', 'next', 'next', 'prev', 'prev', 'prev']) seen.push(await follow(rel));
  expect(seen).toEqual(['170', '120', '70', '20', '70', '120', '170']);
  expect(page).not.toContain('rel="prev"');
  expect(page).toContain('<option value="olga" selected');
});

test('an actor with very many other decisions is named, with a link to these alone', async () => {
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

test('a reader who sees no decisions about access reads whom to ask', async () => {
  const console = await consoleUnderTest();
  const left =
    'Decisions about tokens and sessions are left out: to read them, ask a person with role';
  expect(words(await (await console.as('vera')).get(PATH))).toContain(
    `${left} finance, operator, admin or auditor.`,
  );
  expect(words(await (await console.as('ada')).get(PATH))).not.toContain(left);
});

test('the filter offers every kind once', async () => {
  const page = await (await (await consoleUnderTest()).as('ada')).get(PATH);
  for (const kind of KINDS) expect(page.split(`<option value="${kind}">`)).toHaveLength(2);
});

test('who has tokens and who was signed out is not listed for roles that may not read it', async () => {
  const console = await consoleUnderTest(PUBLIC);
  const { open } = console;
  const sha256 = 'ab'.repeat(32);
  const { role, reason } = { role: 'admin', reason: 'a new colleague' } as const;
  await open.decide({ kind: 'create-token', name: 'carla', role, sha256, reason }, 'ada');
  await open.decide({ kind: 'end-session', sessionId: 'ses_1', name: 'otto', reason }, 'ada');
  await open.decide({ kind: 'halt', scope: { kind: 'everything' }, reason: 'a theft' }, 'ada');
  const everything = async (visitor: Browser): Promise<string> => {
    const paths = [
      PATH,
      `${PATH}.csv`,
      `${PATH}?kind=create-token`,
      `${PATH}.csv?kind=end-session`,
    ];
    const pages = await Promise.all(paths.map((path) => visitor.get(path)));
    expect(pages.every((page, index) => index > 1 || page.includes('a theft'))).toBe(true);
    return pages.join(' ');
  };
  for (const visitor of [console.stranger, await console.as('vera'), await console.as('chris')]) {
    expect(await everything(visitor)).not.toMatch(
      /carla|ses_1|abab|a new colleague|"create-token"/,
    );
  }
  for (const person of ['ada', 'audra', 'fiona'] as const) {
    const text = await everything(await console.as(person));
    expect([person, text.includes('carla'), text.includes('ses_1')]).toEqual([person, true, true]);
  }
});

const DAY_MS = 86_400_000;

/** Decisions on three days, about two deposits and a break. */
async function onThreeDays() {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(1), service.confirmed(1, { blockchainHash: '0xb2' }));
  await open.deliver('not json');
  const [first, second] = open.deposits().map(({ deposit_id: id }) => DepositId(id));
  if (first === undefined || second === undefined) throw new Error('no deposits');
  await open.decide({ kind: 'hold', depositId: first, reason: 'day one' }, 'olga');
  open.at += DAY_MS;
  await open.decide({ kind: 'hold', depositId: second, reason: 'day two' }, 'otto');
  const { id } = open.openBreak('malformed');
  await open.decide({ kind: 'note', breakId: id, note: '=day two, "quoted"' }, 'fiona');
  open.at += DAY_MS;
  await open.decide({ kind: 'release', depositId: first, reason: 'day three' }, 'olga');
  return { console, first, breakId: id };
}

test('decisions are filtered by days and by what they are about, and downloaded so', async () => {
  const { console, first, breakId } = await onThreeDays();
  const vera = await console.as('vera');
  const reasons = async (query: string) => {
    const csv = await (await vera.request(`${PATH}.csv?${query}`)).text();
    const lines = csv.trimEnd().split('\r\n').slice(1);
    return lines.map((line) => /day (?:one|two|three)/.exec(line)?.[0]);
  };
  expect(await reasons('from=2025-11-21&to=2025-11-21')).toEqual(['day two', 'day two']);
  expect(await reasons('from=2025-11-22')).toEqual(['day three']);
  expect(await reasons('to=2025-11-20&who=olga')).toEqual(['day one']);
  expect(await reasons(`subject=${first}`)).toEqual(['day three', 'day one']);
  expect(await reasons(`subject=${breakId}`)).toEqual(['day two']);
  expect(await reasons('subject=2025-11-20')).toEqual([]);
  const page = words(await vera.get(`${PATH}?from=2025-11-21&to=2025-11-21`));
  expect(page).toContain('day two');
  expect(page).not.toMatch(/day one|day three/);
  expect(await vera.get(`${PATH}?subject=${first}`)).toContain(
    `href="/console/audit.csv?subject=${first}"`,
  );
});

test('the file has who, what, about what and why, and no formula', async () => {
  const { console, breakId } = await onThreeDays();
  const answer = await (await console.as('vera')).request(`${PATH}.csv?who=fiona`);
  expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="decisions.csv"');
  const [head, line = ''] = (await answer.text()).split('\r\n');
  expect(head).toBe('journalSeq,recordedAt,who,what,about,why,decision');
  expect(line).toContain(`Z,fiona,break noted,${breakId},"'=day two, ""quoted""",`);
});

test('the list follows what people decide about deposits, breaks and access', async () => {
  const page = await (await (await consoleUnderTest()).as('vera')).get(PATH);
  const live = /id="decisions"[^>]*data-live="([^"]*)"/.exec(page)?.[1]?.split(' ');
  expect(live).toEqual(expect.arrayContaining(['deposits', 'breaks', 'access']));
});

test.for(['kind=theft', 'from=yesterday', 'to=2025-13-01', 'before=x', 'newer=1.x'])(
  'decisions or a file of %s are not found, and not all decisions',
  async (query) => {
    const console = await consoleUnderTest();
    const audra = await console.as('audra');
    for (const path of [PATH, `${PATH}.csv`]) {
      const answer = await audra.request(`${path}?${query}`);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.text()).toContain('There is no such kind of decision, day or fact.');
    }
    expect((await audra.request(`${PATH}?who=&kind=&from=&to=&before=`)).status).toBe(200);
  },
);
